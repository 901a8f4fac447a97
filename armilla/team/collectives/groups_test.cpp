// SPDX-License-Identifier: Apache-2.0
// Collectives by groups of members, whatever the groups: here they are set, as if hosts lay so.
#include "armilla/team/collectives/groups.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "armilla/collectives.hpp"
#include "armilla/team/core/team_state.hpp"
#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

/// x -> a x + b, modulo 2^32. To compose them is associative, and not commutative.
struct affine {
  std::uint32_t a = 1, b = 0;
  bool operator==(const affine&) const = default;
};
struct compose {
  affine operator()(const affine& first, const affine& then) const { return {then.a * first.a, then.a * first.b + then.b}; }
};

affine of(int member, std::size_t i) {
  return {std::uint32_t(member) * 2654435761u + std::uint32_t(i) * 40503u + 3, std::uint32_t(member) + std::uint32_t(i) * 7u};
}

std::vector<affine> array_of(int member, std::size_t n) {
  std::vector<affine> all;
  for (std::size_t i = 0; i < n; ++i) all.push_back(of(member, i));
  return all;
}

std::vector<affine> arrays_of_all(std::size_t n) {
  std::vector<affine> all;
  for (int m = 0; m < am::ranks(); ++m)
    for (std::size_t i = 0; i < n; ++i) all.push_back(of(m, i));
  return all;
}

/// The fold of members `begin` to `end`.
std::vector<affine> folded(int begin, int end, std::size_t n) {
  std::vector<affine> sum(n);
  for (int m = begin; m < end; ++m)
    for (std::size_t i = 0; i < n; ++i) sum[i] = compose{}(sum[i], of(m, i));
  return sum;
}

/// While it lives, world moves by these groups.
class as_groups {
 public:
  explicit as_groups(std::vector<std::uint32_t> begins)
      : t_(*am::detail::current->teams->world), groups_(t_.groups), pairs_from_(t_.pairs_from) {
    am::barrier();
    t_.groups = std::move(begins);
    t_.pairs_from = t_.scan_pairs_from = 0;
  }
  ~as_groups() {
    am::barrier();
    t_.groups = groups_;
    t_.pairs_from = pairs_from_;
    t_.scan_pairs_from = pairs_from_;
  }
  as_groups(const as_groups&) = delete;

 private:
  am::detail::team_record& t_;
  std::vector<std::uint32_t> groups_;
  std::size_t pairs_from_;
};

/// All ways to lay consecutive members into groups; of 5 and more, some of them. Of 10 the last one is each alone.
template <class F>
void for_all_groups(F f) {
  const auto n = std::uint32_t(am::ranks());
  for (std::uint32_t borders = 0; borders < 1u << (n - 1); borders += n > 5 ? 73 : n > 3 ? 5 : 1) {
    std::vector<std::uint32_t> begins{0};
    for (std::uint32_t i = 1; i < n; ++i)
      if ((borders >> (i - 1) & 1) != 0) begins.push_back(i);
    begins.push_back(n);
    const as_groups laid(begins);
    f();
  }
}

// None, one, a few: whole; some thousands: announced where hosts differ, and in parts.
constexpr std::size_t lengths[] = {0, 1, 3, 31, 700, 20'000};

template <class F>
void for_all_lengths(F f) {
  for_all_groups([&] {
    for (const std::size_t n : lengths) f(n, am::rank(), am::ranks());
  });
}

}  // namespace

// Those that are woken when something is posted: a rank that a network reaches is none of them.
RANK_TEST(a_team_knows_its_other_members_on_this_host) {
  const am::detail::context& c = *am::detail::current;
  std::vector<am::rank_t> near;
  for (am::rank_t r = 0; r < c.places; ++r)
    if (r != c.rank && c.host->number[std::size_t(r)] == c.host->number[std::size_t(c.rank)]) near.push_back(r);
  EXPECT(c.teams->near == near);
  EXPECT(c.teams->world->near == near);
}

RANK_TEST(all_reduce_and_reduce_fold_in_the_order_of_the_members) {
  for_all_lengths([](std::size_t n, int me, int all) {
    std::vector<affine> data = array_of(me, n);
    am::world().all_reduce(std::span(data), compose{});
    EXPECT(data == folded(0, all, n));
    const int root = int(n) % all;
    data = array_of(me, n);
    am::world().reduce(std::span(data), compose{}, root);
    if (me == root) EXPECT(data == folded(0, all, n));
  });
}

RANK_TEST(scans_fold_what_is_before) {
  for_all_lengths([](std::size_t n, int me, int) {
    std::vector<affine> data = array_of(me, n);
    am::world().inclusive_scan(std::span(data), compose{});
    EXPECT(data == folded(0, me + 1, n));
    data = array_of(me, n);
    am::world().exclusive_scan(std::span(data), affine{}, compose{});
    EXPECT(data == folded(0, me, n));
  });
}

RANK_TEST(broadcast_and_scatter_come_from_any_root) {
  for_all_lengths([](std::size_t n, int me, int all) {
    for (int root = 0; root < all; ++root) {
      std::vector<affine> data = array_of(me, n);
      am::world().broadcast(std::span(data), root);
      EXPECT(data == array_of(root, n));
      std::vector<affine> mine(n);
      am::world().scatter(std::span<const affine>(me == root ? arrays_of_all(n) : std::vector<affine>{}), std::span(mine), root);
      EXPECT(mine == array_of(me, n));
    }
  });
}

