// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <list>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <armilla/armilla.hpp>
#include <armilla/dialect/stapl.hpp>
#include <armilla/dialect/stapl_algorithms.hpp>
#include <armilla/dialect/stapl_containers.hpp>
#include <armilla/dialect/stapl_every_algorithm.hpp>
#include <armilla/dialect/stapl_pgraph.hpp>
#include <armilla/dialect/stapl_prange.hpp>

#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

int me() { return stapl::get_node_id(); }
int nodes() { return stapl::get_num_nodes(); }

}  // namespace

RANK_TEST(lists_keep_the_order_of_nodes_and_of_insertions) {
  stapl::plist<std::string> l;
  const auto mine = l.push_anywhere("b" + std::to_string(me()));
  l.insert(mine, "a" + std::to_string(me()));
  std::vector<std::string> expected;
  for (int n = 0; n < nodes(); ++n) expected.insert(expected.end(), {"a" + std::to_string(n), "b" + std::to_string(n)});
  const std::list<std::string> all(l);
  EXPECT(std::ranges::equal(all, expected));
  EXPECT_EQ(l.size(), std::size_t(2 * nodes()));
}

RANK_TEST(places_of_a_list_are_read_written_and_erased_from_every_node) {
  stapl::plist<int> l;
  const auto places = am::all_gather(l.push_anywhere(me()));
  const auto next = places[std::size_t((me() + 1) % nodes())];
  EXPECT_EQ(int(l[next]), (me() + 1) % nodes());
  am::barrier();
  l[next] = 7;
  stapl::rmi_fence();
  EXPECT_EQ(*l.local().begin(), 7);
  am::barrier();
  if (me() == 0) l.erase(places.back());
  stapl::rmi_fence();
  EXPECT_EQ(l.size(), std::size_t(nodes() - 1));
  EXPECT_THROWS_SAYING(am::usage_error, "it has been erased", static_cast<void>(int(l[places.back()])));
}

RANK_TEST(lists_are_walked_in_both_directions) {
  stapl::plist<int> l;
  for (int i = 0; i < 5; ++i) l.push_anywhere(i);
  auto mine = l.local();
  std::vector<int> back;
  for (auto at = mine.end(); at != mine.begin();) back.push_back(*--at);
  EXPECT(back == std::vector<int>({4, 3, 2, 1, 0}));
  for (int& x : mine) x *= 2;
  EXPECT_EQ(*std::next(mine.begin(), 4), 8);
  stapl::rmi_fence();
}

RANK_TEST(a_node_alone_empties_the_containers_of_all) {
  stapl::plist<int> l;
  stapl::pset<int> s;
  stapl::pmap<int, int> m;
  l.push_anywhere(1);
  s.insert(me());
  m[me()] = 1;
  stapl::rmi_fence();
  EXPECT(s.size() == std::size_t(nodes()) && m.size() == s.size());
  if (me() == nodes() - 1) l.clear(), s.clear(), m.clear();
  stapl::rmi_fence();
  EXPECT(l.size() == 0 && s.size() == 0 && m.size() == 0);
}

RANK_TEST(sets_take_keys_from_every_node) {
  stapl::pset<int> s;
  for (int i = 0; i < 100; ++i) s.insert(i * nodes() + me());
  s.insert(5);  // again
  stapl::rmi_fence();
  EXPECT_EQ(s.size(), std::size_t(100 * nodes()));
  EXPECT(s.contains(99 * nodes()) && !s.contains(-1));
  EXPECT(std::ranges::is_sorted(s.local()));
  if (me() == 0) s.erase(5);
  const std::set<int> all(s);
  EXPECT(all.size() == std::size_t(100 * nodes() - 1) && !all.contains(5));
}

RANK_TEST(maps_are_updated_from_every_node) {
  stapl::pmap<std::string, int> m;
  for (int i = 0; i < 10; ++i) m.update("word", 1);
  m.insert("first", 1);
  m.insert("first", 2);  // there already
  stapl::rmi_fence();
  const int n = m["word"], none = m["nothing"];
  EXPECT(n == 10 * nodes() && none == 0 && m.find("first") == 1);
  EXPECT(!m.contains("nothing"));
  am::barrier();
  if (me() == 0) m["word"] = 3;
  const std::map<std::string, int> all(m);
  EXPECT(all == (std::map<std::string, int>{{"word", 3}, {"first", 1}}));
}

namespace {

struct doubling : stapl::parallel_task {
  explicit doubling(stapl::prange<stapl::pvector<int>>::subrange s) : input(s) {}
  void execute() override {
    for (std::size_t i = 0; i < input.size(); ++i) input[i] = 2 * int(input[i]);
  }
  stapl::prange<stapl::pvector<int>>::subrange input;
};

}  // namespace

