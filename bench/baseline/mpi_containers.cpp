// SPDX-License-Identifier: Apache-2.0
// A hash table by MPI: keys are gathered by the rank that their hash names, exchanged in rounds of some 100 KiB, and go into a
// local table with hints ahead.
#include <mpi.h>

#include "bench/baseline/mpi.hpp"
#include "bench/kernels/local_table.hpp"

namespace bench::mpi {
namespace {

using words = std::vector<std::uint64_t>;
constexpr std::size_t round_items = 16384;

const words& my_keys(const row_context& c, keys kind) {
  return cached_keys(kind, share_of(c.iterations, c.rank, c.ranks), c.size);
}

class exchange {
 public:
  explicit exchange(const row_context& c)
      : ranks_(c.ranks),
        out_(std::size_t(c.ranks)),
        out_at_(out_),
        in_(out_),
        in_at_(out_),
        next_(out_),
        sent_(round_items),
        owner_(round_items) {}

  /// For each round of keys `f(come)` with what comes for this rank; collective.
  template <class F>
  void rounds(const words& mine, F f) {
    std::size_t most = (mine.size() + round_items - 1) / round_items;
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
    for (std::size_t r = 0; r < most; ++r) {
      const std::size_t first = std::min(mine.size(), r * round_items), n = std::min(mine.size() - first, round_items);
      deal(mine.data() + first, n);
      MPI_Alltoall(out_.data(), 1, MPI_INT, in_.data(), 1, MPI_INT, MPI_COMM_WORLD);
      come_.resize(places(in_, in_at_));
      MPI_Alltoallv(sent_.data(), out_.data(), out_at_.data(), MPI_UINT64_T, come_.data(), in_.data(), in_at_.data(),
                    MPI_UINT64_T, MPI_COMM_WORLD);
      f(first, n);
    }
  }
  const words& come() const { return come_; }

  /// An answer for each that has come, back to the places of the requests.
  void answer(const words& answers, std::uint64_t* into, std::size_t n) {
    back_.resize(n);
    MPI_Alltoallv(answers.data(), in_.data(), in_at_.data(), MPI_UINT64_T, back_.data(), out_.data(), out_at_.data(),
                  MPI_UINT64_T, MPI_COMM_WORLD);
    next_ = out_at_;
    for (std::size_t i = 0; i < n; ++i) into[i] = back_[std::size_t(next_[std::size_t(owner_[i])]++)];
  }

 private:
  static std::size_t places(const std::vector<int>& counts, std::vector<int>& at) {
    int sum = 0;
    for (std::size_t r = 0; r < counts.size(); ++r) at[r] = sum, sum += counts[r];
    return std::size_t(sum);
  }
  void deal(const std::uint64_t* key, std::size_t n) {
    std::fill(out_.begin(), out_.end(), 0);
    for (std::size_t i = 0; i < n; ++i) ++out_[std::size_t(owner_[i] = owner_of(key[i], ranks_))];
    places(out_, out_at_);
    next_ = out_at_;
    for (std::size_t i = 0; i < n; ++i) sent_[std::size_t(next_[std::size_t(owner_[i])]++)] = key[i];
  }

  int ranks_;
  std::vector<int> out_, out_at_, in_, in_at_, next_;
  words sent_, come_, back_;
  std::vector<int> owner_;
};

template <class F>
double once(const row_context& c, F f) {
  MPI_Barrier(MPI_COMM_WORLD);
  const std::uint64_t start = now_ns();
  f();
  MPI_Barrier(MPI_COMM_WORLD);
  return double(now_ns() - start) / double(c.iterations);
}

std::uint64_t sum_of_all(std::uint64_t mine) {
  MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return mine;
}

template <keys kind>
double update(row_context& c) {
  const words& mine = my_keys(c, kind);
  exchange work(c);
  local_table table;
  const double time = once(c, [&] {
    work.rounds(mine, [&](std::size_t, std::size_t) { count_keys(table, work.come().data(), work.come().size()); });
  });
  std::uint64_t sum = 0;
  for (const auto& [key, n] : table) sum += n;
  verify(sum_of_all(sum) == 2 * std::uint64_t(c.iterations), "update");
  return time;
}

double insert(row_context& c) {
  const words& mine = my_keys(c, keys::distinct);
  exchange work(c);
  local_table table;
  const double time = once(c, [&] {
    work.rounds(mine, [&](std::size_t, std::size_t) { insert_keys(table, work.come().data(), work.come().size()); });
  });
  verify(sum_of_all(table.size()) == 2 * std::uint64_t(c.iterations), "insert");
  return time;
}

template <keys kind>
double find(row_context& c) {
  const words& mine = my_keys(c, kind);
  exchange work(c);
  local_table table;
  words all;
  for (long i = 0; i < c.size; ++i)
    if (const std::uint64_t key = random_bits(std::uint64_t(i)); owner_of(key, c.ranks) == c.rank) all.push_back(key);
  insert_keys(table, all.data(), all.size());
  words found(mine.size()), answers;
  const double time = once(c, [&] {
    work.rounds(mine, [&](std::size_t first, std::size_t n) {
      answers.resize(work.come().size());
      find_keys(table, work.come().data(), work.come().size(), answers.data());
      work.answer(answers, found.data() + first, n);
    });
  });
  verify(found == mine, "find");
  return time;
}

}  // namespace

void add_containers(row_table& rows) {
  rows.insert(rows.end(), {{"mpi_map_update", update<keys::uniform>},
                           {"mpi_map_update_zipf", update<keys::zipf>},
                           {"mpi_map_insert", insert},
                           {"mpi_map_find", find<keys::uniform>},
                           {"mpi_map_find_zipf", find<keys::zipf>}});
}

}  // namespace bench::mpi
