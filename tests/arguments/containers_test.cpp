// SPDX-License-Identifier: Apache-2.0
// Containers, with arguments at their edges. Sizes have a test of their own, container/extents_test.cpp.
#include <array>
#include <cmath>
#include <string>

#include <armilla/algorithms.hpp>

#include "tests/arguments/edges.hpp"

namespace am = armilla;
using namespace edges;

namespace {

constexpr const char *no_element = "give an index from 0 to 9", *has_none = "it has no elements", *moved = "moved from";
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
      disjoint_set::unite, disjoint_set::test_and_unite, disjoint_set::find, disjoint_set::same) {
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
    REFUSED(no_element, d.test_and_unite(i, 0));
    REFUSED(no_element, d.test_and_unite(0, i));
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
      write_matrix_market, read_npy, write_npy, read_npz, npz_array::npz_array, write_npz, write_npz_compressed) {
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
    REFUSED("", am::read_npy<am::vector<int>>(path));
    REFUSED("", am::read_npy<am::matrix<int>>(path));
    REFUSED("", am::write_npy(path, x));
    REFUSED("", am::read_npz<am::vector<int>>(path, "x"));
    REFUSED("", am::read_npz<am::vector<int>>("/dev/null", path));
    REFUSED("", am::write_npz(path, am::npz_array("x", x)));
    REFUSED("", am::write_npz_compressed("/tmp/x.npz", am::npz_array(path, x)));
  }
}

EDGES(places_that_do_not_exist, placement::member_of, placement::place_of, placement::locate, placement::index_of,
      placement::count, placement::run_at, placement::next_on, array::index_of_local, spread_array::index_of_local) {
  const std::size_t p(am::ranks());
  std::vector<std::size_t> sizes(p, 0);
  sizes[p - 1] = 10;
  for (const am::distribution& d : {am::blocks(), am::cyclic(3), am::blocks(sizes)}) {
    const am::array<int> x(10, d);
    const am::placement& where = x.placement();
    for (const std::size_t i : {std::size_t{10}, half, most}) {
      EXPECT_EQ(where.member_of(i), am::no_rank);
      EXPECT_EQ(where.place_of(i), am::npos);
      EXPECT(where.locate(i).member == am::no_rank && where.locate(i).place == am::npos);
      EXPECT(where.run_at(i).member == am::no_rank && where.run_at(i).begin == 10 && where.run_at(i).end == 10);
      EXPECT_EQ(where.next_on(0, i), 10U);
      EXPECT_EQ(where.index_of(am::rank(), i), am::npos);
      REFUSED("element", x.index_of_local(i));
    }
    each_bad_rank([&](am::rank_t r) {
      EXPECT_EQ(where.count(r), 0U);
      EXPECT_EQ(where.index_of(r, 0), am::npos);
      EXPECT_EQ(where.next_on(r, 0), 10U);
    });
    EXPECT_EQ(where.index_of(am::rank(), x.local().size()), am::npos);
    REFUSED("element", x.index_of_local(x.local().size()));
    for (std::size_t k = 0; k < x.local().size(); ++k) EXPECT_EQ(where.member_of(x.index_of_local(k)), am::rank());
  }
  EXPECT_EQ(am::placement().count(0), 0U);
  EXPECT_EQ(am::placement().index_of(0, 0), am::npos);
  REFUSED("it has no elements", am::array<int>().index_of_local(0));
  for (const std::size_t block : {1, 3}) {
    const am::spread_array<int> s(10, block);
    for (const std::size_t k : {s.local().size(), std::size_t{10}, half, most})
      REFUSED(std::to_string(k).c_str(), s.index_of_local(k));
    for (std::size_t k = 0; k < s.local().size(); ++k) EXPECT_EQ(s.rank_of(s.index_of_local(k)), am::rank());
  }
  REFUSED("it has none", am::spread_array<int>().index_of_local(0));
}

