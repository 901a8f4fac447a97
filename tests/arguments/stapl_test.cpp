// SPDX-License-Identifier: Apache-2.0
// STAPL with arguments at their edges.
#include <armilla/dialect/stapl.hpp>
#include <armilla/dialect/stapl_algorithms.hpp>
#include <armilla/dialect/stapl_containers.hpp>
#include <armilla/dialect/stapl_pgraph.hpp>
#include <armilla/dialect/stapl_prange.hpp>

#include "tests/arguments/edges.hpp"

namespace am = armilla;
using namespace edges;

namespace {

constexpr const char *null_object = "the object is a null pointer", *null_member = "the pointer to a member is null",
                     *not_registered = "is not registered on this node";
const am::team none;

struct counting {
  long n = 0;
  void add(long k) { n += k; }
  long get() { return n; }
  void take(int in, int& out) { out += in; }
};
void (counting::* const no_add)(long) = nullptr;
long (counting::* const no_get)() = nullptr;
void (counting::* const no_take)(int, int&) = nullptr;
struct nothing_to_do : stapl::parallel_task {
  void execute() override {}
};

}  // namespace

EDGES(objects_and_methods, stapl::broadcast_rmi, stapl::collect_rmi, stapl::nonblocking_sync_rmi, stapl::rmi_object::rmi_object,
      stapl::execute_parallel_task) {
  counting here, unknown;
  counting* const null = nullptr;
  nothing_to_do task, *const no_task = nullptr;
  int out = 0;
  const stapl::rmi_object registered(&here);
  REFUSED(null_object, stapl::rmi_object(null));
  REFUSED(null_object, stapl::rmi_object(null, stapl::non_atomic));
  REFUSED(no_team, stapl::rmi_object(none, &unknown));
  REFUSED(null_object, stapl::execute_parallel_task(no_task));
  REFUSED(no_team, stapl::execute_parallel_task(none, &task));
  for (counting* const o : {null, &unknown}) {
    REFUSED(not_registered, stapl::broadcast_rmi(o, &counting::add, 1L));
    REFUSED(not_registered, stapl::nonblocking_sync_rmi(0, o, &counting::get).get());
  }
  REFUSED(null_member, stapl::broadcast_rmi(&here, no_add, 1L));
  REFUSED(no_team, stapl::broadcast_rmi(none, &here, &counting::add, 1L));
  REFUSED(null_member, stapl::nonblocking_sync_rmi(0, &here, no_get).get());
  REFUSED("there is no member 0 in a team of 0", stapl::nonblocking_sync_rmi(none, 0, &here, &counting::get).get());
  each_bad_rank(
      [&](am::rank_t r) { REFUSED(std::to_string(r).c_str(), stapl::nonblocking_sync_rmi(r, &here, &counting::get).get()); });
  REFUSED(null_object, stapl::collect_rmi(null, &counting::take, 1, out));
  REFUSED(null_member, stapl::collect_rmi(&here, no_take, 1, out));
  REFUSED(no_team, stapl::collect_rmi(none, &here, &counting::take, 1, out));
  stapl::rmi_fence();
  EXPECT_EQ(here.n + out, 0);
}

EDGES(shapes_and_factors, stapl::rmi_fence, stapl::set_poll_every) {
  REFUSED(no_team, stapl::rmi_fence(none));
  REFUSED("no fence has shape 99", stapl::rmi_fence(stapl::fence_shape(99)));
  REFUSED("no fence has shape -1", stapl::rmi_fence(stapl::fence_shape(-1)));
  REFUSED("-1 calls; give 0 or more", stapl::set_poll_every(-1));
  stapl::set_poll_every(highest), stapl::set_poll_every(0);
}

