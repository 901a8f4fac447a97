// SPDX-License-Identifier: Apache-2.0
// A member leaves the middle of a collective by an exception: the others hear of it, and teams that come after it are whole.
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

constexpr std::size_t size = 20'000;

/// Cannot be written where that is forbidden.
struct brittle {
  std::string text;
  void define_type(auto& t) {
    if (text == "broken") throw std::runtime_error("cannot be written");
    t.local(text);
  }
};

/// The same where it fits into a line.
struct brittle_number {
  int value = 0;
  void define_type(auto& t) {
    if (value == 7) throw std::runtime_error("cannot be written");
    t.local(value);
  }
};

/// One of six collectives of long arrays.
void enter(const am::team& t, unsigned which) {
  std::vector<long> x(size, t.rank());
  const std::vector<std::vector<long>> parts(std::size_t(t.size()), x);
  switch (which) {
    case 0: t.broadcast(x, 0); break;
    case 1: t.scatter(parts, 0); break;
    case 2: t.gather(x, 0); break;
    case 3: t.all_gather(x); break;
    case 4: t.all_to_all_v(parts); break;
    default: t.all_reduce(std::span<long>(x), std::plus<>{});
  }
}

void expect_whole(const am::team& t) {
  const std::vector<long> mine(size, t.rank());
  EXPECT(t.scatter(std::vector<std::vector<long>>(std::size_t(t.size()), mine), 0) == std::vector<long>(size, 0));
  const auto all = t.all_gather(mine);
  for (am::rank_t r = 0; r < t.size(); ++r) EXPECT(all[std::size_t(r)] == std::vector<long>(size, r));
  std::vector<long> sum(size, 1);
  t.all_reduce(std::span<long>(sum), std::plus<>{});
  EXPECT_EQ(sum[size / 2], t.size());
}

}  // namespace

RANK_TEST(teams_after_one_whose_members_entered_different_collectives_are_whole) {
  if (am::ranks() == 1) return;
  std::mt19937 dice(7);
  for (int round = 0; round < 20; ++round) {
    const auto odd = am::rank_t(dice() % unsigned(am::ranks()));
    const unsigned one = dice() % 6, other = (one + 1 + dice() % 5) % 6;
    try {
      const am::team t = am::world().split(0);
      enter(t, am::rank() == odd ? other : one);
    } catch (const am::usage_error&) {}
    am::barrier();
    expect_whole(am::world().split(0));
  }
}

RANK_TEST(an_exception_in_a_collective_is_an_error_of_all_members) {
  if (am::ranks() == 1) return;
  const am::rank_t last = am::ranks() - 1;
  for (const bool each : {false, true}) {
    const am::team t = am::world().split(0);
    const brittle mine{am::rank() == last ? "broken" : "whole"};
    const auto fail = [&] {
      each ? void(t.all_to_all(std::vector<brittle>(std::size_t(t.size()), mine))) : void(t.all_gather(mine));
    };
    if (am::rank() == last)
      EXPECT_THROWS(std::runtime_error, fail());
    else
      EXPECT_THROWS_SAYING(am::usage_error, "by an exception", fail());
    EXPECT_THROWS_SAYING(am::usage_error, "an earlier collective of this team has failed", t.barrier());
    EXPECT_THROWS_SAYING(am::usage_error, "an earlier collective of this team has failed", fail());
    am::barrier();
    expect_whole(am::world().split(0));
  }
}