EDGES(blocks_of_a_matrix, matrix_block::extent, matrix_block::origin, matrix_block::halo_before, matrix_block::halo_behind,
      matrix_block::row, local_span::extent, local_span::stride, matrix::set_border) {
  am::matrix<double> m({6, 6}, am::grid(), am::halo(1)), none;
  auto b = m.local();
  const auto cells = b.cells();
  for (const std::size_t d : {std::size_t{2}, half, most}) {
    const std::string what = "dimension " + std::to_string(d);
    REFUSED(what.c_str(), b.extent(d));
    REFUSED(what.c_str(), b.origin(d));
    REFUSED(what.c_str(), b.halo_before(d));
    REFUSED(what.c_str(), b.halo_behind(d));
    REFUSED(what.c_str(), cells.extent(d));
    REFUSED(what.c_str(), cells.stride(d));
  }
  const auto end = std::ptrdiff_t(b.extent(0));
  EXPECT_EQ(b.row(-1).size(), b.row(end).size());  // of the halo
  for (const std::ptrdiff_t i : {std::ptrdiff_t{-2}, end + 1, std::ptrdiff_t(half), std::ptrdiff_t(half - 1)})
    REFUSED("this rank's cells and their halo are from -1 to", b.row(i));
  using place = std::array<std::ptrdiff_t, 2>;
  double (*const no_border)(const place&) = nullptr;
  REFUSED(no_function, m.set_border(no_border));
  REFUSED(no_function, m.set_border(std::function<double(const place&)>()));
  REFUSED("it has no cells", none.set_border([](const place&) { return 1.0; }));
}

EDGES(keys_that_are_not_there, counting_set::count) {
  am::counting_set<double> s, gone;
  const am::counting_set<double> taken = std::move(gone);
  s.insert(not_a_number), s.insert(infinite);
  am::fence();
  EXPECT_EQ(s.count(not_a_number).get(), 0U);  // it is equal to nothing
  EXPECT_EQ(s.count(infinite).get(), std::size_t(am::ranks()));
  EXPECT_EQ(s.count(-infinite).get(), 0U);
  REFUSED(moved, gone.count(1));
  am::barrier();
}