RANK_TEST(gathers_keep_the_order_of_the_members) {
  for_all_lengths([](std::size_t n, int me, int all) {
    const std::vector<affine> mine = array_of(me, n);
    std::vector<affine> whole(n * std::size_t(all));
    am::world().all_gather(std::span<const affine>(mine), std::span(whole));
    EXPECT(whole == arrays_of_all(n));
    for (int root = 0; root < all; ++root) {
      std::vector<affine> at_root(me == root ? whole.size() : 0);
      am::world().gather(std::span<const affine>(mine), std::span(at_root), root);
      EXPECT(at_root == (me == root ? arrays_of_all(n) : std::vector<affine>{}));
    }
  });
}

RANK_TEST(all_to_all_gives_each_its_part) {
  for_all_lengths([](std::size_t n, int me, int all) {
    std::vector<affine> out, in(n * std::size_t(all)), expected;
    for (int m = 0; m < all; ++m)
      for (std::size_t i = 0; i < n; ++i) out.push_back(of(me * all + m, i)), expected.push_back(of(m * all + me, i));
    am::world().all_to_all(std::span<const affine>(out), std::span(in));
    EXPECT(in == expected);
  });
}

RANK_TEST(values_of_all_kinds_move) {
  for_all_groups([] {
    const int me = am::rank(), all = am::ranks();
    EXPECT(am::world().all_reduce(of(me, 0), compose{}) == folded(0, all, 1)[0]);
    EXPECT(am::world().inclusive_scan(of(me, 0), compose{}) == folded(0, me + 1, 1)[0]);
    EXPECT(am::world().exclusive_scan(of(me, 0), affine{}, compose{}) == folded(0, me, 1)[0]);
    EXPECT(am::world().broadcast(std::string(std::size_t(me) * 3000 + 1, 'x'), all - 1).size() ==
           std::size_t(all - 1) * 3000 + 1);
    EXPECT(am::world().all_gather(me) == am::world().broadcast(am::world().gather(me, all - 1), all - 1));
    const auto joined = am::world().all_reduce(std::to_string(me), std::plus<>{});
    std::string expected;
    for (int m = 0; m < all; ++m) expected += std::to_string(m);
    EXPECT_EQ(joined, expected);
  });
}

RANK_TEST(members_run_ahead_by_more_than_the_window) {
  for_all_groups([] {
    const int all = am::ranks();
    std::uint64_t sum = 0;
    for (int i = 0; i < 200; ++i) sum += std::uint64_t(am::world().broadcast(am::rank() == 0 ? i : -1, 0));
    EXPECT_EQ(sum, 199u * 200u / 2);
    for (int i = 0; i < 100; ++i) {
      std::vector<int> data(i % 10 == 0 ? 9000u : 1u, am::rank());
      am::world().broadcast(std::span(data), i % all);
      EXPECT_EQ(data.back(), i % all);
    }
  });
}

RANK_TEST(in_order_is_the_strict_left_fold) {
  for_all_groups([] {
    const auto keep = [](double a, double b) { return a / 3 - b; };  // neither associative nor commutative
    double expected = 1;
    for (int m = 1; m < am::ranks(); ++m) expected = keep(expected, m + 1);
    EXPECT_EQ(am::world().all_reduce(am::rank() + 1.0, am::in_order(keep)), expected);
    std::vector<double> data{am::rank() + 1.0};
    am::world().all_reduce(std::span(data), am::in_order(keep));
    EXPECT_EQ(data[0], expected);
  });
}

RANK_TEST(an_operation_that_throws_keeps_nobody_waiting) {
  for_all_groups([] {
    const auto fails = [](int, int) -> int { throw std::runtime_error("no"); };
    bool threw = false;
    try {
      am::world().all_reduce(am::rank(), fails);
    } catch (const std::runtime_error&) { threw = true; }
    const int any = am::world().all_reduce(int(threw), [](int a, int b) { return a | b; });
    EXPECT_EQ(any, am::ranks() > 1 ? 1 : 0);
  });
}

RANK_TEST(no_member_takes_a_value_for_which_the_operation_has_thrown_elsewhere) {
  for_all_groups([] {
    const int me = am::rank(), last = am::ranks() - 1, much = 1000;
    const auto fails = [](int a, int b) { return a + b > much ? throw std::runtime_error("too much") : a + b; };
    const auto throws = [](auto f) {
      try {
        f();
      } catch (const std::runtime_error&) {  // that one, or a usage_error
        return true;
      }
      return false;
    };
    EXPECT_EQ(throws([&] { am::world().all_reduce(me == last ? much : 1, fails); }), last > 0);
    const bool reduced = throws([&] { am::world().reduce(me == last ? much : 1, fails, 0); });
    if (me == 0) EXPECT_EQ(reduced, last > 0);
    const bool scanned = throws([&] { am::world().inclusive_scan(me == last ? much : 1, fails); });
    if (me == last) EXPECT_EQ(scanned, last > 0);
    const bool scanned_before = throws([&] { am::world().exclusive_scan(me == 0 ? much : 1, 0, fails); });
    if (me > 1) EXPECT(scanned_before);
  });
}
