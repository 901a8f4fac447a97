// SPDX-License-Identifier: Apache-2.0
// What errors call containers, distributed objects and teams: by name, type, size and the line that makes them.
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <armilla/algorithms.hpp>

#include "armilla/container/files/files_testing.hpp"
#include "armilla/container/image/save_testing.hpp"
#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

std::string here(int line) { return "names_test.cpp:" + std::to_string(line) + ")"; }

/// What `f` throws.
template <class F>
std::string error_of(F f) {
  try {
    f();
  } catch (const am::error& e) { return e.what(); }
  return "nothing";
}
template <class C>
std::string name_of(const C& x) {
  return am::detail::described(am::detail::images::known(x));
}
#define EXPECT_NAMED(expected, ...) EXPECT_EQ(name_of(__VA_ARGS__), std::string(expected) + here(__LINE__))
#define EXPECT_SAYS(text, ...) \
  if (const std::string said = error_of(__VA_ARGS__); said.find(text) == std::string::npos) EXPECT_EQ(said, std::string(text))

using strings = am::array<std::string>;
const std::vector<am::edge> edges = {{0, 1}, {1, 2}};
const std::vector<am::matrix_entry<double>> entries = {{0, 1, 2.0}};

RANK_TEST(unnamed_sequences_are_described_by_type_size_and_line) {
  EXPECT_NAMED("am::array<double> (1,000 elements, ", am::array<double>(1000));
  EXPECT_NAMED("am::array<string> (1 element, ", strings(1, "x", am::cyclic()));
  EXPECT_NAMED("am::vector<int> (1,234,567 elements, ", am::vector<int>(1234567));
  EXPECT_NAMED("am::bag<long> (0 elements, ", am::bag<long>());
  EXPECT_NAMED("am::list<int> (0 elements, ", am::list<int>());
  EXPECT_NAMED("am::queue<int> (0 elements, ", am::queue<int>());
  EXPECT_NAMED("am::priority_queue<int> (0 elements, ", am::priority_queue<int>(am::world()));
  EXPECT_NAMED("am::work_queue<int> (0 elements, ", am::work_queue<int>());
  EXPECT_NAMED("am::bitmap (70 elements, ", am::bitmap(70));
  EXPECT_NAMED("am::disjoint_set (70 elements, ", am::disjoint_set(70));
}

RANK_TEST(unnamed_keyed_containers_are_described_by_type_size_and_line) {
  EXPECT_NAMED("am::unordered_map<string, long> (0 elements, ", am::unordered_map<std::string, long>());
  EXPECT_NAMED("am::unordered_set<int> (0 elements, ", am::unordered_set<int>(am::world()));
  EXPECT_NAMED("am::counting_set<int> (0 elements, ", am::counting_set<int>());
  EXPECT_NAMED("am::unordered_multimap<int, int> (0 elements, ", am::unordered_multimap<int, int>());
  EXPECT_NAMED("am::unordered_multiset<int> (0 elements, ", am::unordered_multiset<int>({.gather = 100}));
  EXPECT_NAMED("am::map<int, int> (0 elements, ", am::map<int, int>());
  EXPECT_NAMED("am::set<string> (0 elements, ", am::set<std::string>());
}

RANK_TEST(unnamed_matrices_and_graphs_are_described_by_type_size_and_line) {
  EXPECT_NAMED("am::matrix<double, 2> (100 x 2,000 cells, ", am::matrix<double>({100, 2000}));
  EXPECT_NAMED("am::matrix<int, 3> (2 x 3 x 4 cells, ", am::matrix<int, 3>({2, 3, 4}, am::grid(), am::halo(1)));
  EXPECT_NAMED("am::sparse_matrix<double> (3 x 5 cells, ", am::sparse_matrix<double>(3, 5, entries));
  EXPECT_NAMED("am::graph<> (3 vertices, ", am::graph<>(3, edges));
  EXPECT_NAMED("am::graph<int, void> (3 vertices, ", am::graph<int>(edges, {.undirected = true}));
}

