// SPDX-License-Identifier: Apache-2.0
// Puts that signal a counter, parts of arrays, and elements of spread arrays, each beside the same by messages or by hand.
#include <cstring>
#include <span>
#include <vector>

#include "bench/suites/common.hpp"
#include "bench/suites/suites.hpp"

namespace bench::suites {
namespace {

// ---- a stream of blocks from rank 0 to rank 1, and one block to and fro ----

constexpr long slots = 64, credit = 16;  // blocks that rank 0 may be ahead; one signal back for so many

/// Slots on both ranks and, on each, a counter that the other one signals.
struct line {
  explicit line(const row_context& c)
      : doubles(std::size_t(c.size) / sizeof(double)), blocks(doubles * std::size_t(slots)), peer(c.rank == 0 ? far(c) : 0) {}

  am::global_ptr<double> slot(long i) const { return blocks.of(peer) + i % slots * std::ptrdiff_t(doubles); }
  const double* mine(long i) const { return blocks.mine.local() + i % slots * std::ptrdiff_t(doubles); }
  am::global_ptr<am::counter> signal() const { return arrived.on(peer); }
  void wait(std::uint64_t n = 1) const { arrived.from(peer).wait(n); }
  bool plays() const { return am::rank() < 2; }

  std::size_t doubles;
  everywhere<double> blocks;
  am::source_counters arrived;
  am::rank_t peer;
};

double put_stream(row_context& c) {
  const line l(c);
  std::vector<double> block(l.doubles);
  const auto round = [&](long n) {
    double sum = 0;
    for (long i = 0; l.plays() && i < n; ++i) {
      if (c.rank == 0) {
        if (i >= slots && i % credit == 0) l.wait();
        block.front() = block.back() = double(i);
        am::put(l.slot(i), block, l.signal());
      } else {
        l.wait();
        sum += l.mine(i)[0] + l.mine(i)[l.doubles - 1];
        if (i % credit == credit - 1) l.signal().signal();
      }
    }
    if (c.rank == 0) l.wait(slots / credit);  // the last slots are read as well
    if (c.rank == 1) verify(sum == double(n) * double(n - 1), "blocks of the stream");
  };
  const double result = time_per(c.iterations / slots * slots, [&](long n) { round((n + slots - 1) / slots * slots); });
  am::barrier();
  return result;
}

double put_ping(row_context& c) {
  const line l(c);
  std::vector<double> block(l.doubles);
  long turn = 0;
  const double result = time_per(c.iterations, [&](long n) {
    for (long i = 0; l.plays() && i < n; ++i, ++turn) {
      if (c.rank == 1) l.wait();
      block.front() = block.back() = double(turn);
      am::put(l.slot(turn), block, l.signal());
      if (c.rank == 0) l.wait();
      verify(l.mine(turn)[0] == double(turn) && l.mine(turn)[l.doubles - 1] == double(turn), "block that came back");
    }
  });
  am::barrier();
  return result;
}

/// The same by one-way calls with the block as their argument.
struct by_one_way_call {
  static inline thread_local long taken = 0, acknowledged = 0;
  static inline thread_local double sum = 0;
  static void take(const am::view<double>& block) {
    sum += block[0] + block[block.size() - 1];
    ++taken;
  }
  static void acknowledge() { ++acknowledged; }
};

double one_way_call_stream(row_context& c) {
  std::vector<double> block(std::size_t(c.size) / sizeof(double));
  by_one_way_call::acknowledged = 0;
  am::barrier();
  long rounds = 0;
  const auto round = [&](long n) {
    by_one_way_call::taken = 0;
    by_one_way_call::sum = 0;
    c.sync();
    if (c.rank == 0) {
      for (long i = 0; i < n; ++i) {
        block.front() = block.back() = double(i);
        am::async<by_one_way_call::take>(far(c), am::view<double>(block));
        am::flush();
      }
      for (++rounds; by_one_way_call::acknowledged < rounds;) am::poll();
    } else if (c.rank == 1) {
      while (by_one_way_call::taken < n) am::poll();
      verify(by_one_way_call::sum == double(n) * double(n - 1), "one-way calls of the stream");
      am::async<by_one_way_call::acknowledge>(0);
      am::flush();
    }
  };
  const double result = time_per(c.iterations / slots * slots, [&](long n) { round((n + slots - 1) / slots * slots); });
  am::fence();
  return result;
}

double one_way_call_ping(row_context& c) {
  std::vector<double> block(std::size_t(c.size) / sizeof(double));
  by_one_way_call::taken = 0;
  am::barrier();
  long turn = 0;
  const double result = time_per(c.iterations, [&](long n) {
    for (long i = 0; c.rank < 2 && i < n; ++i) {
      const auto take = [&] {
        for (++turn; by_one_way_call::taken < turn;) am::poll();
      };
      if (c.rank == 1) take();
      block.front() = block.back() = double(turn);
      am::async<by_one_way_call::take>(c.rank == 0 ? far(c) : 0, am::view<double>(block));
      am::flush();
      if (c.rank == 0) take();
    }
  });
  am::fence();
  return result;
}

// ---- parts of arrays ----

double transposed(row_context& c, void (*move)(double* into, am::global_ptr<double> from, std::size_t n)) {
  const auto n = std::size_t(c.size);
  const everywhere<double> all(n * n);
  std::vector<double> into(n * n);
  const double result = driven_each(c, [&](long) {
    move(into.data(), all.of(far(c)), n);
    keep(into.data());
  });
  if (c.rank == 0)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) verify(into[j * n + i] == double(i * n + j), "transposed");
  return result / double(n * n);
}

double get_transposed(row_context& c) {
  return transposed(c, [](double* into, am::global_ptr<double> from, std::size_t n) {
    const auto line = std::ptrdiff_t(n);
    am::get_strided(into, from, am::strided<2>{.extent = {n, n}, .local = {1, line}, .global = {line, 1}});
    am::sync_memory();
  });
}

/// By tiles, so that both sides use the lines that they have fetched.
double pack_transposed(row_context& c) {
  return transposed(c, [](double* __restrict into, am::global_ptr<double> array, std::size_t n) {
    const double* __restrict from = array.local();
    constexpr std::size_t tile = 16;
    for (std::size_t i0 = 0; i0 < n; i0 += tile)
      for (std::size_t j0 = 0; j0 < n; j0 += tile)
        for (std::size_t i = i0; i < std::min(i0 + tile, n); ++i)
          for (std::size_t j = j0; j < std::min(j0 + tile, n); ++j) into[j * n + i] = from[i * n + j];
  });
}

double column(row_context& c, void (*move)(double* into, am::global_ptr<double> from, std::size_t n)) {
  const auto n = std::size_t(c.size);
  const everywhere<double> all(n * n);
  std::vector<double> into(n);
  const double result = driven_each(c, [&](long i) {
    move(into.data(), all.of(far(c)) + i % long(n), n);
    keep(into.data());
  });
  if (c.rank == 0)
    for (std::size_t k = 1; k < n; ++k) verify(into[k] - into[k - 1] == double(n), "column");
  return result / double(n);
}

double get_column(row_context& c) {
  return column(c, [](double* into, am::global_ptr<double> from, std::size_t n) {
    am::get_strided(into, from, am::strided<1>{.extent = {n}, .local = {1}, .global = {std::ptrdiff_t(n)}});
    am::sync_memory();
  });
}

double pack_column(row_context& c) {
  return column(c, [](double* __restrict into, am::global_ptr<double> array, std::size_t n) {
    const double* __restrict from = array.local();
    for (std::size_t i = 0; i < n; ++i) into[i] = from[i * n];
  });
}

// ---- a spread array in blocks ----

/// Sums all elements by index on rank 0; ns an element. `block` elements on a rank, then on the next.
template <class Read>
double spread_sum(row_context& c, Read (*prepare)(const am::spread_array<double>&)) {
  const am::spread_array<double> x(std::size_t(c.size) * 200 + 1, std::size_t(c.size));
  for (std::size_t k = 0; k < x.local().size(); ++k) x.local()[k] = double(x.index_of_local(k));
  am::barrier();
  const Read read = prepare(x);
  const double n = double(x.size()), expected = n * (n - 1) / 2;
  return driven_each(c,
                     [&](long) {
                       double sum = 0;
                       for (std::size_t i = 0; i < x.size(); ++i) sum += read(i);
                       verify(sum == expected, "sum over a spread array");
                     }) /
         n;
}

struct by_index {
  const am::spread_array<double>* x;
  double operator()(std::size_t i) const { return (*x)[i]; }
};
double spread_blocks(row_context& c) {
  return spread_sum<by_index>(c, [](const am::spread_array<double>& x) { return by_index{&x}; });
}

/// By hand: the rank's part by a table, found by dividing.
struct by_division {
  std::vector<const double*> parts;
  std::size_t block;
  double operator()(std::size_t i) const {
    const std::size_t b = i / block;
    return parts[b % parts.size()][b / parts.size() * block + i % block];
  }
};
double divided_blocks(row_context& c) {
  return spread_sum<by_division>(c, [](const am::spread_array<double>& x) {
    by_division d{{}, x.block()};
    for (am::rank_t r = 0; r < am::ranks(); ++r) d.parts.push_back(x.ptr(std::size_t(r) * x.block()).local());
    return d;
  });
}

}  // namespace

void add_transfers(row_table& rows) {
  rows.insert(rows.end(), {{"put_stream", put_stream},
                           {"put_ping", put_ping},
                           {"one_way_call_stream", one_way_call_stream},
                           {"one_way_call_ping", one_way_call_ping},
                           {"get_transposed", get_transposed},
                           {"pack_transposed", pack_transposed},
                           {"get_column", get_column},
                           {"pack_column", pack_column},
                           {"spread_blocks", spread_blocks},
                           {"divided_blocks", divided_blocks}});
}

}  // namespace bench::suites