EDGES(elements_of_a_pvector, stapl::pvector::pvector, stapl::pvector::owner, stapl::pvector::local_element,
      stapl::pvector::push_back, stapl::pvector::push_back_to, stapl::pvector_reference::push_back) {
  EXPECT_THROWS(am::limit_error, stapl::pvector<int>(half));
  REFUSED(no_team, stapl::pvector<int>(10, none));
  stapl::pvector<int> v(10);
  stapl::pvector<std::vector<int>> lists(10), empty(0);
  for (const std::size_t i : {std::size_t{10}, half, most}) {
    const std::string what = "is out of range; give an index from 0 to 9";
    REFUSED(what.c_str(), v.owner(i));
    REFUSED(what.c_str(), v.local_element(i, "a test"));
    REFUSED(what.c_str(), int(v[i]));
    REFUSED(what.c_str(), v[i] = 1);
    REFUSED(what.c_str(), lists.push_back_to(i, 1));
    REFUSED(what.c_str(), lists[i].push_back(1));
    REFUSED(what.c_str(), lists[i].size());
  }
  const std::size_t others = am::rank() == 0 ? 9 : 0;
  if (am::ranks() > 1) REFUSED("its insides are seen only there", v.local_element(others, ""));
  REFUSED("no element of the pvector lies on this node", empty.push_back(1));
  v.push_back(1);
  stapl::rmi_fence();
  EXPECT_EQ(v.size(), 10U + std::size_t(am::ranks()));
}

EDGES(places_of_a_plist, stapl::plist::plist, stapl::plist::push_back, stapl::plist::push_anywhere, stapl::plist::insert,
      stapl::plist::erase) {
  REFUSED(no_team, stapl::plist<int>(none));
  stapl::plist<int> l, other;
  REFUSED("a place on rank -1", l.insert({}, 1));
  REFUSED("a place on rank -1", l.erase({}));
  REFUSED("a place on rank -1", int(l[{}]));
  am::list_place beyond;
  beyond.rank = highest;
  REFUSED("a place on rank 2147483647", l.erase(beyond));
  const auto mine = l.push_anywhere(3);
  l.push_back(4);
  stapl::rmi_fence();
  other.erase(mine);  // of another list: nothing goes
  stapl::rmi_fence();
  EXPECT_EQ(int(l[mine]), 3);
  l.erase(mine), l.erase(mine);
  stapl::rmi_fence();
  l[mine] = 5;
  EXPECT_THROWS_SAYING(am::error, "has been erased", l.insert(mine, 1));
  REFUSED("it has been erased", int(l[mine]));
  stapl::rmi_fence();
  EXPECT_EQ(l.size(), std::size_t(am::ranks()));
}