RANK_TEST(a_name_comes_first) {
  const auto x = am::named("x");
  const std::string line = here(__LINE__ - 1);
  const am::team t = am::world();
  EXPECT_EQ(name_of(am::array<double>(10, x)), "\"x\" (am::array<double>, 10 elements, " + line);
  EXPECT_EQ(name_of(am::array<double>(10, 1.5, x)), "\"x\" (am::array<double>, 10 elements, " + line);
  EXPECT_EQ(name_of(am::vector<double>(10, am::on(t), x)), "\"x\" (am::vector<double>, 10 elements, " + line);
  EXPECT_EQ(name_of(am::vector<double>(10, x)), "\"x\" (am::vector<double>, 10 elements, " + line);
  EXPECT_EQ(name_of(am::bag<int>(x)), "\"x\" (am::bag<int>, 0 elements, " + line);
  EXPECT_EQ(name_of(am::list<int>(x)), "\"x\" (am::list<int>, 0 elements, " + line);
  EXPECT_EQ(name_of(am::list<int>(t, x)), "\"x\" (am::list<int>, 0 elements, " + line);
  EXPECT_EQ(name_of(am::queue<int>(x)), "\"x\" (am::queue<int>, 0 elements, " + line);
  EXPECT_EQ(name_of(am::priority_queue<int>(t, x)), "\"x\" (am::priority_queue<int>, 0 elements, " + line);
  EXPECT_EQ(name_of(am::work_queue<int>(x)), "\"x\" (am::work_queue<int>, 0 elements, " + line);
  EXPECT_EQ(name_of(am::remote_channel<int>(0, 4, {0}, x)), "\"x\" (am::remote_channel<int>, 0 elements, " + line);
  EXPECT_EQ(name_of(am::bitmap(10, x)), "\"x\" (am::bitmap, 10 elements, " + line);
  EXPECT_EQ(name_of(am::disjoint_set(10, x)), "\"x\" (am::disjoint_set, 10 elements, " + line);
  EXPECT_EQ(name_of(am::unordered_map<int, int>(x)), "\"x\" (am::unordered_map<int, int>, 0 elements, " + line);
  EXPECT_EQ(name_of(am::unordered_map<int, int>(t, x)), "\"x\" (am::unordered_map<int, int>, 0 elements, " + line);
  EXPECT_EQ(name_of(am::unordered_set<int>({.gather = 9}, x)), "\"x\" (am::unordered_set<int>, 0 elements, " + line);
  EXPECT_EQ(name_of(am::counting_set<int>(x)), "\"x\" (am::counting_set<int>, 0 elements, " + line);
  EXPECT_EQ(name_of(am::map<int, int>(t, {}, x)), "\"x\" (am::map<int, int>, 0 elements, " + line);
  EXPECT_EQ(name_of(am::set<int>(x)), "\"x\" (am::set<int>, 0 elements, " + line);
  EXPECT_EQ(name_of(am::matrix<int, 1>({10}, x)), "\"x\" (am::matrix<int, 1>, 10 cells, " + line);
  EXPECT_EQ(name_of(am::sparse_matrix<double>(3, 5, entries, x)), "\"x\" (am::sparse_matrix<double>, 3 x 5 cells, " + line);
  EXPECT_EQ(name_of(am::graph<>(3, edges, x)), "\"x\" (am::graph<>, 3 vertices, " + line);
  EXPECT_EQ(name_of(am::graph<>(edges, {}, x)), "\"x\" (am::graph<>, 3 vertices, " + line);
}

RANK_TEST(a_name_is_escaped_and_truncated) {
  EXPECT_NAMED("\"a\\nb\" (am::bitmap, 1 element, ", am::bitmap(1, am::named("a\nb")));
  EXPECT_NAMED('"' + std::string(64, 'n') + "\" (am::bitmap, 1 element, ", am::bitmap(1, am::named(std::string(500, 'n'))));
}

am::vector<int> made_for(std::size_t n, const am::made_at& at = std::source_location::current()) { return {n, at}; }
struct two_maps {
  am::map<int, int> first;
  am::unordered_map<int, int> second;
};

RANK_TEST(a_function_that_makes_a_container_passes_on_the_line_of_its_caller) {
  EXPECT_NAMED("am::vector<int> (3 elements, ", made_for(3));
  const two_maps both{};
  EXPECT(name_of(both.second).find("names_test.cpp:") != std::string::npos);
}

