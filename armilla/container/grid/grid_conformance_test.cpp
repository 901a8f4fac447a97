// SPDX-License-Identifier: Apache-2.0
// What all containers promise, of matrices and graphs.
#include <array>
#include <string>
#include <type_traits>
#include <vector>

#include "armilla/container/conformance_testing.hpp"

namespace am = armilla;

namespace {

using namespace am::conformance;

template <std::size_t N, std::size_t Halo>
struct cells {
  using container = am::matrix<long, N>;
  static std::array<std::size_t, N> extents(std::size_t n) {
    std::array<std::size_t, N> all;
    all.fill(7);
    all[0] = n;
    return all;
  }
  static container made(const am::team& t, std::size_t n) {
    return container(extents(n), am::on(t, am::grid()), am::halo(Halo).sides(0, Halo, 0).periodic({false, true}));
  }
  static container empty(const am::team& t) { return made(t, 0); }
  template <class F>
  static void each(container& x, F f) {
    const auto& mine = x.plan().mine;
    am::detail::each_row(mine.cells, [&](std::array<std::size_t, N> at) {
      for (; at[N - 1] < mine.cells.end[N - 1]; ++at[N - 1]) f(x.plan().shape.index_of(at), x.first()[mine.offset_of_cell(at)]);
    });
  }
  static container filled(const am::team& t, std::size_t n) {
    container x = made(t, n);
    each(x, [](std::size_t i, long& cell) { cell = long(i * 5 + 1); });
    t.barrier();
    return x;
  }
  static lines contents(container& x) {
    lines mine;
    each(x, [&mine](std::size_t i, long cell) { mine.push_back(text(i) + " " + text(cell)); });
    lines all = sorted(together(x.members(), mine));
    for (std::size_t d = 0; d < N; ++d) all.push_back(std::to_string(x.extent(d)));
    x.exchange();
    return all;
  }
  static void change(container& x) {
    each(x, [](std::size_t, long& cell) { cell = -1; });
    x.members().barrier();
  }
};

struct entries {
  using container = am::sparse_matrix<double>;
  static container made(const am::team& t, std::size_t rows, std::size_t n) {
    std::vector<am::matrix_entry<double>> mine;
    each_of_share(t, n, [&](std::size_t i) {
      for (std::size_t k = 0; k < i % 4; ++k) mine.push_back({(i * 7) % rows, (i * 5 + k * 3) % 9, double(i) + 0.5});
    });
    return container(rows, 9, mine, t);
  }
  static container empty(const am::team& t) { return made(t, 0, 0); }
  static container filled(const am::team& t, std::size_t n) { return made(t, n, n); }
  static lines contents(container& x) {
    lines mine{};
    x.for_each_entry([&mine](std::size_t row, std::size_t column, double value) {
      mine.push_back(text(row) + " " + text(column) + " " + text(value));
    });
    lines all = together(x.members(), mine);
    all.push_back(std::to_string(x.rows()) + " by " + std::to_string(x.columns()) + " with " + std::to_string(x.non_zeros()));
    return all;
  }
  static void change(container&) {}
  static constexpr bool is_frozen = true;
};

/// `Undirected`, and with parallel edges and loops; else with rows of in-edges.
template <class V, class E, bool Undirected>
struct edges {
  using container = am::graph<V, E>;
  static constexpr bool is_frozen = std::is_void_v<V>;
  static container made(const am::team& t, std::size_t vertices, std::size_t n) {
    std::vector<am::weighted_edge<double>> mine;
    each_of_share(t, n, [&](std::size_t i) {
      for (std::size_t k = 0; k <= i % 3; ++k) mine.push_back({(i * i) % vertices, (i * 3 + k) % vertices, double(i) / 4});
    });
    return container(
        vertices, mine,
        {.undirected = Undirected, .in_edges = !Undirected, .keep_duplicates = true, .keep_loops = true, .members = t});
  }
  static container empty(const am::team& t) { return made(t, 0, 0); }
  static container filled(const am::team& t, std::size_t n) {
    container x = made(t, n, n);
    if constexpr (!std::is_void_v<V>) {
      for (std::size_t k = 0; k < x.values().local().size(); ++k) x.values().local()[k] = V(x.values().index_of_local(k) * 11);
      t.barrier();
    }
    return x;
  }
  static lines contents(container& x) {
    lines mine;
    for (const am::vertex_id v : x.local()) {
      std::string line = std::to_string(v) + ":";
      for (const am::vertex_id to : x.neighbours(v)) line += " " + std::to_string(to);
      if constexpr (!std::is_void_v<E>)
        for (const E& e : x.edge_data(v)) line += " " + std::to_string(e);
      line += " from";
      for (const am::vertex_id from : x.in_neighbours(v)) line += " " + std::to_string(from);
      if constexpr (!std::is_void_v<V>) line += " has " + std::to_string(x.values().local()[v - x.shape().first]);
      mine.push_back(line);
    }
    lines all = together(x.members(), mine);
    all.push_back(std::to_string(x.size()) + " vertices, " + std::to_string(x.edges()) + " edges");
    all.push_back(x.undirected() ? "undirected" : "directed");
    return all;
  }
  static void change(container& x) {
    if constexpr (!std::is_void_v<V>) {
      for (V& v : x.values().local()) v = V();
      x.members().barrier();
    }
  }
};

/// Vertex i has i % 4 edges.
struct growing {
  using container = am::growing_graph<double>;
  static container empty(const am::team& t) { return container(t); }
  static container filled(const am::team& t, std::size_t n) {
    container x(t);
    each_of_share(t, n, [&x](std::size_t i) {
      const auto v = am::vertex_id(i);
      x.add_vertex(v);
      for (am::vertex_id k = 0; k < v % 4; ++k) x.add_edge(v, 3 * v + k, double(i) / 4);
    });
    t.fence();
    return x;
  }
  static lines contents(container& x) {
    lines mine;
    for (const auto& [v, row] : x.local()) {
      std::string line = std::to_string(v) + ":";
      for (const auto& e : row) line += " " + std::to_string(e.to) + " " + std::to_string(e.weight);
      mine.push_back(line);
    }
    return sorted(together(x.members(), mine));
  }
  static void change(container& x) {
    x.add_edge(am::vertex_id(am::rank()), 1, 1);
    x.erase_edges(5, 15);
    x.members().fence();
  }
};

struct dealt {
  using container = am::cyclic_matrix<long>;
  static container made(const am::team& t, std::size_t n) {
    return container({n, n == 0 ? n : 7}, {3, 2}, am::on(t, am::grid()));
  }
  static container empty(const am::team& t) { return made(t, 0); }
  template <class F>
  static void each(container& x, F f) {
    for (auto& tile : x.local())
      for (std::size_t i = 0; i < tile.cells.extent(0); ++i)
        for (std::size_t j = 0; j < tile.cells.extent(1); ++j)
          f(x.index_of({tile.origin[0] + i, tile.origin[1] + j}), tile(i, j));
  }
  static container filled(const am::team& t, std::size_t n) {
    container x = made(t, n);
    each(x, [](std::size_t i, long& cell) { cell = long(i * 5 + 1); });
    t.barrier();
    return x;
  }
  static lines contents(container& x) {
    lines mine;
    each(x, [&mine](std::size_t i, long cell) { mine.push_back(text(i) + " " + text(cell)); });
    lines all = sorted(together(x.members(), mine));
    all.push_back(std::to_string(x.extent(0)) + " by " + std::to_string(x.extent(1)));
    return all;
  }
  static void change(container& x) {
    each(x, [](std::size_t, long& cell) { cell = -1; });
    x.members().barrier();
  }
};

const suite<dealt> of_cyclic_matrix("cyclic_matrix", __FILE__);
const suite<growing> of_growing_graph("growing_graph", __FILE__);
const suite<cells<1, 0>> of_row("matrix_1", __FILE__);
const suite<cells<2, 1>> of_matrix("matrix_2", __FILE__);
const suite<cells<3, 2>> of_matrix_3("matrix_3", __FILE__);
const suite<entries> of_sparse_matrix("sparse_matrix", __FILE__);
const suite<edges<void, void, true>> of_graph("graph", __FILE__);
const suite<edges<int, double, false>> of_graph_with_values("graph_with_values", __FILE__);
const suite<edges<long, void, true>> of_graph_with_vertices("graph_with_vertices", __FILE__);

}  // namespace
