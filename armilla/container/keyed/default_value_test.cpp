// SPDX-License-Identifier: Apache-2.0
// A map's default is what `get` gives for a missing key, wherever the map goes.
#include <string>
#include <utility>

#include "armilla/container/image/save_testing.hpp"
#include "armilla/map.hpp"
#include "armilla/rebalance.hpp"
#include "armilla/unordered_map.hpp"
#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

template <class Map>
void gives_it_for_missing_keys() {
  Map m(am::default_value("none"));
  if (am::rank() == 0) m.insert("a", "one");
  EXPECT(am::rank() != 0 || m.get("a").get() == "one");  // a rank reads what it has written
  am::fence();
  EXPECT_EQ(m.get("a").get(), "one");
  EXPECT_EQ(m.get("b").get(), "none");
  EXPECT_EQ(m.size(), 1U);  // nothing is inserted
  m.clear();
  EXPECT_EQ(m.get("a").get(), "none");
  Map moved = std::move(m);
  EXPECT_EQ(moved.get("a").get(), "none");
}

}  // namespace

RANK_TEST(get_gives_the_default_for_missing_keys) {
  gives_it_for_missing_keys<am::unordered_map<std::string, std::string>>();
  gives_it_for_missing_keys<am::map<std::string, std::string>>();
}

RANK_TEST(without_a_default_it_is_a_value_initialized_one) {
  am::unordered_map<int, long> m;
  am::counting_set<int> s;
  EXPECT_EQ(m.get(7).get(), 0);
  EXPECT_EQ(s.get(7).get(), 0);
  am::barrier();
}

RANK_TEST(over_a_team_and_by_a_handle) {
  const am::team half = am::world().split(am::rank() % 2);
  am::unordered_map<int, double> m(am::default_value(0.5), half, {.gather = 1024});
  EXPECT(m.members() == half);
  EXPECT_EQ(m.handle()->get(am::rank()).get(), 0.5);
  am::barrier();
}

RANK_TEST(the_default_remains_after_load_rebalance_and_shrink) {
  const am::save_testing::scratch_path path;
  am::unordered_map<int, int> m(am::default_value(-1));
  am::map<int, int> in_order(am::default_value(-2));
  m.insert(am::rank(), 5), in_order.insert(am::rank(), 5);
  m.save(path.str());
  m.load(path.str());
  EXPECT_EQ(m.get(1000).get(), -1);
  const am::team all = am::world().dup();
  m = am::rebalance(all, std::move(m));
  in_order = am::rebalance(all, std::move(in_order));
  EXPECT_EQ(m.get(1000).get() + in_order.get(1000).get(), -3);
  EXPECT_EQ(m.get(0).get() + in_order.get(0).get(), 10);
  const bool stays = am::rank() == 0;
  const am::team one = m.members().split(stays ? 0 : -1);
  m = am::shrink(one, std::move(m));
  in_order = am::shrink(one, std::move(in_order));
  if (stays) EXPECT_EQ(m.get(1000).get() + in_order.get(1000).get(), -3);
  am::barrier();
}