RANK_TEST(a_name_stays_when_the_container_moves_or_changes) {
  am::vector<int> x(5, am::named("x"));
  const std::string line = here(__LINE__ - 1);
  am::vector<int> y = std::move(x);
  EXPECT_EQ(name_of(y), "\"x\" (am::vector<int>, 5 elements, " + line);
  y.resize(1000);
  EXPECT_EQ(name_of(y), "\"x\" (am::vector<int>, 1,000 elements, " + line);
  x = std::move(y);
  x.push_back(1);
  am::fence();
  x.redistribute(am::cyclic());
  const std::string now = am::detail::with_commas(x.size());
  EXPECT_EQ(name_of(x), "\"x\" (am::vector<int>, " + now + " elements, " + line);
  am::vector<int> other(1, am::named("other"));
  swap(x, other);
  EXPECT_EQ(name_of(other), "\"x\" (am::vector<int>, " + now + " elements, " + line);
  EXPECT_NAMED("am::vector<int> (" + now + " elements, ", other.like());
  EXPECT_NAMED("\"copy\" (am::vector<int>, " + now + " elements, ", other.clone(am::named("copy")));
  am::matrix<int, 1> cells({10}, am::named("cells"));
  EXPECT_NAMED("am::matrix<int, 1> (10 cells, ", cells.like());
  EXPECT_NAMED("\"copy\" (am::matrix<int, 1>, 10 cells, ", cells.clone(am::named("copy")));
}

RANK_TEST(what_a_container_or_a_file_makes_is_made_at_the_line_of_the_caller) {
  const am::bitmap bits(70);
  EXPECT_NAMED("am::bitmap (70 elements, ", bits.clone());
  EXPECT_NAMED("\"copy\" (am::bitmap, 70 elements, ", bits.clone(am::named("copy")));
  const am::cyclic_matrix<int> tiles({4, 6}, {2, 2});
  EXPECT_NAMED("am::cyclic_matrix<int> (4 x 6 cells, ", tiles.like());
  EXPECT_NAMED("\"copy\" (am::cyclic_matrix<int>, 4 x 6 cells, ", tiles.clone(am::named("copy")));
  EXPECT_NAMED("am::matrix<int, 2> (4 x 6 cells, ", tiles.in_blocks());
  am::growing_graph<> growing;
  if (am::rank() == 0) growing.add_edge(0, 2);
  EXPECT_NAMED("am::graph<> (3 vertices, ", growing.compact());
  const am::sparse_matrix<double> sparse(3, 3, entries);
  EXPECT_NAMED("am::array<double> (3 elements, ", sparse.diagonal());
}

RANK_TEST(what_is_read_from_a_file_is_made_at_the_line_of_the_caller) {
  const files_testing::text_file list("a b\nb c\n");
  const auto g = am::read_graph(list.path());
  EXPECT_EQ(name_of(g), "am::graph<> (3 vertices, " + here(__LINE__ - 1));
  EXPECT_NAMED("am::array<string> (3 elements, ", g.names());
  EXPECT_NAMED("\"roads\" (am::graph<>, 3 vertices, ", am::read_graph(list.path(), {}, am::named("roads")));
  am::write_matrix_market(list.path(), am::sparse_matrix<double>(3, 5, entries));
  EXPECT_NAMED("am::sparse_matrix<double> (3 x 5 cells, ", am::read_matrix_market(list.path()));
  am::write_npy(list.path(), am::vector<int>(5));
  EXPECT_NAMED("am::vector<int> (5 elements, ", am::read_npy<am::vector<int>>(list.path()));
}

RANK_TEST(a_name_stays_over_save_load_rebalance_and_recovery) {
  const am::save_testing::scratch_path path;
  am::map<int, int> m(am::named("ages"));
  am::graph<> g(3, edges, am::named("roads"));
  am::bag<int> b(am::named("found"));
  am::matrix<int> a({4, 4}, am::named("cells"));
  const auto named = [&](const char* when) {
    const std::string all = name_of(m) + name_of(g) + name_of(b) + name_of(a);
    for (const char* const each :
         {"\"ages\" (am::map<int, int>", "\"roads\" (am::graph<>", "\"found\" (am::bag<int>", "\"cells\" (am::matrix<int, 2>"})
      if (all.find(each) == std::string::npos) EXPECT_EQ(std::string(when) + all, each);
  };
  m.save(path.str()), m.load(path.str());
  g.save(path.str()), g.load(path.str());
  b.save(path.str()), b.load(path.str());
  a.save(path.str()), a.load(path.str());
  named("load");
  m = am::rebalance(am::world(), std::move(m)), g = am::rebalance(am::world(), std::move(g));
  b = am::rebalance(am::world(), std::move(b)), a = am::rebalance(am::world(), std::move(a));
  named("rebalance");
  m = am::shrink(am::world(), std::move(m)), g = am::shrink(am::world(), std::move(g));
  b = am::shrink(am::world(), std::move(b)), a = am::shrink(am::world(), std::move(a));
  named("shrink");
}

