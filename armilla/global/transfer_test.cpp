// SPDX-License-Identifier: Apache-2.0
// Split-phase and one-way access, atomics and counters; run as access_test is.
#include <algorithm>
#include <array>
#include <ranges>
#include <vector>

#include <armilla/base/core/options.hpp>
#include <armilla/error.hpp>
#include <armilla/fabric/host_map.hpp>

#include "armilla/global/both_memories_test.hpp"

namespace am = armilla;
using rank_test::in_both_memories;
using rank_test::next;
using rank_test::offer;

namespace {

am::per_rank<am::global_ptr<std::int64_t>> numbers;
am::per_rank<am::counter> arrived;
am::per_rank<std::int64_t> tally;
am::per_rank<double> sum;
am::per_rank<am::global_ptr<am::counter>> counters;

}  // namespace

RANK_TEST(get_and_put_are_complete_at_sync) {
  in_both_memories(10, [](am::global_ptr<double> p, double* mine) {
    double a = 0, b = 0;
    am::get(a, p);
    am::get(b, p + 9);
    am::sync_memory();
    EXPECT_EQ(a, next() * 1000.0);
    EXPECT_EQ(b, next() * 1000.0 + 9);
    am::barrier();
    am::put(p + 1, 0.5);
    am::put(p + 2, 3);
    am::sync_memory();
    am::barrier();
    EXPECT_EQ(mine[1], 0.5);
    EXPECT_EQ(mine[2], 3.0);
  });
}

RANK_TEST(ranges_of_every_kind_travel) {
  in_both_memories(100, [](am::global_ptr<double> p, double* mine) {
    std::vector<double> v(50);
    std::array<double, 10> a{};
    double plain[10];
    const am::global_ptr<const double> from = p;
    am::get(v, from + 50);
    am::get(a, p);
    am::get(plain, p + 10);
    std::vector<double> w(5);
    am::get(std::span(w), p + 20);
    am::sync_memory();
    EXPECT_EQ(v[49], next() * 1000.0 + 99);
    EXPECT_EQ(a[9], next() * 1000.0 + 9);
    EXPECT_EQ(plain[9], next() * 1000.0 + 19);
    EXPECT_EQ(w[4], next() * 1000.0 + 24);
    am::barrier();
    const double fixed[3] = {1, 2, 3};
    am::put(p, fixed);
    am::put(p + 3, std::vector<double>{4, 5});
    am::put(p + 5, std::span<const double>(fixed));
    am::sync_memory();
    am::barrier();
    const std::vector<double> wanted{1, 2, 3, 4, 5, 1, 2, 3};
    EXPECT(std::equal(wanted.begin(), wanted.end(), mine));
  });
}

RANK_TEST(long_ranges_arrive_whole) {
  constexpr std::size_t n = 100'000;
  in_both_memories(n, [](am::global_ptr<double> p, double* mine) {
    std::vector<double> copy(n);
    am::get(copy, p);
    am::sync_memory();
    bool same = true;
    for (std::size_t i = 0; i < n; ++i) same &= copy[i] == next() * 1000.0 + double(i);
    EXPECT(same);
    am::barrier();
    for (double& x : copy) x = -x - 1;
    am::put(p, copy);
    am::sync_memory();
    am::barrier();
    same = true;
    for (std::size_t i = 0; i < n; ++i) same &= mine[i] == -(am::rank() * 1000.0 + double(i)) - 1;
    EXPECT(same);
  });
}

RANK_TEST(stores_are_complete_at_all_store_sync) {
  in_both_memories(64, [](am::global_ptr<double> p, double* mine) {
    am::store(p, 42.0);
    am::store(p + 1, std::array<double, 2>{1.5, 2.5});
    am::all_store_sync();
    EXPECT_EQ(mine[0], 42.0);
    EXPECT_EQ(mine[2], 2.5);
    am::barrier();
    am::store(p + 3, 43.0);
    am::fence();
    EXPECT_EQ(mine[3], 43.0);
  });
}

