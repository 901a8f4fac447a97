// SPDX-License-Identifier: Apache-2.0
// Many small updates and reads of a table spread over the ranks.
#include <cstring>
#include <functional>
#include <ranges>
#include <span>
#include <vector>

#include <armilla/algorithms.hpp>

#include "bench/kernels/updates.hpp"
#include "bench/suites/common.hpp"
#include "bench/suites/suites.hpp"

namespace bench::suites {
namespace {

using updates::words;
using word = std::uint64_t;

thread_local word* table = nullptr;  // this rank's part, for the bodies

/// The parts of a table in the segments of all ranks.
struct spread_table {
  am::global_ptr<word> mine = am::allocate<word>(words);
  std::vector<am::global_ptr<word>> parts = am::world().all_gather(mine);

  spread_table() { table = mine.local(); }
  ~spread_table() {
    am::barrier();
    am::deallocate(mine);
  }
};

template <class F>
double timed(row_context& c, F&& work) {
  am::barrier();
  const std::uint64_t start = now_ns();
  work();
  return double(now_ns() - start) / double(c.iterations);
}

/// Clears the table, has `work` do this rank's updates, and checks what all ranks counted.
template <class F>
double histogram(row_context& c, F&& work) {
  const spread_table all;
  const std::vector<word>& indices = updates::cached_indices(c.rank, c.ranks, c.iterations, c.size);
  std::memset(static_cast<void*>(table), 0, words * sizeof(word));
  const double result = timed(c, [&] { work(all, indices); });
  const word difference = updates::marks_of(indices) - updates::marks_of_table(table, c.rank);
  verify(am::world().all_reduce(difference, std::plus<>{}) == 0, "histogram");
  return result;
}

double histogram_async(row_context& c) {
  return histogram(c, [](const spread_table&, const std::vector<word>& indices) {
    for (const word i : indices) am::async(updates::owner(i), [](word at) { ++table[at]; }, updates::local(i));
    am::fence();
  });
}

/// The same with buffers of 64 KiB for ranks that a network reaches.
double histogram_long_buffers(row_context& c) {
  const std::size_t before = am::aggregation(am::peer::network);
  am::set_aggregation(am::peer::network, 65536);
  const double result = histogram_async(c);
  am::set_aggregation(am::peer::network, before);
  return result;
}

double histogram_atomic(row_context& c) {
  return histogram(c, [](const spread_table& all, const std::vector<word>& indices) {
    for (const word i : indices)
      am::atomic_add(all.parts[std::size_t(updates::owner(i))] + std::ptrdiff_t(updates::local(i)), word{1});
    am::barrier();
  });
}

/// The same additions as one operation.
double histogram_atomic_places(row_context& c) {
  return histogram(c, [](const spread_table& all, const std::vector<word>& indices) {
    const auto place = [&](word i) { return all.parts[std::size_t(updates::owner(i))] + std::ptrdiff_t(updates::local(i)); };
    am::atomic_add(std::views::transform(indices, place), word{1});
    am::barrier();
  });
}

/// The same additions to an array, a thousand or so at a time, as the rules of GUPS have it.
double scatter_add(row_context& c) {
  constexpr std::size_t batch = 1024;
  am::array<word> all(words * std::size_t(c.ranks), word{0});
  const std::span<const word> indices(updates::cached_indices(c.rank, c.ranks, c.iterations, c.size));
  const double result = timed(c, [&] {
    for (std::size_t at = 0; at < indices.size(); at += batch)
      am::scatter_add(all, indices.subspan(at, std::min(batch, indices.size() - at)), 1);
    am::fence();
  });
  const word difference = updates::marks_of(updates::cached_indices(c.rank, c.ranks, c.iterations, c.size)) -
                          updates::marks_of_table(all.local().data(), c.rank);
  verify(am::world().all_reduce(difference, std::plus<>{}) == 0, "scatter_add");
  return result;
}

/// Two-way calls by the batch: as many as a batch holds are sent, then their answers taken.
double index_gather(row_context& c) {
  constexpr std::size_t batch = 1024;
  const spread_table all;
  const std::vector<word>& indices = updates::cached_indices(c.rank, c.ranks, c.iterations, c.size);
  for (word i = 0; i < words; ++i) table[i] = updates::value_at((word(c.rank) << updates::shift) + i);
  std::vector<word> values(indices.size());
  std::vector<am::future<word>> answers(batch);
  const double result = timed(c, [&] {
    for (std::size_t at = 0; at < indices.size(); at += batch) {
      const std::size_t n = std::min(batch, indices.size() - at);
      {
        const am::batch together;
        for (std::size_t k = 0; k < n; ++k)
          answers[k] =
              am::call(updates::owner(indices[at + k]), [](word i) { return table[i]; }, updates::local(indices[at + k]));
      }
      for (std::size_t k = 0; k < n; ++k) values[at + k] = answers[k].get();
    }
    am::barrier();
  });
  for (std::size_t i = 0; i < indices.size(); ++i) verify(values[i] == updates::value_at(indices[i]), "index gather");
  return result;
}

}  // namespace

void add_aggregate(row_table& rows) {
  rows.insert(rows.end(), {{"histogram_async", histogram_async},
                           {"histogram_long_buffers", histogram_long_buffers},
                           {"histogram_atomic", histogram_atomic},
                           {"histogram_atomic_places", histogram_atomic_places},
                           {"scatter_add", scatter_add},
                           {"index_gather", index_gather}});
}

}  // namespace bench::suites