// ---- Errors ----

RANK_TEST(an_index_out_of_range_names_the_container) {
  am::vector<double> t(1000, am::named("temperature"));
  const std::string what = "\"temperature\" (am::vector<double>, 1,000 elements, " + here(__LINE__ - 1) +
                           ": index 5,000 is out of range; give an index from 0 to 999";
  EXPECT_SAYS(what, [&] { t[5000] = 1; });
  EXPECT_SAYS(what, [&] { t.visit(5000, [](double&) {}); });
  const std::vector<std::size_t> indices = {3, 5000};
  EXPECT_SAYS(what, [&] { am::gather(t, indices); });
  EXPECT_SAYS("is the index a negative number?", [&] { t[std::size_t(-1)] = 1; });
  am::matrix<double> m({10, 10}, am::named("heat"));
  EXPECT_SAYS("\"heat\" (am::matrix<double, 2>, 10 x 10 cells, " + here(__LINE__ - 1) + ": coordinate 10", [&] { m(1, 10) = 1; });
  am::bitmap bits(10, am::named("visited"));
  EXPECT_SAYS("\"visited\" (am::bitmap, 10 elements, " + here(__LINE__ - 1) + ": index 10 ", [&] { bits.set(10); });
  am::graph<> roads(3, edges, am::named("roads"));
  EXPECT_SAYS("\"roads\" (am::graph<>, 3 vertices, " + here(__LINE__ - 1) + ": vertex 3", [&] { (void)roads.neighbours(3); });
}

RANK_TEST(an_operation_on_a_container_names_it) {
  am::unordered_map<int, int> m(am::named("ages"));
  const std::string what = "of \"ages\" (am::unordered_map<int, int>, 0 elements, " + here(__LINE__ - 1) + ": ";
  EXPECT_SAYS("checkpoint " + what, [&] { m.checkpoint(); });
  EXPECT_SAYS("load " + what, [&] { m.load("/nowhere"); });
  EXPECT_SAYS("save " + what, [&] { m.save("/nowhere/at/all"); });
  am::array<int> a(3, am::named("a"));
  EXPECT_SAYS("load of \"a\" (am::array<int>, 3 elements, " + here(__LINE__ - 1) + ": ", [&] { a.load("/nowhere"); });
  am::cyclic_matrix<int> tiles({4, 6}, {2, 2}, am::named("tiles"));
  const std::string of_tiles = "\"tiles\" (am::cyclic_matrix<int>, 4 x 6 cells, " + here(__LINE__ - 1) + ": ";
  EXPECT_SAYS("checkpoint of " + of_tiles, [&] { tiles.checkpoint(); });
  EXPECT_SAYS("load of " + of_tiles, [&] { tiles.load("/nowhere"); });
  EXPECT_SAYS("save of " + of_tiles, [&] { tiles.save("/nowhere/at/all"); });
  EXPECT_SAYS("take: " + of_tiles, [&] { tiles.take(am::cyclic_matrix<int>({4, 5}, {2, 2})); });
}

RANK_TEST(a_file_contains_the_name_of_the_container) {
  const am::save_testing::scratch_path path;
  am::unordered_map<int, int> m(am::named("ages"));
  const std::string what = "saved from \"ages\" (am::unordered_map<int, int>, 0 elements, " + here(__LINE__ - 1);
  m.save(path.str());
  am::array<int> a(3);
  EXPECT_SAYS(what, [&] { a.load(path.str()); });
}

