// SPDX-License-Identifier: Apache-2.0
// An exception takes a member out of a collective of one team; it goes on in another team: nobody waits for it there for ever.
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "armilla/collective_async.hpp"
#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

struct refused_text : std::runtime_error {
  using runtime_error::runtime_error;
};

/// Cannot be written where that is forbidden.
struct brittle {
  std::string text;
  void define_type(auto& t) {
    if (text == "broken") throw refused_text("cannot be written");
    t.local(text);
  }
};

constexpr std::size_t size = 20'000;
std::size_t members(const am::team& t) { return std::size_t(t.size()); }
const auto plus = [](long a, long b) { return a + b; };
const auto first = [](const brittle& a, const brittle&) { return a; };

/// What a member does where the others enter the collective; it throws there.
struct departure {
  const char* name;
  void (*odd)(const am::team& t);
  void (*others)(const am::team& t);
};

using longs = std::vector<long>;

const departure departures[] = {
    // a value that cannot be written
    {"scatter of texts", [](const am::team& t) { t.scatter(std::vector<brittle>(members(t), {"broken"}), t.size() - 1); },
     [](const am::team& t) { t.scatter(std::vector<brittle>(members(t)), t.size() - 1); }},
    {"all_gather of texts", [](const am::team& t) { t.all_gather(brittle{"broken"}); },
     [](const am::team& t) { t.all_gather(brittle{std::string(size, 'x')}); }},
    {"all_to_all of texts", [](const am::team& t) { t.all_to_all(std::vector<brittle>(members(t), {"broken"})); },
     [](const am::team& t) { t.all_to_all(std::vector<brittle>(members(t), {std::string(size, 'x')})); }},
    {"reduce of texts", [](const am::team& t) { t.reduce(brittle{"broken"}, first, 0); },
     [](const am::team& t) { t.reduce(brittle{"whole"}, first, 0), t.barrier(); }},
    // arguments that are refused
    {"scatter with a value too few", [](const am::team& t) { t.scatter(longs(members(t) - 1), t.size() - 1); },
     [](const am::team& t) { t.scatter(longs{}, t.size() - 1); }},
    {"scatter of an array with a part too few",
     [](const am::team& t) {
       longs mine(size);
       t.scatter(longs(size * members(t) - 1), std::span(mine), t.size() - 1);
     },
     [](const am::team& t) {
       longs mine(size);
       t.scatter(longs{}, std::span(mine), t.size() - 1);
     }},
    {"all_gather without room",
     [](const am::team& t) {
       longs all(1);
       t.all_gather(longs(size), std::span(all));
     },
     [](const am::team& t) {
       longs all(size * members(t));
       t.all_gather(longs(size), std::span(all));
     }},
    {"a root that is none", [](const am::team& t) { t.broadcast(1L, t.size()); },
     [](const am::team& t) { t.broadcast(1L, t.size() - 1); }},
    {"an operation that is none", [](const am::team& t) { t.all_reduce(1L, std::function<long(long, long)>()); },
     [](const am::team& t) { t.all_reduce(1L, std::function<long(long, long)>(plus)); }},
    // another collective
    {"gather for all_gather",
     [](const am::team& t) {
       t.gather(longs(size), t.size() - 1);
       t.all_gather(longs(size));
     },
     [](const am::team& t) { t.all_gather(longs(size)); }},
    {"barrier for a fold of arrays", [](const am::team& t) { t.barrier(), t.barrier(); },
     [](const am::team& t) {
       longs data(size);
       t.all_reduce(std::span(data), plus);
     }},
    {"a longer array",
     [](const am::team& t) {
       longs data(size + 1);
       t.all_reduce(std::span(data), plus), t.barrier();
     },
     [](const am::team& t) {
       longs data(size);
       t.all_reduce(std::span(data), plus), t.barrier();
     }},
    // asynchronous ones
    {"scatter_async with a value too few", [](const am::team& t) { t.scatter_async(longs(members(t) - 1), t.size() - 1).get(); },
     [](const am::team& t) { t.scatter_async(longs{}, t.size() - 1).get(); }},
    {"all_gather_async of texts", [](const am::team& t) { t.all_gather_async(brittle{"broken"}).get(); },
     [](const am::team& t) { t.all_gather_async(brittle{"whole"}).get(); }},
    {"a function that throws before it enters",
     [](const am::team& t) { t.collective_async([](const am::team&) { throw refused_text("before"); }).get(); },
     [](const am::team& t) { t.barrier_async().get(); }},
    {"a function that throws between two",
     [](const am::team& t) {
       t.collective_async([](const am::team& twin) { twin.barrier(), throw refused_text("between"); }).get();
     },
     [](const am::team& t) { t.collective_async([](const am::team& twin) { twin.barrier(), twin.all_gather(1); }).get(); }},
};

bool throws(void (*enter)(const am::team&), const am::team& t) {
  try {
    enter(t);
  } catch (const refused_text&) { return true; } catch (const am::usage_error&) {
    return true;
  }
  return false;
}

void expect_whole(const am::team& t) {
  longs sum(size, 1);
  t.all_reduce(std::span<long>(sum), plus);
  EXPECT_EQ(sum[size / 2], t.size());
  EXPECT_EQ(t.all_gather_async(std::string(size, 'x')).get().back().size(), size);
}