namespace {

using names = std::vector<std::string>;

/// Collectives with `more` elements too many in an argument.
struct with_length {
  const char* name;
  void (*enter)(const am::team& t, std::size_t more);
  bool root_only = false;
};
std::size_t members(const am::team& t) { return std::size_t(t.size()); }
const with_length with_lengths[] = {
    {"scatter of values", [](const am::team& t, std::size_t n) { t.scatter(std::vector<int>(members(t) + n), 0); }, true},
    {"scatter of texts", [](const am::team& t, std::size_t n) { t.scatter(names(members(t) + n), 0); }, true},
    {"scatter of an array",
     [](const am::team& t, std::size_t n) {
       std::vector<int> one(1);
       t.scatter(std::vector<int>(members(t) + n), std::span(one), 0);
     },
     true},
    {"gather of an array",
     [](const am::team& t, std::size_t n) {
       std::vector<int> all(members(t) + n);
       t.gather(std::vector<int>(1), std::span(all), 0);
     },
     true},
    {"all_gather of an array",
     [](const am::team& t, std::size_t n) {
       std::vector<int> all(members(t) + n);
       t.all_gather(std::vector<int>(1), std::span(all));
     }},
    {"all_gather_v",
     [](const am::team& t, std::size_t n) {
       const std::vector<int> mine(1);
       std::vector<std::size_t> counts(members(t) + n);
       t.all_gather_v(std::span(mine), std::span(counts));
     }},
    {"all_to_all of values", [](const am::team& t, std::size_t n) { t.all_to_all(std::vector<int>(members(t) + n)); }},
    {"all_to_all of texts", [](const am::team& t, std::size_t n) { t.all_to_all(names(members(t) + n)); }},
    {"all_to_all of an array",
     [](const am::team& t, std::size_t n) {
       std::vector<int> out(members(t));
       t.all_to_all(std::vector<int>(members(t) + n), std::span(out));
     }},
    {"all_to_all_v of values",
     [](const am::team& t, std::size_t n) { t.all_to_all_v(std::vector<std::vector<int>>(members(t) + n)); }},
    {"all_to_all_v of an array",
     [](const am::team& t, std::size_t n) {
       const std::vector<int> in(members(t) + n);
       const std::vector<std::size_t> counts(members(t), 1);
       std::vector<std::size_t> theirs(members(t));
       t.all_to_all_v(std::span(in), std::span(counts), std::span(theirs));
     }},
    {"reduce_scatter of values",
     [](const am::team& t, std::size_t n) { t.reduce_scatter(std::vector<int>(members(t) + n), std::plus<>{}); }},
    {"reduce_scatter of an array",
     [](const am::team& t, std::size_t n) {
       std::vector<int> one(1);
       t.reduce_scatter(std::vector<int>(members(t) + n), std::span(one), std::plus<>{});
     }},
};

/// Collectives of values, of which one cannot be written.
template <class T>
const std::vector<void (*)(const am::team&, const T&)> of_values = {
    [](const am::team& t, const T& v) { t.broadcast(v, t.size() - 1); },
    [](const am::team& t, const T& v) { t.scatter(std::vector<T>(members(t), v), t.size() - 1); },
    [](const am::team& t, const T& v) { t.gather(v, 0); },
    [](const am::team& t, const T& v) { t.all_gather(v); },
    [](const am::team& t, const T& v) { t.reduce(v, [](const T& a, const T&) { return a; }, 0); },
    [](const am::team& t, const T& v) { t.all_reduce(v, [](const T& a, const T&) { return a; }); },
    [](const am::team& t, const T& v) {
      t.reduce_scatter(std::vector<T>(members(t), v), [](const T& a, const T&) { return a; });
    },
    [](const am::team& t, const T& v) { t.all_to_all(std::vector<T>(members(t), v)); },
    [](const am::team& t, const T& v) { t.all_to_all_v(std::vector<std::vector<T>>(members(t), {v})); },
};

template <class T>
void expect_error_of_all(const T& whole, const T& broken) {
  const am::rank_t last = am::ranks() - 1;
  for (const auto enter : of_values<T>) {
    const am::team t = am::world().split(0);
    if (am::rank() == last)
      EXPECT_THROWS_SAYING(std::runtime_error, "cannot be written", enter(t, broken));
    else
      EXPECT_THROWS_SAYING(am::usage_error, "by an exception", (enter(t, whole), t.barrier()));
    am::barrier();
    expect_whole(am::world().split(0));
  }
}

}  // namespace

RANK_TEST(a_wrong_argument_on_one_rank_is_an_error_of_all_at_the_next_collective) {
  if (am::ranks() == 1) return;
  for (const with_length& c : with_lengths) {
    const am::rank_t odd = c.root_only ? 0 : am::ranks() - 1;
    const am::team t = am::world().split(0);
    if (am::rank() == odd) EXPECT_THROWS(am::usage_error, c.enter(t, 1));
    const auto others = [&] {
      if (am::rank() != odd) c.enter(t, 0);
      t.barrier();
    };
    rank_test::expect_throws<am::usage_error>(others, "", c.name, __FILE__, __LINE__);
    am::barrier();
    expect_whole(am::world().split(0));
  }
}

RANK_TEST(after_a_wrong_argument_a_rank_may_call_again) {
  for (const with_length& c : with_lengths) {
    const am::rank_t odd = c.root_only ? 0 : am::ranks() - 1;
    if (am::rank() == odd) EXPECT_THROWS(am::usage_error, c.enter(am::world(), 1));
    c.enter(am::world(), 0);
  }
  am::barrier();
}

RANK_TEST(a_value_that_cannot_be_written_is_an_error_of_all_members) {
  if (am::ranks() == 1) return;
  expect_error_of_all(brittle{"whole"}, brittle{"broken"});
  expect_error_of_all(brittle_number{1}, brittle_number{7});
}

RANK_TEST(an_operation_that_throws_on_the_member_that_folds_is_an_error_of_all) {
  if (am::ranks() < 3) return;
  const am::team t = am::world().split(0);
  const auto fold = [](const std::string&, const std::string&) -> std::string { throw std::runtime_error("no fold"); };
  if (am::rank() == 0)
    EXPECT_THROWS_SAYING(std::runtime_error, "no fold", t.all_reduce(std::string("a"), fold));
  else
    EXPECT_THROWS_SAYING(am::usage_error, "by an exception", t.all_reduce(std::string("a"), fold));
  am::barrier();
  expect_whole(am::world().split(0));
}

RANK_TEST(a_member_that_goes_ahead_of_one_that_left_hears_of_it) {
  if (am::ranks() == 1) return;
  const auto first = [](const brittle& a, const brittle&) { return a; };
  for (const std::size_t bytes : {std::size_t(8), std::size_t(1000), size}) {
    const am::team t = am::world().split(0);
    if (am::rank() == am::ranks() - 1)
      EXPECT_THROWS(std::runtime_error, t.inclusive_scan(brittle{"broken"}, first));
    else
      EXPECT_THROWS_SAYING(am::usage_error, "by an exception", ([&] {
                             t.inclusive_scan(brittle{"whole"}, first);  // in which nobody waits for the last
                             std::vector<char> data(bytes);
                             for (int i = 0; i < 100; ++i) t.broadcast(std::span<char>(data), 0);
                             t.barrier();  // over a network short broadcasts wait for nobody
                           }()));
    am::barrier();
    expect_whole(am::world().split(0));
  }
}