RANK_TEST(a_range_gives_each_task_its_part) {
  stapl::pvector<int> v(10);
  stapl::p_for_each(v, [](int& x) { x = 1; });
  const stapl::prange all(v);
  EXPECT_EQ(all.size(), std::size_t(nodes()));
  doubling task(all[std::size_t(me())]);
  EXPECT(task.input.size() == 0 || task.input.owner() == me());
  stapl::execute_parallel_task(&task);
  EXPECT_EQ(stapl::p_accumulate(all), 20);
}

RANK_TEST(a_range_is_a_scope_of_its_container) {
  stapl::pvector<int> v(100);
  if (me() == 0)
    for (std::size_t i = 0; i < 100; ++i) v[i] = int(100 - i);
  stapl::rmi_fence();
  stapl::prange middle(v, 20, 60, 3);
  EXPECT_EQ(middle.size(), 3U);
  EXPECT_EQ(middle[0].size() + middle[1].size() + middle[2].size(), 40U);
  EXPECT_EQ(middle[1].first(), 33U);
  stapl::p_sort(middle);
  EXPECT_EQ(int(middle[0][0]), 41);
  EXPECT_EQ(int(v[0]), 100);
  EXPECT_EQ(stapl::p_find(middle, 41), 0U);
  EXPECT_THROWS_SAYING(am::usage_error, "subrange 3 of 3", static_cast<void>(middle[3]));
  EXPECT_THROWS_SAYING(am::usage_error, "indices 5 to 101 of a container of 100", stapl::prange(v, 5, 101, 2));
  am::barrier();
}

RANK_TEST(a_range_over_a_list_gives_the_share_of_a_node) {
  stapl::plist<int> l;
  l.push_anywhere(me());
  const stapl::prange all(l);
  EXPECT_EQ(*all[std::size_t(me())].local().begin(), me());
  if (nodes() > 1)
    EXPECT_THROWS_SAYING(am::usage_error, "prange", static_cast<void>(all[std::size_t((me() + 1) % nodes())].local()));
  stapl::pmap<int, int> m;
  m[me()] = 1;
  stapl::rmi_fence();
  const stapl::prange shares(m);
  EXPECT_EQ(shares.size(), std::size_t(nodes()));
  std::size_t mine = 0;
  for (const auto& [key, value] : shares[std::size_t(me())].local()) mine += std::size_t(value) + 0 * std::size_t(key);
  EXPECT_EQ(am::all_reduce(mine, std::plus<>{}), std::size_t(nodes()));
}

RANK_TEST(edges_come_and_go_from_every_node) {
  stapl::pgraph<> g(100);
  for (unsigned v = unsigned(me()); v < 100; v += unsigned(nodes())) g.add_edge(v, (v + 1) % 100);
  EXPECT_EQ(g.edges(), 0U);
  stapl::rmi_fence();
  EXPECT(g.size() == 100 && g.edges() == 100);
  EXPECT(g.neighbours(99) == std::vector<am::vertex_id>{0});
  const am::array<std::int64_t> entered = stapl::p_dfs(g, am::vertex_id{0});
  EXPECT_EQ(entered.get(99).get(), 99);
  if (me() == nodes() - 1) g.erase_edge(50, 51), g.add_edge(50, 60);
  stapl::rmi_fence();
  EXPECT_EQ(g.edges(), 100U);
  EXPECT_EQ(stapl::p_bfs(g, am::vertex_id{0}).get(60).get(), 51);
  const stapl::prange vertices(g);
  std::size_t mine = 0;
  for (const am::vertex_id v : vertices[std::size_t(me())].local()) mine += g.neighbours(v).size();
  EXPECT_EQ(am::all_reduce(mine, std::plus<>{}), 100U);
  EXPECT_THROWS_SAYING(am::usage_error, "vertex 100 of a graph of 100", g.add_edge(100, 0));
}

RANK_TEST(an_edge_both_ways_is_erased_by_either_name) {
  stapl::pgraph<int> g(10, true);
  if (me() == 0) g.add_edge(1, 2, 5), g.add_edge(2, 3, 6);
  stapl::rmi_fence();
  EXPECT(g.edges() == 2 && g.neighbours(2) == (std::vector<am::vertex_id>{1, 3}));
  if (me() == nodes() - 1) g.erase_edge(2, 1);
  stapl::rmi_fence();
  EXPECT(g.edges() == 1 && g.neighbours(2) == std::vector<am::vertex_id>{3});
  for (const am::vertex_id v : g.local())
    if (v == 2) EXPECT_EQ(g.elements().edge_data(2)[0], 6);
  am::barrier();
}

RANK_TEST(vertices_come_from_every_node) {
  stapl::pgraph<> g(10);
  if (me() == 0) g.add_edge(3, 4);
  g.add_vertices(5);
  stapl::rmi_fence();
  const std::size_t n = 10 + 5 * std::size_t(nodes());
  EXPECT(g.size() == n && g.edges() == 1 && g.neighbours(3) == std::vector<am::vertex_id>{4});
  if (me() == nodes() - 1) g.add_edge(4, am::vertex_id(n - 1));
  stapl::rmi_fence();
  EXPECT_EQ(stapl::p_bfs(g, am::vertex_id{3}).get(n - 1).get(), 2);
  am::barrier();
}