void expect_departure(const departure& d) {
  const am::team t = am::world().split(0);
  const bool threw = throws(am::rank() == am::ranks() - 1 ? d.odd : d.others, t);
  rank_test::expect(threw, d.name, __FILE__, __LINE__);
  am::barrier();  // of another team
}

}  // namespace

RANK_TEST(a_member_that_goes_elsewhere_keeps_nobody_waiting) {
  if (am::ranks() == 1) return;
  for (const departure& d : departures) {
    expect_departure(d);
    expect_whole(am::world().split(0));
  }
}

RANK_TEST(a_member_that_ends_keeps_nobody_waiting_for_its_arguments) {
  if (am::ranks() == 1) return;
  const am::team t = am::world().split(0), other = am::world().split(0);
  if (am::rank() == am::ranks() - 1)
    EXPECT_THROWS_SAYING(am::usage_error, "values for a team", t.all_to_all(longs(members(t) + 1)));
  else
    EXPECT_THROWS_SAYING(am::usage_error, "by an exception", t.all_to_all(longs(members(t))));
  EXPECT_EQ(other.all_reduce(1L, plus), t.size());
}

RANK_TEST(arguments_that_all_members_refuse_leave_the_team_as_it_was) {
  const am::team t = am::world().split(0);
  for (int round = 0; round < 3; ++round) {
    EXPECT_THROWS(am::usage_error, t.all_to_all(longs(members(t) + 1)));
    EXPECT_THROWS(am::usage_error, t.scatter_async(longs(members(t) + 1), t.rank()).get());
    am::broadcast(1L, round % am::ranks());  // all go elsewhere, and the root waits for nobody
    EXPECT_EQ(t.all_reduce_async(1L, plus).get(), t.size());
    EXPECT_EQ(t.all_reduce(1L, plus), t.size());
  }
}

RANK_TEST(functions_that_throw_on_all_members_leave_their_order) {
  const am::team t = am::world().split(0);
  for (int round = 0; round < 5; ++round) {
    auto thrown = t.collective_async([](const am::team& twin) -> int {
      twin.barrier();
      throw refused_text("on all");
    });
    auto next = t.all_gather_async(am::rank());
    EXPECT_THROWS(refused_text, thrown.get());
    am::barrier();
    EXPECT_EQ(next.get().size(), members(t));
  }
}

RANK_TEST(the_function_behind_one_that_threw_on_one_member_gets_no_value_of_another_call) {
  if (am::ranks() == 1) return;
  const am::team t = am::world().split(0);
  const bool odd = am::rank() == am::ranks() - 1;
  auto one = t.collective_async([odd](const am::team& twin) { return odd ? throw refused_text("early") : twin.all_gather(1); });
  auto two = t.all_gather_async(2);
  const auto fails = [](auto& result) {
    try {
      result.get();
    } catch (const std::exception&) { return true; }
    return false;
  };
  EXPECT(fails(one));
  EXPECT(fails(two));
  am::barrier();
  expect_whole(am::world().split(0));
}

RANK_TEST(an_asynchronous_collective_inside_of_another_comes_next) {
  const am::team t = am::world().split(0);
  auto outer = t.collective_async([&t](const am::team& twin) {
    const long inner = t.all_reduce_async(1L, plus).get();
    return inner + twin.all_reduce_async(1L, plus).get() + twin.all_reduce(1L, plus);
  });
  auto after = t.all_reduce_async(2L, plus);
  EXPECT_EQ(outer.get(), 3L * t.size());
  EXPECT_EQ(after.get(), 2L * t.size());
}

// A function that waits for its fibers, which wait for their collectives.
RANK_TEST(fibers_that_an_asynchronous_function_starts_have_its_turn) {
  const am::team t = am::world().split(0);
  auto outer = t.collective_async([&t](const am::team& twin) {
    const auto in_fiber = [&t](long n) { return am::spawn([&t, n] { return t.all_reduce_async(n, plus).get(); }).join(); };
    const long inner = in_fiber(1) + am::spawn([&in_fiber] { return in_fiber(10); }).join();
    return inner + twin.all_reduce(100L, plus);
  });
  auto after = t.all_reduce_async(2L, plus);
  EXPECT_EQ(outer.get(), 111L * t.size());
  EXPECT_EQ(after.get(), 2L * t.size());
}

// A fiber that outlives the function that has started it waits for its turn like any other.
RANK_TEST(fibers_of_an_asynchronous_function_that_is_over_wait_for_their_turn) {
  const am::team t = am::world().split(0);
  std::optional<am::fiber<long>> late;
  bool goes_on = false;
  t.collective_async([&](const am::team& twin) {
     late = am::spawn([&t, &goes_on] {
       while (!goes_on) am::yield();
       return t.all_reduce_async(1L, plus).get();
     });
     twin.barrier();
   }).get();
  auto before = t.collective_async([](const am::team& twin) { return twin.all_reduce(2L, plus) + twin.all_reduce(2L, plus); });
  goes_on = true;
  EXPECT_EQ(late->join(), t.size());
  EXPECT_EQ(before.get(), 4L * t.size());
}
