// SPDX-License-Identifier: Apache-2.0
// The Parallel Research Kernels by MPI.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <vector>

#include "bench/baseline/mpi.hpp"
#include "bench/kernels/prk.hpp"
#include "bench/kernels/updates.hpp"

namespace bench::mpi {
namespace {

using numbers = std::vector<double>;

template <class F>
double time_iterations(const row_context& c, F&& iterate) {
  iterate();
  MPI_Barrier(MPI_COMM_WORLD);
  const std::uint64_t start = now_ns();
  for (long k = 0; k < c.iterations; ++k) iterate();
  MPI_Barrier(MPI_COMM_WORLD);
  return double(now_ns() - start) / double(c.iterations);
}
long all_iterations(const row_context& c) { return c.iterations + 1; }

double nstream(row_context& c) {
  const auto n = std::size_t(c.size / c.ranks);
  numbers a(n), b(n, 2.0), d(n, 2.0);
  const double time = time_iterations(c, [&] { prk::add_scaled(a.data(), b.data(), d.data(), n); });
  verify(prk::right_sums(a.data(), n, all_iterations(c)), "nstream");
  return time;
}

/// The rows along the border travel while those that need none of another rank are done.
double stencil(row_context& c) {
  constexpr std::ptrdiff_t r = prk::radius;
  const auto n = std::ptrdiff_t(c.size), rows = n / c.ranks, first = rows * c.rank;
  numbers in(std::size_t((rows + 2 * r) * n)), out(std::size_t(rows * n));
  const auto row = [&](std::ptrdiff_t i) { return in.data() + (i + r) * n; };
  for (std::ptrdiff_t i = 0; i < rows; ++i) std::iota(row(i), row(i + 1), double(first + i));
  const int above = c.rank == 0 ? MPI_PROC_NULL : c.rank - 1, below = c.rank + 1 == c.ranks ? MPI_PROC_NULL : c.rank + 1;
  const int length = int(r * n);
  const auto add_stars = [&](std::ptrdiff_t from, std::ptrdiff_t to) {
    from = std::max(from, r - first);
    to = std::min(to, n - r - first);
    for (std::ptrdiff_t i = from; i < to; ++i) prk::add_star(row(i), n, out.data() + i * n, n);
  };
  const double time = time_iterations(c, [&] {
    std::array<MPI_Request, 4> under_way;
    MPI_Irecv(row(-r), length, MPI_DOUBLE, above, 0, MPI_COMM_WORLD, &under_way[0]);
    MPI_Irecv(row(rows), length, MPI_DOUBLE, below, 1, MPI_COMM_WORLD, &under_way[1]);
    MPI_Isend(row(0), length, MPI_DOUBLE, above, 1, MPI_COMM_WORLD, &under_way[2]);
    MPI_Isend(row(rows - r), length, MPI_DOUBLE, below, 0, MPI_COMM_WORLD, &under_way[3]);
    add_stars(r, rows - r);
    MPI_Waitall(4, under_way.data(), MPI_STATUSES_IGNORE);
    add_stars(0, r);
    add_stars(rows - r, rows);
    prk::add_one(row(0), std::size_t(rows * n));
  });
  for (std::ptrdiff_t i = std::max<std::ptrdiff_t>(0, r - first); i < std::min(rows, n - r - first); ++i)
    verify(prk::right_stars(out.data() + i * n, n, all_iterations(c)), "stencil of radius 2");
  return time;
}

/// What goes to a rank is packed as rows of a block; those that it receives are turned when they are added.
double transpose(row_context& c) {
  const std::size_t n = std::size_t(c.size), rows = n / std::size_t(c.ranks), block = rows * rows,
                    first = rows * std::size_t(c.rank);
  constexpr std::size_t tile = prk::tile;
  numbers a(rows * n), b(rows * n), out(rows * n), in(rows * n);
  std::iota(a.begin(), a.end(), double(first * n));
  const auto add_block = [&](std::size_t r, const double* from, std::size_t width) {
    for (std::size_t i = 0; i < rows; i += tile)
      for (std::size_t j = 0; j < rows; j += tile)
        prk::add_turned(from + i * width + j, width, b.data() + j * n + r * rows + i, n, std::min(tile, rows - i),
                        std::min(tile, rows - j));
  };
  std::vector<MPI_Request> under_way(2 * std::size_t(c.ranks), MPI_REQUEST_NULL);
  const double time = time_iterations(c, [&] {
    for (std::size_t r = 0; r < std::size_t(c.ranks); ++r)
      if (int(r) != c.rank)
        MPI_Irecv(in.data() + r * block, int(block), MPI_DOUBLE, int(r), 0, MPI_COMM_WORLD, &under_way[2 * r]);
    for (std::size_t r = 0; r < std::size_t(c.ranks); ++r) {
      if (int(r) == c.rank) continue;
      for (std::size_t i = 0; i < rows; ++i) std::copy_n(a.data() + i * n + r * rows, rows, out.data() + r * block + i * rows);
      MPI_Isend(out.data() + r * block, int(block), MPI_DOUBLE, int(r), 0, MPI_COMM_WORLD, &under_way[2 * r + 1]);
    }
    add_block(std::size_t(c.rank), a.data() + first, n);
    MPI_Waitall(int(under_way.size()), under_way.data(), MPI_STATUSES_IGNORE);
    for (std::size_t r = 0; r < std::size_t(c.ranks); ++r)
      if (int(r) != c.rank) add_block(r, in.data() + r * block, rows);
    prk::add_one(a.data(), a.size());
  });
  for (std::size_t j = 0; j < rows; ++j)
    for (std::size_t i = 0; i < n; ++i)
      verify(prk::near(b[j * n + i], prk::turned(n, first + j, i, all_iterations(c))), "transpose that adds");
  return time;
}

double synch_p2p(row_context& c) {
  const auto rows = std::size_t(c.size), columns = std::size_t(c.size / c.ranks);
  const int me = c.rank, last = c.ranks - 1;
  const std::size_t width = columns + (me == 0 ? 0 : 1), first = me == 0 ? 0 : std::size_t(me) * columns - 1;
  numbers grid(rows * width, 0.0);
  const auto row = [&](std::size_t i) { return grid.data() + i * width; };
  std::iota(row(0), row(1), double(first));
  for (std::size_t i = 0; i < rows && me == 0; ++i) row(i)[0] = double(i);
  const double time = time_iterations(c, [&] {
    for (std::size_t i = 1; i < rows; ++i) {
      if (me > 0) MPI_Recv(row(i), 1, MPI_DOUBLE, me - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      prk::advance_row(row(i - 1), row(i), width);
      if (me < last) MPI_Send(row(i) + width - 1, 1, MPI_DOUBLE, me + 1, 0, MPI_COMM_WORLD);
    }
    if (me == last) {
      const double back = -row(rows - 1)[width - 1];
      MPI_Send(&back, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
    }
    if (me == 0) MPI_Recv(row(0), 1, MPI_DOUBLE, last, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  });
  if (me == last)
    verify(prk::near(row(rows - 1)[width - 1], prk::corner(rows, columns * std::size_t(c.ranks), all_iterations(c))),
           "corner of a wave");
  return time;
}

/// Updates of others are collected into blocks of 1024; a block is exchanged when the next one is full.
class updates_by_blocks {
 public:
  updates_by_blocks(const row_context& c, std::vector<std::uint64_t>& table)
      : c_(c),
        table_(table),
        out_(std::size_t(c.ranks)),
        in_(std::size_t(c.ranks)),
        receives_(std::size_t(c.ranks), MPI_REQUEST_NULL) {
    for (std::vector<std::uint64_t>& i : in_) i.resize(most);
  }

  void run() {
    const std::uint64_t words = table_.size();
    random_numbers next{std::uint64_t(c_.rank) + 1};
    open_ = c_.ranks - 1;
    for (int r = 0; r < c_.ranks; ++r)
      if (r != c_.rank) receive(r);
    for (long k = 0; k < c_.iterations; ++k) {
      const std::uint64_t random = next();
      const int to = prk::rank_of(random, c_.ranks);
      if (to == c_.rank) {
        table_[prk::word_of(random, words)] ^= random;
        continue;
      }
      side& o = out_[std::size_t(to)];
      o.block[o.at][o.filled++] = random;
      if (o.filled == most) send(to, 0);
    }
    for (int r = 0; r < c_.ranks; ++r)
      if (r != c_.rank) send(r, 1);
    while (open_ > 0) poll();
    for (side& o : out_) MPI_Waitall(2, o.under_way, MPI_STATUSES_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
  }

 private:
  static constexpr std::size_t most = 1024;
  struct side {
    std::uint64_t block[2][most];
    MPI_Request under_way[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int at = 0;
    std::size_t filled = 0;
  };

  void receive(int r) {
    MPI_Irecv(in_[std::size_t(r)].data(), int(most), MPI_UINT64_T, r, MPI_ANY_TAG, MPI_COMM_WORLD, &receives_[std::size_t(r)]);
  }
  void send(int r, int is_last) {
    side& o = out_[std::size_t(r)];
    MPI_Isend(o.block[o.at], int(o.filled), MPI_UINT64_T, r, is_last, MPI_COMM_WORLD, &o.under_way[o.at]);
    o.at = 1 - o.at;
    o.filled = 0;
    for (int done = 0; done == 0; MPI_Test(&o.under_way[o.at], &done, MPI_STATUS_IGNORE)) poll();
  }
  void poll() {
    int which = MPI_UNDEFINED, done = 0, count = 0;
    MPI_Status status;
    MPI_Testany(int(receives_.size()), receives_.data(), &which, &done, &status);
    if (done == 0 || which == MPI_UNDEFINED) return;
    MPI_Get_count(&status, MPI_UINT64_T, &count);
    const std::uint64_t words = table_.size();
    for (int k = 0; k < count; ++k) {
      const std::uint64_t random = in_[std::size_t(which)][std::size_t(k)];
      table_[prk::word_of(random, words)] ^= random;
    }
    if (status.MPI_TAG == 1)
      --open_;
    else
      receive(which);
  }

  const row_context& c_;
  std::vector<std::uint64_t>& table_;
  std::vector<side> out_;
  std::vector<std::vector<std::uint64_t>> in_;
  std::vector<MPI_Request> receives_;
  int open_ = 0;
};

double random(row_context& c) {
  const auto words = std::uint64_t(c.size), first = words * std::uint64_t(c.rank);
  std::vector<std::uint64_t> table(words);
  std::iota(table.begin(), table.end(), first);
  updates_by_blocks updates(c, table);
  MPI_Barrier(MPI_COMM_WORLD);
  const std::uint64_t start = now_ns();
  updates.run();
  const double time = double(now_ns() - start) / double(c.iterations);
  verify(!std::is_sorted(table.begin(), table.end()), "a table of random updates has not changed");
  updates.run();
  for (std::uint64_t i = 0; i < words; ++i) verify(table[i] == first + i, "random updates that were made twice");
  return time;
}

/// All of x goes to all ranks: the rows of each rank need nearly all of it.
double sparse(row_context& c) {
  const std::size_t n = std::size_t{1} << (2 * c.size), mine = n / std::size_t(c.ranks), first = mine * std::size_t(c.rank);
  std::vector<std::size_t> begin{0};
  std::vector<std::uint32_t> column;
  numbers value, x(n, 0.0), y(mine, 0.0);
  prk::each_entry(int(c.size), first, first + mine, [&](std::size_t row, std::size_t j, double v) {
    begin.resize(row - first + 2);
    column.push_back(std::uint32_t(j));
    value.push_back(v);
    begin.back() = value.size();
  });
  const double time = time_iterations(c, [&] {
    for (std::size_t i = first; i < first + mine; ++i) x[i] += double(i + 1);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, x.data(), int(mine), MPI_DOUBLE, MPI_COMM_WORLD);
    for (std::size_t i = 0; i < mine; ++i) {
      double sum = 0;
      for (std::size_t k = begin[i]; k < begin[i + 1]; ++k) sum += value[k] * x[column[k]];
      y[i] += sum;
    }
  });
  const double right = prk::right_product(all_iterations(c));
  for (const double e : y) verify(prk::near(e, right), "a product with a sparse matrix");
  return time;
}

}  // namespace

void add_prk(row_table& rows) {
  rows.insert(rows.end(), {{"mpi_prk_nstream", nstream},
                           {"mpi_prk_stencil", stencil},
                           {"mpi_prk_transpose", transpose},
                           {"mpi_prk_synch_p2p", synch_p2p},
                           {"mpi_prk_random", random},
                           {"mpi_prk_sparse", sparse}});
}

}  // namespace bench::mpi