RANK_TEST(a_graph_that_has_been_moved_from_says_so) {
  stapl::pgraph<> g(10), h(std::move(g));
  EXPECT_THROWS_SAYING(am::usage_error, "moved from", static_cast<void>(g.size()));  // NOLINT(bugprone-use-after-move)
  EXPECT_THROWS_SAYING(am::usage_error, "moved from", g.add_edge(1, 2));
  EXPECT_EQ(h.size(), 10U);
  am::barrier();
}

RANK_TEST(a_graph_may_end_before_the_fence_that_would_change_it) {
  {
    stapl::pgraph<> g(10), h(20), moved(std::move(h));
    g.add_edge(1, 2), moved.add_edge(2, 3);
  }
  stapl::pgraph<> later(5);
  later.add_edge(0, 1);
  stapl::rmi_fence();
  EXPECT_EQ(later.edges(), 1U);
}

namespace {

struct tally {
  void add(int n) { sum += n; }
  int total() const { return sum; }
  void most(const int& input, int& output) { output = std::max(input, output); }
  int sum = 0;
};

struct round_of_requests : stapl::parallel_task {
  explicit round_of_requests(const stapl::communicator& n) : nodes(n) {}
  void execute() override {
    const int next = (stapl::get_node_id(nodes) + 1) % stapl::get_num_nodes(nodes);
    stapl::async_rmi(nodes, next, this, &round_of_requests::take, stapl::get_node_id(nodes));
  }
  void take(int from) { came = from; }
  const stapl::communicator& nodes;
  int came = -1;
};

}  // namespace

RANK_TEST(requests_fences_and_tasks_of_a_subset_of_nodes) {
  const stapl::communicator nodes = am::world().split(me() % 2, -me());  // the highest first
  const int n = stapl::get_num_nodes(nodes), here = stapl::get_node_id(nodes);
  tally mine;
  const stapl::rmi_object<tally> registered(nodes, &mine);
  stapl::async_rmi(nodes, (here + 1) % n, &mine, &tally::add, here);
  stapl::broadcast_rmi(nodes, &mine, &tally::add, 100);
  stapl::rmi_fence(nodes);
  EXPECT_EQ(mine.sum, 100 * n + (here + n - 1) % n);
  EXPECT_EQ(stapl::sync_rmi(nodes, 0, &mine, &tally::total), 100 * n + n - 1);
  EXPECT_EQ(stapl::nonblocking_sync_rmi(nodes, n - 1, &mine, &tally::total).get(), 100 * n + (n + n - 2) % n);
  int greatest = 0;
  stapl::collect_rmi(nodes, &mine, &tally::most, me(), greatest);
  EXPECT_EQ(greatest, nodes.world_rank(0));
  round_of_requests task(nodes);
  stapl::execute_parallel_task(nodes, &task);
  EXPECT_EQ(task.came, (here + n - 1) % n);
  stapl::rmi_fence(nodes);
}

RANK_TEST(containers_lie_on_a_subset_of_nodes) {
  const stapl::communicator nodes = am::world().split(me() % 2);
  const int n = stapl::get_num_nodes(nodes);
  stapl::pvector<int> v(20, nodes);
  stapl::p_iota(v, me() % 2);
  EXPECT_EQ(stapl::p_accumulate(v), 190 + 20 * (me() % 2));
  EXPECT_EQ(v.owner(19) % 2, me() % 2);
  stapl::plist<int> l(nodes);
  stapl::pset<int> s(nodes);
  stapl::pmap<int, int> m(nodes);
  stapl::pgraph<> g(10, false, nodes);
  l.push_anywhere(me()), s.insert(me()), m[me()] = 1;
  if (stapl::get_node_id(nodes) == 0) g.add_edge(1, 2);
  stapl::rmi_fence(nodes);
  EXPECT(int(s.size()) == n && int(m.size()) == n && g.edges() == 1);
  const std::list<int> all(l);
  EXPECT(int(all.size()) == n && std::ranges::all_of(all, [](int r) { return r % 2 == me() % 2; }));
  EXPECT_EQ(std::vector<int>(v).size(), 20U);
  const stapl::prange shares(l);
  EXPECT_EQ(int(shares.size()), n);
  if (n > 1)
    EXPECT_THROWS_SAYING(am::usage_error, "it is walked through only there",
                         static_cast<void>(shares[std::size_t((stapl::get_node_id(nodes) + 1) % n)].local()));
  if (stapl::get_node_id(nodes) == n - 1) s.clear();
  stapl::rmi_fence(nodes);
  EXPECT_EQ(s.size(), 0U);
  am::barrier();
}