EDGES(sets_of_keys, keyed_disjoint_set::keyed_disjoint_set, keyed_disjoint_set::insert, keyed_disjoint_set::unite,
      keyed_disjoint_set::find, keyed_disjoint_set::test_and_unite, keyed_disjoint_set::same) {
  using sets = am::keyed_disjoint_set<std::string>;
  moved_from<sets> s;
  REFUSED(moved, s.old.insert("a"));
  REFUSED(moved, s.old.unite("a", "b"));
  REFUSED(moved, s.old.find("a"));
  REFUSED(moved, s.old.test_and_unite("a", "b"));
  REFUSED(moved, s.old.same("a", "b"));
  REFUSED(moved, s.old.num_sets());
  REFUSED(moved, s.old.compress());
  REFUSED(no_team, sets(none));
  s.taken.unite("", std::string(100'000, 'x')), s.taken.unite("", "");
  am::fence();
  EXPECT(s.taken.same(std::string(100'000, 'x'), "").get());
  am::keyed_disjoint_set<double> numbers;
  numbers.unite(infinite, -infinite), numbers.unite(0.0, -0.0);
  am::fence();
  EXPECT_EQ(numbers.num_sets(), 2U);
  am::barrier();
}

EDGES(matrices_dealt_in_turn, cyclic_matrix::cyclic_matrix, cyclic_matrix::ptr, cyclic_matrix::extent, cyclic_matrix::tile,
      cyclic_matrix::blocks, cyclic_matrix::rank_of, cyclic_matrix::cell_of, cyclic_matrix::index_of, cyclic_matrix::take,
      cyclic_matrix::in_blocks, cyclic_matrix::keep) {
  using cells = am::cyclic_matrix<double>;
  cells m({10, 4}, {3, most});
  for (const std::size_t i : {std::size_t{10}, half, most}) {
    REFUSED("10", m.ptr({i, 0}));
    REFUSED("10", m.rank_of({i, 0}));
    REFUSED("4", m.index_of({0, i}));
    REFUSED("39", m.cell_of(i + 30 < i ? most : i + 30));
    REFUSED("dimension", m.extent(i));
    REFUSED("dimension", m.tile(i));
    REFUSED("dimension", m.blocks(i));
  }
  REFUSED("a tile has no cells", cells({4, 4}, {0, 1}));
  REFUSED("", cells({4, 4}, {1, 1}, am::grid({am::ranks() + 1, 1})));
  EXPECT_THROWS_SAYING(am::limit_error, "more than any segments hold", cells({half, half}, {1, 1}));
  REFUSED("by 4 cells cannot take the cells of one of 4 by 10", m.take(am::matrix<double>({4, 10})));
  REFUSED("", m.in_blocks(am::grid({am::ranks() + 1, 1})));
  REFUSED("", m.keep(0));
  REFUSED("no copies", m.checkpoint());
  moved_from<cells> gone(std::array<std::size_t, 2>{4, 4}, std::array<std::size_t, 2>{2, 2});
  EXPECT_EQ(gone.old.size(), 0U);
  REFUSED("it has no cells", gone.old.take(m));
  REFUSED("it has no cells", gone.old.in_blocks());
  am::barrier();
}

EDGES(vertices_of_graphs_that_grow, growing_graph::append, growing_graph::call, growing_graph::contains, growing_graph::count,
      growing_graph::erase, growing_graph::find, growing_graph::find_local, growing_graph::get, growing_graph::insert,
      growing_graph::insert_and_visit, growing_graph::insert_or_assign, growing_graph::insert_or_visit, growing_graph::rank_of,
      growing_graph::test_and_insert, growing_graph::try_emplace, growing_graph::update, growing_graph::visit) {
  using row = std::vector<am::growing_edge<void>>;
  am::growing_graph<> g;
  const char* const wide = "are 4294967295 at most";
  const auto nothing = [](row&) {};
  for (const std::uint64_t v : {std::uint64_t{1} << 32, std::uint64_t{half}, std::uint64_t{most}}) {
    REFUSED(wide, g.append(v, am::growing_edge<void>{1}));
    REFUSED(wide, static_cast<void>(g.call(v, [](const row&) { return 1; })));
    REFUSED(wide, static_cast<void>(g.contains(v)));
    REFUSED(wide, static_cast<void>(g.count(v)));
    REFUSED(wide, g.erase(v));
    REFUSED(wide, static_cast<void>(g.find(v)));
    REFUSED(wide, static_cast<void>(g.find_local(v)));
    REFUSED(wide, static_cast<void>(g.get(v)));
    REFUSED(wide, g.insert(v, row()));
    REFUSED(wide, g.insert_and_visit(v, row(), nothing));
    REFUSED(wide, g.insert_or_assign(v, row()));
    REFUSED(wide, g.insert_or_visit(v, row(), nothing));
    REFUSED(wide, static_cast<void>(g.rank_of(v)));
    REFUSED(wide, static_cast<void>(g.test_and_insert(v, row())));
    REFUSED(wide, g.try_emplace(v));
    REFUSED(wide, g.update(v, row(), [](const row& a, const row&) { return a; }));
    REFUSED(wide, g.visit(v, nothing));
  }
}

EDGES(graphs_that_grow, growing_graph::growing_graph, growing_graph::add_vertex, growing_graph::add_edge,
      growing_graph::erase_edges, growing_graph::neighbours, growing_graph::degree, growing_graph::compact) {
  moved_from<am::growing_graph<>> g;
  REFUSED(moved, g.old.add_vertex(1));
  REFUSED(moved, g.old.add_edge(1, 2));
  REFUSED(moved, g.old.erase_edges(1, 2));
  REFUSED(moved, g.old.neighbours(1));
  REFUSED(moved, g.old.degree(1));
  REFUSED(moved, g.old.compact());
  REFUSED(moved, g.old.count_edges());
  REFUSED(no_team, am::growing_graph<>(none));
  constexpr am::vertex_id greatest = 0xffffffff;
  g.taken.add_edge(greatest, greatest), g.taken.erase_edges(greatest, 7);
  am::fence();
  EXPECT_EQ(g.taken.degree(greatest).get(), std::size_t(am::ranks()));
  am::barrier();
  try {
    static_cast<void>(g.taken.compact());
    EXPECT(false);
  } catch (const am::limit_error&) {}
  am::barrier();
}

EDGES(defaults_of_maps, default_value) {
  am::unordered_map<std::string, double> m(am::default_value(not_a_number));
  EXPECT(std::isnan(m.get("").get()));
  REFUSED(no_team, (am::unordered_map<int, int>(am::default_value(1), none)));
  am::barrier();
}

EDGES(containers_over_no_rank, map::map, set::set, unordered_map::unordered_map, unordered_multimap::unordered_multimap,
      unordered_multiset::unordered_multiset, unordered_set::unordered_set, queue::queue, priority_queue::priority_queue) {
  REFUSED(no_team, (am::map<int, int>(none)));
  REFUSED(no_team, (am::set<int>(none)));
  REFUSED(no_team, (am::unordered_map<int, int>(none)));
  REFUSED(no_team, (am::unordered_multimap<int, int>(none)));
  REFUSED(no_team, (am::unordered_multiset<int>(none)));
  REFUSED(no_team, (am::unordered_set<int>(none)));
  REFUSED(no_team, (am::queue<int>(none)));
  REFUSED(no_team, (am::priority_queue<int>(none)));
}

EDGES(channels_between_ranks, remote_channel::remote_channel, remote_channel::push, remote_channel::try_push,
      remote_channel::push_async, remote_channel::push_range, remote_channel::pop_some) {
  for (const std::size_t capacity : {std::size_t{0}, half, most}) REFUSED("capacity", am::remote_channel<int>(0, capacity));
  for (const am::rank_t r : {am::rank_t(-1), am::ranks()}) {
    REFUSED("is not a member", am::remote_channel<int>(r, 1));
    REFUSED("is not a member", am::remote_channel<int>(0, 1, {r}));
  }
  REFUSED(no_team, am::remote_channel<int>(none, 0, 1));
  am::remote_channel<int> to_self(0, 4, {0});
  if (am::rank() == 0) {
    EXPECT_EQ(to_self.push_range(std::vector<int>{}), 0U);
    EXPECT_EQ(to_self.push_range(std::vector<int>{1, 2}), 2U);
    EXPECT(to_self.pop_some(0).empty());
    EXPECT(!to_self.pop_some(most).empty());
  } else {
    REFUSED("is not a sender", to_self.push(1));
    REFUSED("is not a sender", to_self.try_push(1));
    REFUSED("is not a sender", to_self.push_async(1));
    REFUSED("is not a sender", to_self.push_range(std::vector<int>{1}));
  }
  moved_from<am::remote_channel<int>> gone(0, 1);
  REFUSED(moved, gone.old.push(1));
  REFUSED(moved, gone.old.pop());
  am::fence();
}

EDGES(keyed_containers_that_were_moved_from, map::insert_or_visit, map::insert_and_visit, map::visit, map::between,
      map::find_local, map::find_range, map::get, unordered_map::get, map::insert_or_assign, map::rebalance_like,
      map::test_and_insert, map::try_emplace, map::update_range) {
  const std::vector<int> keys = {1, 2};
  const std::vector<std::pair<const int, int>> pairs = {{1, 1}};
  moved_from<am::map<int, int>> m;
  moved_from<am::unordered_map<int, int>> u;
  REFUSED(moved, m.old.between(1, 2));
  REFUSED(moved, m.old.rebalance_like(keys));
  const auto refuse = [&](auto& x) {
    REFUSED(moved, x.insert_or_visit(1, 1, [](int&) {}));
    REFUSED(moved, x.insert_and_visit(1, 1, [](int&) {}));
    REFUSED(moved, x.visit(1, [](int&) {}));
    REFUSED(moved, x.clear());
    REFUSED(moved, x.find_local(1));
    REFUSED(moved, x.find_range(keys));
    REFUSED(moved, x.get(1));
    REFUSED(moved, x.insert_or_assign(1, 1));
    REFUSED(moved, x.test_and_insert(1, 1));
    REFUSED(moved, x.try_emplace(1, 1));
    REFUSED(moved, x.update_range(pairs, std::plus<>{}));
  };
  refuse(m.old);
  refuse(u.old);
  void (*const no_visit)(int&) = nullptr;
  REFUSED("the function pointer is null", u.taken.insert_or_visit(1, 1, no_visit));
  REFUSED("the function pointer is null", u.taken.insert_and_visit(1, 1, no_visit));
  moved_from<am::bag<int>> b;
  REFUSED("", b.old.push(1, 0));
  REFUSED("", b.taken.push(1, am::ranks()));
  am::fence();
}

EDGES(ranges_of_keys_and_numbers_of_items, map::between, map::find_range, queue::pop_some) {
  am::map<int, int> m;
  m.insert(3, 1);
  am::fence();
  EXPECT(m.between(4, 2).empty());  // the wrong way round
  EXPECT(m.between(3, 3).empty());
  EXPECT(m.find_range(std::vector<int>{}).empty());
  std::vector<std::optional<int>> too_few(1);
  REFUSED("", m.find_range(std::vector<int>{1, 3}, too_few));
  am::queue<int> q;
  if (am::rank() == 0) q.push(1);
  am::fence();
  if (am::rank() == 0) {
    EXPECT(q.pop_some(0).get().empty());
    EXPECT_EQ(q.pop_some(most).get().size(), 1U);
  }
  am::fence();
}