RANK_TEST(a_signal_comes_after_its_data) {
  in_both_memories(8, [](am::global_ptr<double> p, double* mine) {
    const auto signal = arrived.on(next());
    for (int i = 1; i <= 20; ++i) {
      am::put(p, i * 1.0, signal);
      am::store(p + 1, std::array<double, 2>{i * 2.0, i * 3.0}, signal, 2);
      arrived.local().wait(3);
      EXPECT_EQ(mine[0], i * 1.0);
      EXPECT_EQ(mine[2], i * 3.0);
      am::barrier();
    }
    EXPECT_EQ(arrived.local().value(), 0u);
    EXPECT(!arrived.local().try_wait());
    am::sync_memory();
  });
}

RANK_TEST(a_signal_comes_after_long_data) {
  constexpr std::size_t n = 20'000;
  in_both_memories(n, [](am::global_ptr<double> p, double* mine) {
    for (int i = 1; i <= 5; ++i) {
      am::store(p, std::vector<double>(n, i * 1.0), arrived.on(next()), 1);
      arrived.local().wait(1);
      EXPECT(std::count(mine, mine + n, i * 1.0) == std::ptrdiff_t(n));
      am::barrier();
    }
    am::sync_memory();
  });
}

RANK_TEST(a_negative_number_of_signals_is_refused_before_anything_is_written) {
  tally.local() = 5;
  const std::uint64_t before = arrived.local().value();
  am::barrier();
  const std::uint64_t minus_one = std::uint64_t(-1);
  const auto to = tally.on(next());
  const std::vector<std::int64_t> some = {7};
  const std::array<std::size_t, 1> indices = {0};
  EXPECT_THROWS_SAYING(am::usage_error, "signal: 18446744073709551615 signals (is the number negative?)",
                       arrived.on(next()).signal(minus_one));
  EXPECT_THROWS_SAYING(am::usage_error, "put: 18446744073709551615 signals", am::put(to, 7, arrived.on(next()), minus_one));
  EXPECT_THROWS_SAYING(am::usage_error, "store: 18446744073709551615 signals", am::store(to, 7, arrived.on(next()), minus_one));
  EXPECT_THROWS_SAYING(am::usage_error, "store: 18446744073709551615 signals",
                       am::store(to, some, arrived.on(next()), minus_one));
  EXPECT_THROWS_SAYING(am::usage_error, "put_indexed: 18446744073709551615 signals",
                       am::put_indexed(to, some, indices, arrived.on(next()), minus_one));
  EXPECT_THROWS_SAYING(am::usage_error, "store_indexed: 18446744073709551615 signals",
                       am::store_indexed(to, some, indices, arrived.on(next()), minus_one));
  am::barrier();
  EXPECT_EQ(arrived.local().value(), before);
  EXPECT_EQ(tally.local(), 5);
  am::barrier();
}

// Each source but the last signals three times before the last one does once.
RANK_TEST(a_counter_for_each_source_knows_who_has_signalled) {
  const am::source_counters from;
  const am::rank_t last = am::ranks() - 1;
  if (am::rank() != last)
    for (int turn = 0; turn < 3; ++turn) from.on(0).signal();
  am::sync_memory();
  am::barrier();
  if (am::rank() == 0) {
    for (am::rank_t r = 0; r < last; ++r) EXPECT_EQ(from.from(r).value(), 3u);
    EXPECT_EQ(from.from(last).value(), 0u);
    EXPECT(!from.from(last).try_wait());
  }
  am::barrier();
  if (am::rank() == last) from.on(0).signal();
  if (am::rank() == 0) {
    from.wait_all();
    for (am::rank_t r = 0; r < last; ++r) EXPECT_EQ(from.from(r).value(), 2u);
    EXPECT_EQ(from.from(last).value(), 0u);
  }
  EXPECT_THROWS_SAYING(am::usage_error, "source_counters::on", from.on(am::ranks()));
  EXPECT_THROWS_SAYING(am::usage_error, "source_counters::from", from.from(-1));
  am::sync_memory();
}

RANK_TEST(signals_of_many_ranks_are_all_counted) {
  am::barrier();
  for (int i = 0; i < 500; ++i) arrived.on(0).signal(2);
  if (am::rank() == 0) arrived.local().wait(1000 * std::uint64_t(am::ranks()));
  am::sync_memory();
  am::barrier();
  EXPECT_EQ(arrived.local().value(), 0u);
  am::barrier();
}

