// SPDX-License-Identifier: Apache-2.0
#include "armilla/list.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <list>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "armilla/collectives.hpp"
#include "armilla/fence.hpp"
#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

template <class T>
std::vector<T> in_order(am::list<T>& l) {
  std::vector<T> mine;
  l.for_each_in_order([&](const T& e) { mine.push_back(e); });
  return l.members().all_gather_v(mine);  // of the first member, then of the next
}

/// An element of a list of the standard, and its place in the distributed one.
struct known {
  std::string text;
  am::list_place place;
};

}  // namespace

// Each rank works on the elements of its next one, all at once. So each has an oracle of those.
RANK_TEST(random_verbs_of_all_ranks_leave_what_lists_of_the_standard_would_hold) {
  am::list<std::string> l;
  const am::rank_t n = am::ranks(), next = (am::rank() + 1) % n, before = (am::rank() + n - 1) % n;
  const am::list_place first = l.push_local("end of " + std::to_string(am::rank()));
  const std::vector<am::list_place> firsts = am::all_gather(first);
  std::list<known> oracle{{"end of " + std::to_string(next), firsts[std::size_t(next)]}};
  std::mt19937 dice(unsigned(am::rank()) + 3);
  for (int phase = 0; phase < 4; ++phase) {
    for (int i = 0; i < 150; ++i) {
      const auto at = std::next(oracle.begin(), std::ptrdiff_t(dice() % oracle.size()));
      const std::string text = std::to_string(dice());
      switch (dice() % 6) {
        case 0:
          if (at->place == firsts[std::size_t(next)]) break;
          l.erase(at->place);
          EXPECT(!l.get(at->place).get().has_value());
          l.set(at->place, "nowhere");
          oracle.erase(at);
          break;
        case 1:
          l.set(at->place, text);
          at->text = text;
          break;
        case 2: EXPECT(l.get(at->place).get() == at->text); break;
        default: oracle.insert(at, {text, l.insert(at->place, text).get()});
      }
    }
    am::fence();
    std::vector<std::string> of_next;
    for (const known& k : oracle) of_next.push_back(k.text);
    // What rank r has is what the rank in front of it knows.
    std::vector<std::vector<std::string>> to(std::size_t(n), std::vector<std::string>{});
    to[std::size_t(next)] = of_next;
    const std::vector<std::string> here = am::all_to_all_v(to)[std::size_t(before)];
    EXPECT_EQ(l.local_size(), here.size());
    std::vector<std::string> mine;
    l.for_each_in_order([&](const std::string& e, am::list_place p) {
      mine.push_back(e);
      EXPECT_EQ(p.rank, am::rank());
    });
    EXPECT(mine == here);
  }
}

RANK_TEST(the_elements_of_a_member_stand_behind_those_of_the_one_before) {
  am::list<int> l;
  for (int i = 0; i < 3; ++i) l.push_local(10 * int(am::rank()) + i);
  std::vector<int> expected;
  for (int r = 0; r < am::ranks(); ++r)
    for (int i = 0; i < 3; ++i) expected.push_back(10 * r + i);
  am::barrier();
  if (am::rank() == 0) l.push_back(1000);
  expected.push_back(1000);
  am::fence();
  EXPECT(in_order(l) == expected);
}

RANK_TEST(a_place_of_what_was_erased_names_nothing_though_another_has_come) {
  am::list<int> l;
  const am::list_place old = l.push_local(1);
  l.erase(old);
  am::fence();
  const am::list_place fresh = l.push_local(2);
  EXPECT_EQ(fresh.slot, old.slot);
  EXPECT(!l.get(old).get().has_value());
  EXPECT_THROWS_SAYING(am::remote_error, "has been erased", l.insert(old, 3).get());
  am::fence();
  EXPECT_EQ(l.local_size(), 1U);
}

RANK_TEST(a_list_takes_the_elements_of_another_behind_its_own_rank_by_rank) {
  am::list<int> l, other;
  const int me = 10 * int(am::rank());
  l.push_local(me);
  const am::list_place moved = other.push_local(me + 1);
  l.splice(other);
  std::vector<int> expected;
  for (int r = 0; r < am::ranks(); ++r) expected.insert(expected.end(), {10 * r, 10 * r + 1});
  EXPECT(in_order(l) == expected);
  EXPECT_EQ(other.local_size(), 0U);
  EXPECT(!other.get(moved).get().has_value());
}

RANK_TEST(what_a_walk_throws_comes_on_all_ranks) {
  am::list<int> l(am::world().split(am::rank() % 2));
  l.push_local(1);
  EXPECT_THROWS_SAYING(am::remote_error, "element 0: no such line",
                       l.for_each_in_order([](int) { throw std::domain_error("no such line"); }));
}

RANK_TEST(one_way_calls_that_are_under_way_when_a_list_ends_find_it) {
  for (int round = 0; round < 20; ++round) {
    am::list<std::string> l;
    const am::list_place mine = l.push_local("");
    const am::list_place of_next = am::all_gather(mine)[std::size_t((am::rank() + 1) % am::ranks())];
    for (int i = 0; i < 20; ++i) l.set(of_next, std::string(100, 'x'));
    l.push_back("the last");
    l.erase(of_next);
  }
  am::fence();
}

RANK_TEST(places_and_lists_of_no_use_say_so) {
  am::list<int> l;
  EXPECT_THROWS_SAYING(am::usage_error, "a place on rank -1", l.erase({}));
  EXPECT_THROWS_SAYING(am::usage_error, "a place on rank 99, which is no member of the list's team",
                       static_cast<void>(l.get({99, 0, 0})));
  if (am::ranks() == 1) return;
  am::list<int> other(am::world().split(am::rank() % 2));
  EXPECT_THROWS(am::usage_error, l.splice(other));
}

RANK_TEST(a_fence_says_on_all_ranks_how_many_elements_a_list_has) {
  am::list<std::string> a;
  const am::list_place mine = a.push_local("mine");
  a.push_back("last");
  EXPECT(a.empty());
  am::fence();
  EXPECT_EQ(a.size(), 2U * std::size_t(am::ranks()));
  a.erase(mine);
  am::list<std::string> moved(std::move(a));
  am::fence();
  EXPECT_EQ(moved.size(), std::size_t(am::ranks()));
  am::barrier();
}