EDGES(keys_of_sets_and_maps, stapl::pset::pset, stapl::pset::insert, stapl::pset::erase, stapl::pset::contains, stapl::pmap::pmap,
      stapl::pmap::insert, stapl::pmap::erase, stapl::pmap::contains, stapl::pmap::find, stapl::pmap::update) {
  REFUSED(no_team, stapl::pset<int>(none));
  REFUSED(no_team, stapl::pmap<int, int>(none));
  stapl::pset<std::string> s;
  stapl::pmap<std::string, int> m;
  const std::string with_nul("a\0b", 3), long_one(100'000, 'x');
  for (const std::string& key : {std::string(), with_nul, long_one}) {
    EXPECT(!s.contains(key));
    EXPECT(!m.contains(key) && !m.find(key) && int(m[key]) == 0);
    s.erase(key), m.erase(key);  // of what is not there
    stapl::rmi_fence();
    s.insert(key), s.insert(key);
    m.insert(key, 7), m.insert(key, 8);
    stapl::rmi_fence();
    m.update(key, 1);
    stapl::rmi_fence();
    EXPECT(s.contains(key));
    EXPECT_GT(m.find(key).value_or(0), int(am::ranks()) + 6);
  }
  EXPECT_EQ(s.size(), 3U);
  EXPECT_EQ(m.size(), 3U);
  stapl::pset<double> numbers;  // NaN is no key of an order: any result, and an end
  numbers.insert(not_a_number), numbers.insert(1), numbers.insert(infinite);
  stapl::rmi_fence();
  numbers.erase(not_a_number);
  stapl::rmi_fence();
  EXPECT_LT(numbers.size(), 4U);
}

EDGES(vertices_of_a_pgraph, stapl::pgraph::pgraph, stapl::pgraph::add_vertices, stapl::pgraph::erase_edge,
      stapl::pgraph::neighbours, stapl::pgraph::owner) {
  for (const std::size_t n : {std::size_t{1} << 32, half, most}) EXPECT_THROWS(am::limit_error, stapl::pgraph<>(n));
  REFUSED(no_team, stapl::pgraph<>(3, false, none));
  stapl::pgraph<> g(3);
  for (const am::vertex_id v : {3U, ~0U}) {
    const std::string what = "vertex " + std::to_string(v) + " of a graph of 3 vertices";
    REFUSED(what.c_str(), g.add_edge(0, v));
    REFUSED(what.c_str(), g.erase_edge(0, v));
    REFUSED(what.c_str(), g.erase_edge(v, 0));
    REFUSED(what.c_str(), g.neighbours(v));
    REFUSED(what.c_str(), g.owner(v));
  }
  for (const std::size_t n : {std::size_t{1} << 32, half, most}) EXPECT_THROWS(am::limit_error, g.add_vertices(n));
  g.erase_edge(0, 1);  // which is not there
  g.add_vertices(0);
  stapl::rmi_fence();
  EXPECT_EQ(g.size(), 3U);
  if (am::ranks() > 1) {  // each may, all together may not
    g.add_vertices(std::size_t{3} << 30);
    EXPECT_THROWS(am::limit_error, stapl::rmi_fence());
  }
  g.add_vertices(1);
  stapl::rmi_fence();
  EXPECT_EQ(g.size(), 3U + std::size_t(am::ranks()));
  const stapl::pgraph<> taken = std::move(g);
  REFUSED("moved from", g.add_vertices(1));
  REFUSED("moved from", g.erase_edge(0, 1));
  REFUSED("moved from", g.owner(0));
  REFUSED("moved from", g.neighbours(0));
}

EDGES(algorithms_of_pvectors, stapl::p_sort, stapl::p_copy, stapl::p_find, stapl::p_merge, stapl::p_inner_product,
      stapl::p_for_each, stapl::p_accumulate) {
  stapl::pvector<int> v(5), shorter(3), empty(0);
  bool (*const less)(int, int) = nullptr;
  int (*const op)(int, int) = nullptr;
  void (*const run)(int&) = nullptr;
  REFUSED(no_function, stapl::p_sort(v, less));
  REFUSED(no_function, stapl::p_for_each(v, run));
  REFUSED(no_function, stapl::p_accumulate(v, 0, op));
  REFUSED(no_function, stapl::p_merge(v, shorter, v, less));
  REFUSED("5 elements for a range of 3", stapl::p_copy(v, shorter));
  REFUSED("8 elements for a range of 5", stapl::p_merge(v, shorter, v));
  EXPECT_EQ(stapl::p_inner_product(v, shorter, 3), 3);
  EXPECT_EQ(stapl::p_inner_product(v, empty, 3), 3);
  EXPECT_EQ(stapl::p_accumulate(empty, 3), 3);
  EXPECT(!stapl::p_find(empty, 3));
  EXPECT(!stapl::p_find(stapl::pvector<double>(3), not_a_number));
  stapl::p_sort(empty);
  stapl::p_copy(empty, v);
}

EDGES(scopes, stapl::prange::prange) {
  stapl::pvector<int> v(3);
  REFUSED("indices 2 to 1 of a container of 3", stapl::prange(v, 2, 1));
  REFUSED("indices 0 to 4 of a container of 3", stapl::prange(v, 0, 4));
  REFUSED("one subrange at least", stapl::prange(v, 0, 3, 0));
  for (const std::size_t n : {half, most}) EXPECT_THROWS(am::limit_error, stapl::prange(v, 0, 3, n));
  const stapl::prange many(v, 0, 3, 7);
  REFUSED("subrange 7 of 7", many[7]);
  REFUSED("of 7", many[most]);
}