// Under ARMILLA_PROGRESS_MODE=thread two threads of the last rank signal at once: its own code until all bodies have run.
RANK_TEST(a_rank_and_its_safe_bodies_signal_one_counter) {
  const am::detail::options& settings = *am::detail::current->settings;
  if (settings.access_by_message || am::detail::current->host->beyond != nullptr) return;
  constexpr int bodies = 20, each = 50'000;
  const am::rank_t last = am::ranks() - 1;
  const bool progress_thread = settings.progress == am::detail::progress_mode::thread;
  tally.local() = 0;
  am::barrier();
  if (am::rank() == 0)
    for (int i = 0; i < bodies; ++i)
      am::async(last, am::safe([] {
                  for (int k = 0; k < each; ++k) arrived.on(0).signal();
                  am::atomic_add(tally.on(am::ranks() - 1), 1);
                }));
  am::flush();
  std::uint64_t own = 0;
  if (am::rank() == last)
    while (own < 1000 || (progress_thread && *tally.on(last) < bodies)) arrived.on(0).signal(), ++own;
  const std::uint64_t all = am::all_reduce(own, std::plus<>()) + bodies * each;
  am::fence();
  if (am::rank() == 0) EXPECT_EQ(arrived.local().value(), all);
  if (am::rank() == 0) EXPECT(arrived.local().try_wait(arrived.local().value()));
  am::barrier();
}

RANK_TEST(a_long_range_into_freed_memory_is_refused_and_nothing_is_lost) {
  constexpr std::size_t n = 20'000;
  const auto mine = am::allocate<double>(n);
  const auto p = am::world().all_gather(mine)[std::size_t(next())];
  am::barrier();
  am::deallocate(mine);
  am::barrier();
  const std::vector<double> data(n, 1.0);
  std::vector<double> copy(n);
  if (am::detail::checked) {
    EXPECT_THROWS_SAYING(am::usage_error, "freed", (am::put(p, data), am::sync_memory()));
    EXPECT_THROWS_SAYING(am::usage_error, "freed", (am::get(copy, p), am::sync_memory()));
  }
  EXPECT_EQ(am::call(next(), [](int x) { return x + 1; }, 4).get(), 5);
  am::barrier();
}

RANK_TEST(a_counter_may_be_a_variable) {
  am::counter mine;
  const auto c = offer(counters, am::to_global(&mine));
  c.signal(5);
  mine.wait(5);
  EXPECT_EQ(mine.value(), 0u);
  EXPECT_THROWS_SAYING(am::usage_error, "does not lie on the rank",
                       am::put(sum.on(am::rank()), 0.0, am::global_ptr<am::counter>()));
  am::barrier();
  am::sync_memory();
}

RANK_TEST(atomic_additions_are_not_lost) {
  tally.local() = 0;
  sum.local() = 0;
  std::int64_t on_stack = 0;
  const auto q = offer(numbers, am::to_global(&on_stack));
  for (int i = 0; i < 200; ++i) {
    am::atomic_add(tally.on(0), 1);
    am::atomic_add(sum.on(0), 0.5);
    am::atomic_add(q, 2);
  }
  am::sync_memory();
  am::barrier();
  EXPECT_EQ(*tally.on(0), 200 * am::ranks());
  EXPECT_EQ(*sum.on(0), 100.0 * am::ranks());
  EXPECT_EQ(on_stack, 400);
  am::barrier();
}

