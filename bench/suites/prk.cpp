// SPDX-License-Identifier: Apache-2.0
// The Parallel Research Kernels. `size` is a number of rows or elements.
#include "bench/kernels/prk.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include <armilla/algorithms.hpp>

#include "bench/kernels/updates.hpp"
#include "bench/suites/common.hpp"
#include "bench/suites/suites.hpp"

namespace bench::suites {
namespace {

using square = am::matrix<double>;

/// Nanoseconds of an iteration, after one that is not timed. `all` counts both.
template <class F>
double time_iterations(const row_context& c, F&& iterate) {
  iterate();
  am::barrier();
  const std::uint64_t start = now_ns();
  for (long k = 0; k < c.iterations; ++k) iterate();
  am::barrier();
  return double(now_ns() - start) / double(c.iterations);
}
long all_iterations(const row_context& c) { return c.iterations + 1; }

double nstream(row_context& c) {
  am::array<double> a(std::size_t(c.size)), b = a.like(), d = a.like();
  am::fill(b, 2.0);
  am::fill(d, 2.0);
  const auto mine = a.local();
  const double time = time_iterations(c, [&] { prk::add_scaled(mine.data(), b.local().data(), d.local().data(), mine.size()); });
  verify(prk::right_sums(mine.data(), mine.size(), all_iterations(c)), "nstream");
  return time;
}

double stencil(row_context& c) {
  const auto n = std::size_t(c.size);
  square in({n, n}, am::grid({c.ranks, 1}), am::halo(std::size_t(prk::radius))), out({n, n}, am::grid({c.ranks, 1}));
  const auto mine = in.local(), result = out.local();
  const auto rows = std::ptrdiff_t(mine.extent(0)), first = std::ptrdiff_t(mine.origin(0));
  for (std::ptrdiff_t i = 0; i < rows; ++i) std::iota(mine.row(i).begin(), mine.row(i).end(), double(first + i));
  const std::ptrdiff_t width = mine.cells().stride(0);
  const auto add_stars = [&](std::ptrdiff_t from, std::ptrdiff_t to) {
    from = std::max(from, prk::radius - first);
    to = std::min(to, std::ptrdiff_t(n) - prk::radius - first);
    for (std::ptrdiff_t i = from; i < to; ++i) prk::add_star(&mine(i, 0), width, &result(i, 0), std::ptrdiff_t(n));
  };
  const double time = time_iterations(c, [&] {
    auto halo = in.begin_exchange();
    add_stars(prk::radius, rows - prk::radius);
    halo.wait();
    add_stars(0, prk::radius);
    add_stars(rows - prk::radius, rows);
    for (std::ptrdiff_t i = 0; i < rows; ++i) prk::add_one(&mine(i, 0), n);
  });
  for (std::ptrdiff_t i = std::max<std::ptrdiff_t>(0, prk::radius - first);
       i < std::min(rows, std::ptrdiff_t(n) - prk::radius - first); ++i)
    verify(prk::right_stars(&result(i, 0), std::ptrdiff_t(n), all_iterations(c)), "stencil of radius 2");
  am::barrier();
  return time;
}

/// Each rank reads what belongs to its rows, tile by tile, from where it is. The number of rows is a multiple of the ranks.
double transpose(row_context& c) {
  const auto n = std::size_t(c.size);
  constexpr std::size_t tile = prk::tile;
  square a({n, n}, am::grid({c.ranks, 1})), b = a.like();
  am::for_each_index(a, [](std::size_t i, double& e) { e = double(i); });
  const auto mine = a.local(), result = b.local();
  const std::size_t rows = result.extent(0), first = result.origin(0);
  const double time = time_iterations(c, [&] {
    double piece[tile][tile];
    for (std::size_t block = 0; block < n; block += rows)  // of one rank
      for (std::size_t i = block; i < block + rows; i += tile)
        for (std::size_t j = 0; j < rows; j += tile) {
          const am::strided<2> part{.extent = {std::min(tile, block + rows - i), std::min(tile, rows - j)},
                                    .local = {std::ptrdiff_t(tile), 1},
                                    .global = {std::ptrdiff_t(n), 1}};
          am::get_strided(&piece[0][0], a.ptr({i, first + j}), part);
          am::sync_memory();
          prk::add_turned(&piece[0][0], tile, &result(j, i), n, part.extent[0], part.extent[1]);
        }
    am::barrier();
    prk::add_one(&mine(0, 0), rows * n);
    am::barrier();
  });
  for (std::size_t j = 0; j < rows; ++j)
    for (std::size_t i = 0; i < n; ++i)
      verify(prk::near(result(j, i), prk::turned(n, first + j, i, all_iterations(c))), "transpose that adds");
  return time;
}

/// The end of a row, with the number of the iteration. That is stored last, and is the flag.
struct end_of_row {
  double value = 0;
  long iteration = 0;
};

/// A rank stores the end of each of its rows in the memory of the next rank.
double synch_p2p(row_context& c) {
  const auto rows = std::size_t(c.size), columns = std::size_t(c.size / c.ranks);
  const int me = am::rank(), last = am::ranks() - 1;
  const std::size_t width = columns + (me == 0 ? 0 : 1), first = me == 0 ? 0 : std::size_t(me) * columns - 1;
  const am::global_ptr<end_of_row> left = am::allocate<end_of_row>(rows);  // the column before this rank's own
  const auto all_left = am::world().all_gather(left);
  long iteration = 0;
  const auto send = [&](int to, std::size_t i, double value) {
    const am::global_ptr<end_of_row> p = all_left[std::size_t(to)] + std::ptrdiff_t(i);
    p->*& end_of_row::value = value;
    p->*& end_of_row::iteration = iteration;
  };
  const auto receive = [&](std::size_t i) {
    const am::global_ptr<end_of_row> p = left + std::ptrdiff_t(i);
    while (p->*&end_of_row::iteration != iteration) am::poll(), c.relax();
    return left.local()[i].value;
  };
  std::vector<double> grid(rows * width, 0.0);
  const auto row = [&](std::size_t i) { return grid.data() + i * width; };
  std::iota(row(0), row(1), double(first));
  for (std::size_t i = 0; i < rows && me == 0; ++i) row(i)[0] = double(i);
  am::barrier();
  const double time = time_iterations(c, [&] {
    ++iteration;
    for (std::size_t i = 1; i < rows; ++i) {
      if (me > 0) row(i)[0] = receive(i);
      prk::advance_row(row(i - 1), row(i), width);
      if (me < last) send(me + 1, i, row(i)[width - 1]);
    }
    if (me == last) send(0, 0, -row(rows - 1)[width - 1]);
    if (me == 0) row(0)[0] = receive(0);
  });
  if (me == last)
    verify(prk::near(row(rows - 1)[width - 1], prk::corner(rows, columns * std::size_t(c.ranks), all_iterations(c))),
           "corner of a wave");
  am::barrier();
  am::deallocate(left);
  return time;
}

am::per_rank<std::vector<std::uint64_t>> table;

/// `size` words and `iterations` updates a rank.
double random(row_context& c) {
  const auto words = std::uint64_t(c.size), first = words * std::uint64_t(c.rank);
  table->resize(words);
  std::iota(table->begin(), table->end(), first);
  const auto update_all = [&] {
    random_numbers next{std::uint64_t(c.rank) + 1};
    for (long k = 0; k < c.iterations; ++k) {
      const std::uint64_t random = next();
      am::async(prk::rank_of(random, c.ranks), [](std::uint64_t r) { (*table)[prk::word_of(r, table->size())] ^= r; }, random);
    }
    am::fence();
  };
  am::barrier();
  const std::uint64_t start = now_ns();
  update_all();
  const double time = double(now_ns() - start) / double(c.iterations);
  verify(!std::is_sorted(table->begin(), table->end()), "a table of random updates has not changed");
  update_all();
  for (std::uint64_t i = 0; i < words; ++i) verify((*table)[i] == first + i, "random updates that were made twice");
  am::barrier();
  return time;
}

/// `size` is the number of bits of a coordinate.
double sparse(row_context& c) {
  const std::size_t n = std::size_t{1} << (2 * c.size), ranks = std::size_t(c.ranks), rank = std::size_t(c.rank);
  std::vector<am::matrix_entry<double>> mine;
  prk::each_entry(int(c.size), n * rank / ranks, n * (rank + 1) / ranks,
                  [&](std::size_t row, std::size_t column, double value) { mine.push_back({row, column, value}); });
  const am::sparse_matrix<double> a(n, n, mine);
  am::array<double> x(n, a.column_distribution()), y(n, a.row_distribution()), product = y.like();
  const double time = time_iterations(c, [&] {
    am::for_each_index(am::nowait, x, [](std::size_t i, double& e) { e += double(i + 1); });
    am::spmv(a, x, product);
    am::axpy(am::nowait, 1, product, y);
  });
  const double right = prk::right_product(all_iterations(c));
  for (const double e : y.local()) verify(prk::near(e, right), "a product with a sparse matrix");
  am::barrier();
  return time;
}

}  // namespace

void add_prk(row_table& rows) {
  rows.insert(rows.end(), {{"prk_nstream", nstream},
                           {"prk_stencil", stencil},
                           {"prk_transpose", transpose},
                           {"prk_synch_p2p", synch_p2p},
                           {"prk_random", random},
                           {"prk_sparse", sparse}});
}

}  // namespace bench::suites
