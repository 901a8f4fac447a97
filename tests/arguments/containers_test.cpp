// SPDX-License-Identifier: Apache-2.0
// Containers, with arguments at their edges. Sizes have a test of their own, container/extents_test.cpp.
#include <armilla/algorithms.hpp>

#include "tests/arguments/edges.hpp"

namespace am = armilla;
using namespace edges;

namespace {

constexpr const char *no_element = "give an index from 0 to 9", *has_none = "it has none", *moved = "moved from";
const am::team none;

/// The same container, and one that was moved from.
template <class C>
struct moved_from {
  C old, taken;
  template <class... A>
  explicit moved_from(A&&... a) : old(std::forward<A>(a)...), taken(std::move(old)) {}
};

}  // namespace

EDGES(elements_outside, array::get, array::set, array::store, array::update, array::visit, array::call, array::rank_of,
      array::ptr, bitmap::set, bitmap::reset, bitmap::flip, bitmap::test, bitmap::test_and_set, bitmap::rank_of,
      disjoint_set::unite, disjoint_set::find, disjoint_set::same) {
  am::array<int> x(10);
  am::bitmap b(10);
  am::disjoint_set d(10);
  for (const std::size_t i : {std::size_t{10}, half, most}) {
    REFUSED(no_element, x.get(i));
    REFUSED(no_element, x.set(i, 1));
    REFUSED(no_element, x.store(i, 1));
    REFUSED(no_element, x.update(i, 1, std::plus<>{}));
    REFUSED(no_element, x.visit(i, [](int&) {}));
    REFUSED(no_element, x.call(i, [](int&) { return 1; }));
    REFUSED(no_element, x.rank_of(i));
    REFUSED(no_element, x.ptr(i));
    REFUSED(no_element, int(x[i]));
    REFUSED(no_element, b.set(i));
    REFUSED(no_element, b.reset(i));
    REFUSED(no_element, b.flip(i));
    REFUSED(no_element, b.test(i));
    REFUSED(no_element, b.test_and_set(i));
    REFUSED(no_element, b.rank_of(i));
    REFUSED(no_element, d.unite(0, i));
    REFUSED(no_element, d.unite(i, 0));
    REFUSED(no_element, d.find(i));
    REFUSED(no_element, d.same(0, i));
  }
  void (*const no_visit)(int&) = nullptr;
  REFUSED("the function pointer is null", x.visit(0, no_visit));
  am::fence();
}

EDGES(vertices_outside, graph::graph, graph::rank_of, graph::degree, graph::in_degree, graph::in_neighbours, graph::edge_data,
      graph::in_edge_data) {
  const std::vector<am::weighted_edge<int>> mine(am::rank() == 0 ? 1 : 0, {0, 1, 5});
  const am::graph<void, int> g(mine, {.in_edges = true});
  for (const std::size_t v : {std::size_t{2}, half, most}) {
    const std::string what = "vertex " + std::to_string(v) + " of";
    REFUSED(what.c_str(), g.rank_of(v));
    REFUSED(what.c_str(), g.neighbours(v));
    REFUSED(what.c_str(), g.degree(v));
    REFUSED(what.c_str(), g.in_neighbours(v));
    REFUSED(what.c_str(), g.in_degree(v));
    REFUSED(what.c_str(), g.fetch_neighbours(v));
    REFUSED(what.c_str(), g.edge_data(v));
    REFUSED(what.c_str(), g.in_edge_data(v));
    EXPECT_THROWS(am::error, am::graph<void, int>(2, std::vector<am::weighted_edge<int>>{{0, v, 5}}));
  }
}

EDGES(containers_without_ranks, array::resize, array::redistribute, array::save, array::keep, array::checkpoint,
      vector::push_back, vector::append, vector::keep_local, bag::push, bag::push_range, matrix::save, matrix::keep,
      matrix::checkpoint, rebalance) {
  const auto each = [](auto&& x) {
    REFUSED(has_none, x.get(0));
    REFUSED(has_none, x.set(0, 1));
    REFUSED(has_none, x.ptr(0));
    EXPECT_EQ(x.local().size(), 0U);
    REFUSED("no ranks", x.resize(3));
    REFUSED("no ranks", x.redistribute(am::cyclic()));
    REFUSED("no ranks", x.save("unused"));
    REFUSED("no ranks", x.keep(1));
    REFUSED("", x.checkpoint());
    REFUSED("no ranks", am::sort(x));
    REFUSED("no ranks", am::fill(x, 0));
    REFUSED("no ranks", am::reduce(x, 0));
  };
  each(am::array<int>());
  each(am::vector<int>());
  each(moved_from<am::array<int>>(10).old);
  moved_from<am::vector<int>> v(10);
  each(v.old);
  REFUSED("without ranks", v.old.push_back(1));
  REFUSED("without ranks", v.old.append(std::vector<int>{1}));
  REFUSED("without ranks", v.old.keep_local(0));
  REFUSED("no ranks", v.old.rebalance());
  moved_from<am::bag<int>> b;
  REFUSED("without ranks", b.old.push(1));
  REFUSED("without ranks", b.old.push_range(std::vector<int>{1}));
  const auto matrix = [](auto&& m) {
    EXPECT_EQ(m.size(), 0U);
    REFUSED("", m.local());
    REFUSED("", m.ptr({0, 0}));
    REFUSED("", m.exchange());
    REFUSED("", am::fill(m, 1.0));
    REFUSED("", m.save("unused"));
    REFUSED("", m.keep(1));
  };
  matrix(am::matrix<double>());
  matrix(moved_from<am::matrix<double>>(am::matrix<double>::point{3, 3}).old);
}