RANK_TEST(a_failed_construction_names_the_container) {
  const am::distribution uneven = am::blocks({9, 9, 9, 9, 9});
  const auto large = [] { am::vector<double>(std::size_t(1) << 60, am::named("large")); };
  EXPECT_SAYS("\"large\" (am::vector<double>, " + here(__LINE__ - 1) + ": ", large);
  const auto dealt = [&] { am::array<int>(10, uneven, am::named("dealt")); };
  EXPECT_SAYS("\"dealt\" (am::array<int>, " + here(__LINE__ - 1) + ": ", dealt);
  EXPECT_SAYS("\"tasks\" (am::queue<int>, " + here(__LINE__) + ": ", [] { am::queue<int>(am::ranks(), am::named("tasks")); });
  EXPECT_SAYS("am::graph<> (" + here(__LINE__) + ": ", [] { am::graph<>(1, edges); });
  EXPECT_SAYS("am::sparse_matrix<double> (" + here(__LINE__) + ": ", [] { am::sparse_matrix<double>(1, 1, entries); });
}

RANK_TEST(different_containers_are_all_named) {
  if (am::ranks() == 1) return;
  const bool first = am::rank() == 0;
  const auto x = first ? am::named("here") : am::named("there");
  const std::string said = error_of([&] { am::array<int>(first ? 10 : 11, x); });
  for (const char* const each :
       {"rank 0 \"here\" (am::array<int>, names_test.cpp", "rank 1 \"there\" (am::array<int>, names_test.cpp"})
    if (said.find(each) == std::string::npos) EXPECT_EQ(said, each);
}

struct counter_part {
  int n = 0;
  void add(int k) { n += k; }
};

RANK_TEST(destroyed_objects_are_still_named) {
  am::vector<int>::handle_type h;
  am::object_ref<counter_part> part;
  {
    am::vector<int> gone(10, am::named("gone"));
    h = gone.handle();
    am::distributed<counter_part> sizes(am::named("sizes"));
    part = sizes.on(0);
    am::barrier();
  }
  am::barrier();
  EXPECT_SAYS("\"gone\" (am::vector<int>, names_test.cpp", [&] { (void)h->local(); });
  EXPECT_SAYS("\"sizes\" (am::distributed<counter_part>, names_test.cpp", [&] { am::call<&counter_part::add>(part, 1).get(); });
  am::barrier();
}

RANK_TEST(distributed_objects_with_and_without_a_name_or_a_team) {
  const am::team t = am::world();
  am::distributed<counter_part> a, b(t), c(am::named("c")), d(am::named("d"), t);
  am::distributed<std::vector<int>> f(3, 1), g(t, 3, 1), h(am::named("h"), 3, 1), i(am::named("i"), t, 3, 1);
  const std::string line = "names_test.cpp:" + std::to_string(__LINE__ - 2) + ")";
  EXPECT_EQ(am::detail::described(&*a), "am::distributed<counter_part> (" + line);
  EXPECT_EQ(am::detail::described(&*b), "am::distributed<counter_part> (" + line);
  EXPECT_EQ(am::detail::described(&*c), "\"c\" (am::distributed<counter_part>, " + line);
  EXPECT_EQ(am::detail::described(&*d), "\"d\" (am::distributed<counter_part>, " + line);
  EXPECT_EQ(f->size() + g->size() + h->size() + i->size(), 12U);
}

RANK_TEST(teams_are_named_in_errors) {
  const am::team rows = am::world().split(0, am::named("rows"));
  const std::string line = here(__LINE__ - 1), n = std::to_string(am::ranks()) + (am::ranks() == 1 ? " member" : " members");
  EXPECT_SAYS("\"rows\" (am::team, " + n + ", " + line + ": there is no root", [&] { rows.broadcast(1, am::ranks()); });
  EXPECT_SAYS("\"rows\" (am::team, " + n + ", " + line + ": there is no member", [&] { (void)rows.world_rank(am::ranks()); });
  const am::team same = rows.dup();
  EXPECT_SAYS("am::team (" + n + ", " + here(__LINE__ - 1) + ": there is no root", [&] { same.broadcast(1, -1); });
  const char* const fabric = std::getenv("ARMILLA_FABRIC");
  if (fabric != nullptr && std::string(fabric) == "loop") return;  // which agrees on survivors where memory is shared
  const am::team left = rows.survivors(am::named("left")), now = left.grow();
  EXPECT_SAYS("\"left\" (am::team, " + n + ", " + here(__LINE__ - 1), [&] { left.broadcast(1, -1); });
  EXPECT_SAYS("am::team (" + n + ", " + here(__LINE__ - 2), [&] { now.broadcast(1, -1); });
}

}  // namespace
