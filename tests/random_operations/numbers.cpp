// SPDX-License-Identifier: Apache-2.0
// Sparse matrices, disjoint sets, graphs.
#include <set>
#include <tuple>

#include "scenes.hpp"

namespace random_operations {
namespace {

using entries = std::map<std::pair<std::size_t, std::size_t>, double>;

void check_product(job& j, const am::sparse_matrix<double>& a, const entries& model) {
  const bool as_matrix = j.all.one_in(2);  // vectors that are dealt as the matrix asks, or in any way
  am::array<double> x(a.columns(), as_matrix ? a.column_distribution() : j.dealt());
  am::array<double> y(a.rows(), as_matrix ? a.row_distribution() : j.dealt());
  am::for_each_index(x, [](std::size_t i, double& e) { e = double(i % 17); });
  am::spmv(a, x, y);
  std::vector<double> expected(a.rows());
  for (const auto& [place, value] : model) expected[place.first] += value * double(place.second % 17);
  expect(am::everything(y) == expected, "a product");
  j.t.barrier();
}

void sparse_matrices(job& j) {
  for (int round = 0; round < j.rounds; ++round) {
    const std::size_t rows = 1 + j.all.below(60), columns = j.all.one_in(2) ? rows : 1 + j.all.below(60);
    entries model;
    std::vector<am::matrix_entry<double>> mine;
    for (std::size_t m = 0; m < j.members(); ++m) {
      dice d = j.of(m, round);
      for (std::size_t k = d.below(80); k > 0; --k) {
        const am::matrix_entry<double> e{d.below(rows), d.below(columns), double(d.below(9) + 1)};
        model[{e.row, e.column}] += e.value;
        if (m == j.me()) mine.push_back(e);
      }
    }
    const am::sparse_matrix<double> a(rows, columns, mine, j.t);
    expect(a.non_zeros() == model.size(), "the number of entries");
    std::vector<std::tuple<std::size_t, std::size_t, double>> own, all;
    a.for_each_entry([&](std::size_t r, std::size_t c, double v) { own.emplace_back(r, c, v); });
    for (const auto& [place, value] : model) all.emplace_back(place.first, place.second, value);
    expect(sorted_of_all(j.t, own) == all, "the entries");
    check_product(j, a, model);
    check_product(j, a, model);
  }
}

class model_of_sets {
 public:
  explicit model_of_sets(std::size_t n) : of_(n) { std::iota(of_.begin(), of_.end(), std::size_t{0}); }
  void unite(std::size_t a, std::size_t b) {
    const std::size_t stays = of_[a], goes = of_[b];
    for (std::size_t& e : of_)
      if (e == goes) e = stays;
  }
  bool same(std::size_t a, std::size_t b) const { return of_[a] == of_[b]; }
  std::size_t count() const { return std::set<std::size_t>(of_.begin(), of_.end()).size(); }