EDGES(others_that_were_moved_from, bitmap::or_with, bitmap::and_with, bitmap::xor_with, list::push_back, list::push_local,
      list::splice, work_queue::push, work_queue::process, graph::neighbours, graph::fetch_neighbours,
      sparse_matrix::for_each_entry, expose) {
  moved_from<am::bitmap> b(10);
  REFUSED(has_none, b.old.set(0));
  REFUSED("", b.old.or_with(b.taken));
  REFUSED("", b.taken.and_with(b.old));
  REFUSED("", b.taken.xor_with(b.old));
  REFUSED(moved, moved_from<am::disjoint_set>(10).old.num_sets());
  moved_from<am::list<int>> l;
  REFUSED(moved, l.old.push_back(1));
  REFUSED(moved, l.old.push_local(1));
  REFUSED("", l.taken.splice(l.old));
  moved_from<am::work_queue<int>> w;
  REFUSED("", w.old.push(1));
  REFUSED("", w.old.process([](int) {}));
  moved_from<am::graph<>> g(std::vector<am::edge>{{0, 1}});
  EXPECT_EQ(g.old.size(), 0U);
  REFUSED("", g.old.neighbours(0));
  REFUSED("", g.old.fetch_neighbours(0));
  REFUSED("", am::bfs(g.old, 0));
  moved_from<am::sparse_matrix<double>> s(3, 3, std::vector<am::matrix_entry<double>>{});
  EXPECT_EQ(s.old.rows() + s.old.columns(), 0U);
  s.old.for_each_entry([](auto...) { EXPECT(false); });
  moved_from<am::array<int>> x(10);
  REFUSED("", am::expose("x", x.old));
  moved_from<am::unordered_map<int, int>> u;
  REFUSED(moved, u.old.insert(1, 1));
  REFUSED(moved, u.old.find(1));
}

EDGES(teams_that_are_empty_for_containers, on, as_in, bitmap::bitmap, disjoint_set::disjoint_set, list::list, bag::bag,
      work_queue::work_queue, array::recover) {
  REFUSED(no_team, am::array<int>(10, am::on(none)));
  REFUSED(no_team, am::array<int>(10, am::as_in(none, am::placement(10, am::ranks(), {}))));
  REFUSED(no_team, am::bag<int>(am::on(none)));
  REFUSED(no_team, am::bitmap(10, none));
  REFUSED(no_team, am::disjoint_set(10, none));
  REFUSED(no_team, am::list<int>(none));
  REFUSED("", am::work_queue<int>(none));
  REFUSED("", am::sparse_matrix<int>(3, 3, std::vector<am::matrix_entry<int>>(), none));
  am::array<int> x(10);
  REFUSED("", x.recover(none));
}

EDGES(placements, placement::placement, placement::over, placement::resized, blocks, cyclic) {
  REFUSED("0 members", am::placement(10, 0, {}));
  REFUSED("-1 members", am::placement(10, -1, {}));
  REFUSED("0 members", am::placement(std::vector<std::size_t>{}));
  REFUSED("0 members", am::placement(10, 2, {}).over(0));
  EXPECT_THROWS(am::limit_error, am::placement(10, 2, {}).resized(most));
  EXPECT_EQ(am::array<int>(10, am::cyclic(most)).size(), 10U);
}

EDGES(dimensions, matrix::extent, matrix::blocks, matrix::ptr, matrix::rank_of, matrix::index_of, halo::sides, halo::before,
      halo::behind, halo::is_periodic, matrix::cell_of) {
  am::matrix<double> m({3, 3});
  const am::halo h(1);
  for (const std::size_t d : {std::size_t{3}, half, most}) {
    const std::string what = "dimension " + std::to_string(d);
    REFUSED(what.c_str(), m.extent(d));
    REFUSED(what.c_str(), m.blocks(d));
    REFUSED(what.c_str(), h.sides(d, 1, 1));
    REFUSED(what.c_str(), h.before(d));
    REFUSED(what.c_str(), h.behind(d));
    EXPECT(!h.is_periodic(d));
    REFUSED("", m.ptr({d, 0}));
    REFUSED("", m.rank_of({0, d}));
    REFUSED("", m.index_of({0, d}));
    REFUSED("", m.cell_of(d + 6 * (d == 3)));
  }
}

EDGES(files_of_names_that_are_none, array::load, matrix::load, vector::load, list::save, list::load, read_lines, read_words,
      read_csv, read_edges, read_binary, read_matrix_market, write_lines, write_words, write_edges, write_binary,
      write_matrix_market) {
  am::array<int> x(10);
  const am::array<std::string> lines(2, "word");
  const am::array<am::edge> edges_of(2);
  am::list<int> l;
  for (const std::string& path : {std::string(), path_with_nul}) {
    REFUSED("", x.save(path));
    REFUSED("", x.load(path));
    REFUSED("", l.save(path));
    REFUSED("", l.load(path));
    REFUSED("", am::read_lines(path));
    REFUSED("", am::read_words(path));
    REFUSED("", (am::read_csv<int, int>(path)));
    REFUSED("", am::read_edges(path));
    REFUSED("", am::read_binary<int>(path));
    REFUSED("", am::read_matrix_market(path));
    REFUSED("", am::write_lines(path, lines));
    REFUSED("", am::write_words(path, lines));
    REFUSED("", am::write_edges(path, edges_of));
    REFUSED("", am::write_binary(path, x));
  }
}