RANK_TEST(atomics_return_what_was_there) {
  std::int64_t on_stack = 12;
  std::uint32_t small = 0;
  const auto q = offer(numbers, am::to_global(&on_stack));
  EXPECT_EQ(am::atomic_fetch_add(q, 3), 12);
  EXPECT_EQ(am::atomic_fetch_and(q, 14), 15);
  EXPECT_EQ(am::atomic_fetch_or(q, 1), 14);
  EXPECT_EQ(am::atomic_fetch_xor(q, 3), 15);
  EXPECT_EQ(am::atomic_exchange(q, -1), 12);
  std::int64_t expected = 5;
  EXPECT(!am::atomic_compare_exchange(q, expected, 6));
  EXPECT_EQ(expected, -1);
  EXPECT(am::atomic_compare_exchange(q, expected, 6));
  am::atomic_or(q, 8);
  am::atomic_and(q, 12);
  am::atomic_xor(q, 1);
  am::sync_memory();
  EXPECT_EQ(*q, 13);
  const auto s = am::to_global(&small);
  EXPECT_EQ(am::atomic_fetch_add(s, 0xffffffffu), 0u);
  EXPECT_EQ(am::atomic_fetch_add(s, 1u), 0xffffffffu);
  sum.local() = 2.5;
  EXPECT_EQ(am::atomic_fetch_add(sum.on(am::rank()), 1.0), 2.5);
  EXPECT_EQ(am::atomic_exchange(sum.on(am::rank()), -1.0), 3.5);
  EXPECT_THROWS_SAYING(am::usage_error, "atomic_add: the pointer is null", am::atomic_add(am::global_ptr<int>(), 1));
  am::barrier();
}

// Adds 2 at many places of the parts that begin at `mine`, some of them the same; each rank the same ones.
static void add_at_many_places(am::global_ptr<std::int64_t> mine, std::int64_t* local) {
  constexpr std::size_t words = 16, additions = 1000;
  const auto ranks = std::size_t(am::ranks());
  const auto parts = am::world().all_gather(mine);
  std::vector<std::size_t> indices(additions);
  for (std::size_t i = 0; i < additions; ++i) indices[i] = i * i % (words * ranks);
  am::barrier();
  am::atomic_add(std::views::transform(indices, [&](std::size_t i) { return parts[i % ranks] + std::ptrdiff_t(i / ranks); }), 2);
  am::sync_memory();
  am::barrier();
  for (std::size_t w = 0; w < words; ++w)
    EXPECT_EQ(local[w], 2 * am::ranks() * std::ranges::count(indices, w * ranks + std::size_t(am::rank())));
  am::barrier();
}

RANK_TEST(additions_at_many_places_are_each_made) {
  const auto segment = am::allocate<std::int64_t>(16);
  std::fill_n(segment.local(), 16, 0);
  add_at_many_places(segment, segment.local());
  am::deallocate(segment);
  std::int64_t on_stack[16] = {};
  add_at_many_places(am::to_global(on_stack), on_stack);
}

RANK_TEST(an_addition_at_no_place_is_an_error) {
  const std::vector<am::global_ptr<int>> places(3);
  EXPECT_THROWS_SAYING(am::usage_error, "atomic_add: the pointer is null", am::atomic_add(places, 1));
  am::atomic_add(std::vector<am::global_ptr<int>>(), 1);
  am::barrier();
}

RANK_TEST(a_spread_array_goes_round_the_ranks) {
  am::spread_array<long> a(37);
  for (std::size_t k = 0; k < a.local().size(); ++k) {
    EXPECT_EQ(a.local()[k], 0);
    a.local()[k] = long(a.index_of_local(k));
  }
  am::barrier();
  auto p = a.begin();
  for (std::size_t i = 0; i < a.size(); ++i, ++p) {
    EXPECT_EQ(a[i], long(i));
    EXPECT_EQ(*p, long(i));
    EXPECT_EQ(a.rank_of(i), am::rank_t(i % std::size_t(am::ranks())));
    EXPECT(a.ptr(i) == p.global());
    EXPECT(p - a.begin() == std::ptrdiff_t(i));
  }
  EXPECT(p - 37 == a.begin());
  EXPECT_THROWS_SAYING(am::usage_error, "element 37", a[37] = 1);
}

RANK_TEST(a_moved_from_spread_array_is_empty) {
  am::spread_array<long> from(37), other(5);
  am::spread_array<long> to = std::move(from);
  EXPECT_EQ(from.size(), 0u);
  EXPECT(from.local().empty());
  EXPECT_THROWS_SAYING(am::usage_error, "it has none", (void)from[0]);
  EXPECT_EQ(to.size(), 37u);
  other = std::move(to);
  EXPECT_EQ(to.size(), 0u);
  EXPECT(to.local().empty());
  EXPECT_EQ(other.size(), 37u);
  if (am::rank() == 0) other[36] = 4;
  am::barrier();
  EXPECT_EQ(long(other[36]), 4);
  am::barrier();
}