 private:
  std::vector<std::size_t> of_;
};

void disjoint_sets(job& j) {
  const std::size_t n = 1 + j.all.below(200);
  am::disjoint_set x(n, j.t);
  model_of_sets model(n);
  for (int round = 0; round < j.rounds; ++round) {
    for (std::size_t m = 0; m < j.members(); ++m) {
      dice d = j.of(m, round);
      for (std::size_t k = d.below(6); k > 0; --k) {
        const std::size_t a = d.below(n), b = d.below(n);
        if (m == j.me()) x.unite(a, b);
        model.unite(a, b);
      }
    }
    j.t.fence();
    expect(x.num_sets() == model.count(), "the number of sets");
    dice d = j.of(j.me(), round + 1'000'000);
    for (int k = 0; k < 20; ++k) {
      const std::size_t a = d.below(n), b = d.below(n);
      expect(x.same(a, b).get() == model.same(a, b), "whether two are in one set");
      expect((x.find(a).get() == x.find(b).get()) == model.same(a, b), "the names of two sets");
    }
    j.t.barrier();
    if (j.all.one_in(3)) {
      x.compress();
      for (std::size_t k = 0; k < x.local().size(); ++k)
        expect(model.same(x.first_local() + k, x.local()[k]), "the name of a set");
    }
    if (j.all.one_in(12)) {
      x = am::disjoint_set(n, j.t);
      model = model_of_sets(n);
    }
    j.t.barrier();
  }
}

using edge = am::weighted_edge<double>;
using rows_of_edges = std::vector<std::multimap<am::vertex_id, double>>;

/// What the graph keeps of these edges.
rows_of_edges rows_of(const std::vector<edge>& all, std::size_t n, const am::graph_options& how) {
  rows_of_edges rows(n);
  const auto add = [&](std::uint64_t from, std::uint64_t to, double w) {
    if (how.keep_duplicates || !rows[from].contains(am::vertex_id(to))) rows[from].emplace(am::vertex_id(to), w);
  };
  for (const edge& e : all) {
    if (e.from == e.to && !how.keep_loops) continue;
    add(e.from, e.to, e.weight);
    if (how.undirected && e.from != e.to) add(e.to, e.from, e.weight);
  }
  return rows;
}

void check_graph(job& j, const am::graph<long, double>& g, const rows_of_edges& rows, const am::graph_options& how) {
  for (const am::vertex_id v : g.local()) {
    std::vector<std::pair<am::vertex_id, double>> row, expected(rows[v].begin(), rows[v].end());
    for (std::size_t k = 0; k < g.degree(v); ++k) row.emplace_back(g.neighbours(v)[k], g.edge_data(v)[k]);
    expect(std::ranges::is_sorted(g.neighbours(v)), "the order of a row");
    std::ranges::sort(row);
    std::ranges::sort(expected);
    expect(row == expected, "the edges of a vertex");
    if (!how.in_edges) continue;
    std::size_t to = 0;
    for (const auto& other : rows) to += other.count(v);
    expect(g.in_degree(v) == to, "how many edges lead to a vertex");
  }
  dice d = j.of(j.me(), -1);
  for (int k = 0; k < 10; ++k) {
    const std::size_t v = d.below(rows.size());
    std::vector<am::vertex_id> expected;
    for (const auto& [to, w] : rows[v]) expected.push_back(to);
    expect(g.fetch_neighbours(v) == expected, "the neighbours of any vertex");
  }
  j.t.barrier();
}

void graphs(job& j) {
  for (int round = 0; round < j.rounds; ++round) {
    const std::size_t n = 1 + j.all.below(80);
    am::graph_options how;
    how.undirected = j.all.one_in(2);
    how.in_edges = j.all.one_in(2);
    how.keep_duplicates = j.all.one_in(2);
    how.keep_loops = j.all.one_in(2);
    how.members = j.t;
    std::vector<edge> mine, all;
    for (std::size_t m = 0; m < j.members(); ++m) {
      dice d = j.of(m, round);
      for (std::size_t k = d.below(150); k > 0; --k) {
        const std::uint64_t from = d.below(n), to = d.below(n);
        // Which of several edges stays is said for one direction: alike ones have one weight.
        all.push_back(
            {from, to, how.keep_duplicates ? double(d.below(9)) : double(std::min(from, to) * 100 + std::max(from, to))});
        if (m == j.me()) mine.push_back(all.back());
      }
    }
    am::graph<long, double> g(n, mine, how);
    expect(g.size() == n, "the number of vertices");
    check_graph(j, g, rows_of(all, n, how), how);
    am::for_each_index(g.values(), [](std::size_t v, long& e) { e = long(v) * 3; });
    for (std::size_t v = 0; v < n; v += 7) expect(g.values()[v] == long(v) * 3, "the value of a vertex");
    j.t.barrier();
  }
}

}  // namespace

const std::vector<named_scene> numbers = {{"sparse_matrix", sparse_matrices}, {"disjoint_set", disjoint_sets}, {"graph", graphs}};

}  // namespace random_operations