RANK_TEST(a_spread_array_of_a_negative_size_is_refused) {
  const std::size_t minus_one = ~std::size_t{0}, minus_five = minus_one - 4;
  EXPECT_THROWS_SAYING(am::limit_error, "negative number", am::spread_array<double>(100, minus_one));
  EXPECT_THROWS_SAYING(am::limit_error, "negative number", am::spread_array<double>(minus_one));
  EXPECT_THROWS_SAYING(am::limit_error, "negative number", am::spread_array<char>(minus_five));
  EXPECT_THROWS_SAYING(am::limit_error, "negative number", am::spread_array<char>(minus_five, 1000));
  EXPECT_THROWS_SAYING(am::limit_error, "negative number", am::spread_array<double>::blocked(minus_one));
  EXPECT_THROWS_SAYING(am::limit_error, "more than any segment holds", am::spread_array<double>(minus_one / 4));
  const am::spread_array<double> x(1000);
  EXPECT_THROWS_SAYING(am::usage_error, "element 5000 of an array of 1000 elements; give an index from 0 to 999", x.ptr(5000));
  EXPECT_THROWS_SAYING(am::usage_error, "is the index a negative number?", x.ptr(minus_one));
  EXPECT_THROWS_SAYING(am::usage_error, "it has none", am::spread_array<double>(0).ptr(0));
}

RANK_TEST(a_spread_array_may_have_blocks) {
  am::spread_array<int> a(100, 7);
  auto b = am::spread_array<int>::blocked(100);
  std::size_t mine = 0;
  for (std::size_t i = 0; i < 100; ++i) {
    mine += a.rank_of(i) == am::rank();
    if (a.rank_of(i) == am::rank()) a[i] = int(i);
    if (b.rank_of(i) == am::rank()) b[i] = int(2 * i);
  }
  EXPECT_EQ(a.local().size(), mine);
  for (std::size_t k = 0; k < mine; ++k) EXPECT_EQ(a.local()[k], int(a.index_of_local(k)));
  am::barrier();
  for (std::size_t i = 0; i < 100; ++i) EXPECT(a[i] == int(i) && b[i] == int(2 * i));
  am::spread_array<int> moved = std::move(a);
  EXPECT_EQ(moved[50], 50);
  am::spread_array<int> none(0);
  EXPECT_EQ(none.local().size(), 0u);
}

RANK_TEST(every_block_of_a_spread_array_is_found) {
  for (const std::size_t block : {1, 2, 3, 7, 8, 40}) {
    am::spread_array<int> a(101, block);
    const auto ranks = std::size_t(am::ranks());
    for (std::size_t i = 0; i < a.size(); ++i) {
      const std::size_t b = i / block;
      EXPECT_EQ(a.rank_of(i), am::rank_t(b % ranks));
      EXPECT(a.ptr(i) == a.ptr(b % ranks * block) + std::ptrdiff_t(b / ranks * block + i % block));
    }
  }
}

RANK_TEST(a_spread_array_with_blocks_has_no_spread_pointer) {
  const am::spread_array<double> blocks(10, 4);
  EXPECT_THROWS_SAYING(am::usage_error, "blocks of 4 elements", blocks.begin());
  const am::spread_array<double> none(0);
  EXPECT(!none.begin());
}

RANK_TEST(spread_arithmetic_goes_from_rank_to_rank) {
  tally.local() = am::rank() * 11;
  am::barrier();
  am::spread_ptr<std::int64_t> p(tally.on(0));
  for (am::rank_t r = 0; r < am::ranks(); ++r) EXPECT_EQ(p[r], r * 11);
  EXPECT((p + am::ranks()).rank() == 0 && (p + am::ranks() - am::ranks()) == p);
  EXPECT_EQ((p - 1).rank(), am::ranks() - 1);
  EXPECT(tally.on(0).spread(1) == (p + 1).global());
}

RANK_TEST(a_per_rank_variable_cannot_come_late) { EXPECT_THROWS_SAYING(am::usage_error, "namespace scope", am::per_rank<int>()); }
