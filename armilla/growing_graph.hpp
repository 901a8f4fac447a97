// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/files.hpp"
#include "armilla/graph.hpp"
#include "armilla/unordered_map.hpp"

namespace armilla {

/// An edge of a `growing_graph<E>`: the vertex to which it leads, and its value.
template <class E = void>
struct growing_edge {
  vertex_id to = 0;
  E weight{};
  friend bool operator==(const growing_edge&, const growing_edge&) = default;
};
template <>
struct growing_edge<void> {
  vertex_id to = 0;
  friend bool operator==(const growing_edge&, const growing_edge&) = default;
};

/// A graph to which all ranks add vertices and edges while the program runs. `compact` returns its present content as a `graph`,
/// the type that the algorithms of graphs take.
///
/// Use it if ranks find edges one by one: a web that is crawled, molecules that bind, states of a search. If all edges are known
/// at once, construct a `graph`.
///
///     am::growing_graph<double> roads;                       // collective: all ranks construct it
///     roads.add_edge(0, 1, 2.5);                             // any rank adds any edge
///     am::fence();                                           // all edges of all ranks are there
///     for (const auto& e : roads.neighbours(0).get()) use(e.to, e.weight);
///     const am::graph<void, double> g = roads.compact({.undirected = true});     // collective; roads can grow further
///     const auto distance = am::sssp(g, 0);
///
/// **Edges** lead from `from` to `to`. They are stored with `from`, on the rank that its hash determines, in the order in which
/// they arrive there. Parallel edges and loops are stored, too; the `graph_options` of `compact` determine whether they remain,
/// and whether the graph is undirected. `E` is the type of an edge's value: any sendable type, or `void` for none.
///
/// **Other operations.** The class derives from an `unordered_map` from each vertex to a vector of `growing_edge<E>`, and has all
/// of its operations, with the same kinds, order, errors and lifetime. `local()` loops over this rank's vertices, `visit` runs a
/// function where a vertex is stored, and `erase` removes a vertex with the edges that leave it. Called functions use a handle:
/// `h->append(from, {to})` adds an edge.
///
/// **Errors.** Those of `unordered_map`. All operations with a vertex also throw `usage_error` for a number that has more than 32
/// bits. Operations of a handle do not check that.
///
/// **Cost.** An edge takes 4 bytes and `sizeof(E)`. Edges are buffered for each rank and sent in batches. `compact` costs as much
/// as the construction of a `graph`. Loops over a `graph` are much faster, since its rows are contiguous.
template <class E = void>
class growing_graph : public unordered_map<vertex_id, std::vector<growing_edge<E>>> {
  static_assert(std::is_void_v<E> || sendable_value<E>, "armilla: the edge values of a growing_graph must be sendable");
  using base = unordered_map<vertex_id, std::vector<growing_edge<E>>>;
  using row = std::vector<growing_edge<E>>;

 public:
  using edge_value = E;

  // ---- Construction (collective) ----

  /// Creates a graph without vertices over all ranks of the job. It may have a name: `am::growing_graph<> g(am::named("roads"))`.
  /// Cost: one collective.
  growing_graph(const made_at& at = std::source_location::current())
      : growing_graph(world(), hash_options(), at) {}  // NOLINT(google-explicit-constructor)
  /// Creates a graph without vertices over the team `members`.
  explicit growing_graph(const team& members, const hash_options& options = {},
                         const made_at& at = std::source_location::current())
      : base(members, options, detail::making(at, typeid(growing_graph), members)) {}
  growing_graph(const team& members, const made_at& at) : growing_graph(members, hash_options(), at) {}

  // ---- Changes (one-way) ----

  /// Adds the vertex `v`, without edges. Does nothing if the graph has it already.
  void add_vertex(std::uint64_t v) { base::insert(vertex("add_vertex", v), {}); }

  /// Adds an edge, and the vertex `from` if it is new.
  void add_edge(std::uint64_t from, std::uint64_t to)
    requires std::is_void_v<E>
  {
    base::append(vertex("add_edge", from), growing_edge<E>{vertex("add_edge", to)});
  }
  /// Adds an edge with a value.
  template <class W = E>
    requires(!std::is_void_v<W>)
  void add_edge(std::uint64_t from, std::uint64_t to, const W& weight) {
    base::append(vertex("add_edge", from), growing_edge<E>{vertex("add_edge", to), static_cast<E>(weight)});
  }

  /// Removes all edges from `from` to `to`.
  void erase_edges(std::uint64_t from, std::uint64_t to) {
    base::visit(
        vertex("erase_edges", from),
        [](row& edges, vertex_id gone) { std::erase_if(edges, [gone](const growing_edge<E>& e) { return e.to == gone; }); },
        vertex("erase_edges", to));
  }

  // As those of `unordered_map`, whose keys are the vertices.
  void insert(std::uint64_t v, const row& edges) { base::insert(vertex("insert", v), edges); }
  void insert_or_assign(std::uint64_t v, const row& edges) { base::insert_or_assign(vertex("insert_or_assign", v), edges); }
  void append(std::uint64_t from, const growing_edge<E>& edge) { base::append(vertex("append", from), edge); }
  void erase(std::uint64_t v) { base::erase(vertex("erase", v)); }
  template <class... A>
  void try_emplace(std::uint64_t v, A&&... arguments) {
    base::try_emplace(vertex("try_emplace", v), std::forward<A>(arguments)...);
  }
  template <class Op>
  void update(std::uint64_t v, const row& edges, Op op) {
    base::update(vertex("update", v), edges, op);
  }
  template <class F, class... A>
  void visit(std::uint64_t v, F&& f, A&&... arguments) {
    base::visit(vertex("visit", v), std::forward<F>(f), std::forward<A>(arguments)...);
  }
  template <class F, class... A>
  void insert_or_visit(std::uint64_t v, const row& edges, F&& f, A&&... arguments) {
    base::insert_or_visit(vertex("insert_or_visit", v), edges, std::forward<F>(f), std::forward<A>(arguments)...);
  }
  template <class F, class... A>
  void insert_and_visit(std::uint64_t v, const row& edges, F&& f, A&&... arguments) {
    base::insert_and_visit(vertex("insert_and_visit", v), edges, std::forward<F>(f), std::forward<A>(arguments)...);
  }

  // ---- Queries (two-way) ----

  /// Returns the edges that leave `v`, in the order in which they are stored; none if the graph has no vertex `v`.
  [[nodiscard]] future<row> neighbours(std::uint64_t v) const { return base::get(vertex("neighbours", v)); }

  /// Returns the number of edges that leave `v`.
  [[nodiscard]] future<std::size_t> degree(std::uint64_t v) {
    return base::call(vertex("degree", v), [](const row& edges) { return edges.size(); })
        .then([](const std::optional<std::size_t>& n) { return n.value_or(0); });
  }

  // As those of `unordered_map`.
  [[nodiscard]] future<std::optional<row>> find(std::uint64_t v) const { return base::find(vertex("find", v)); }
  [[nodiscard]] future<row> get(std::uint64_t v) const { return base::get(vertex("get", v)); }
  [[nodiscard]] future<bool> contains(std::uint64_t v) const { return base::contains(vertex("contains", v)); }
  [[nodiscard]] future<std::size_t> count(std::uint64_t v) const { return base::count(vertex("count", v)); }
  [[nodiscard]] future<bool> test_and_insert(std::uint64_t v, const row& edges) {
    return base::test_and_insert(vertex("test_and_insert", v), edges);
  }
  template <class F, class... A>
  [[nodiscard]] auto call(std::uint64_t v, F&& f, A&&... arguments) {
    return base::call(vertex("call", v), std::forward<F>(f), std::forward<A>(arguments)...);
  }

  // As those of `unordered_map`, of ranges.
  template <std::ranges::input_range R>
  void insert_range(R&& pairs) {
    for (auto&& [v, edges] : pairs) insert(v, edges);
  }
  template <std::ranges::input_range R, class Op>
  void update_range(R&& pairs, Op op) {
    for (auto&& [v, edges] : pairs) update(v, edges, op);
  }
  template <std::ranges::forward_range R>
  void find_range(const R& vertices, std::span<std::optional<row>> into) const {
    base::find_range(numbers(vertices), into);
  }
  template <std::ranges::forward_range R>
  [[nodiscard]] std::vector<std::optional<row>> find_range(const R& vertices) const {
    return base::find_range(numbers(vertices));
  }

  // ---- Local access (no message) ----

  /// Returns the number of vertices on all ranks, as of the last fence: those that were added, or that an edge leaves.
  using base::size;  // std::size_t size() const noexcept

  rank_t rank_of(std::uint64_t v) const { return base::rank_of(vertex("rank_of", v)); }
  row* find_local(std::uint64_t v) const { return base::find_local(vertex("find_local", v)); }

  // ---- Whole graph (collective) ----

  /// Returns the number of edges on all ranks. Call it after a fence. Cost: one reduction.
  std::size_t count_edges() const {
    std::size_t n = 0;
    for (const auto& [v, row] : this->local()) n += row.size();
    return this->members().all_reduce(n, std::plus<>{});
  }

  /// Returns a `graph` with the present edges, over the same ranks. Its vertices are the numbers from 0 to the greatest one.
  /// Fences the team first. This graph does not change, and can grow further.
  ///
  /// `V` is the type of a value of each vertex. `how.members` is ignored. Throws what the constructor of `graph` throws.
  template <class V = void>
  [[nodiscard]] graph<V, E> compact(graph_options how = {}, const made_at& at = std::source_location::current()) const;

  /// Returns a graph over `t` with the content of the last checkpoint, as `unordered_map::recover`. Collective.
  [[nodiscard]] recovered<growing_graph, rank_t> recover(const team& t) { return base::template recover_as<growing_graph>(t); }

 private:
  template <class R>
  std::vector<vertex_id> numbers(const R& vertices) const {
    std::vector<vertex_id> all;
    for (const auto& v : vertices) all.push_back(vertex("find_range", std::uint64_t(v)));
    return all;
  }
  vertex_id vertex(const char* operation, std::uint64_t v) const {
    if (v > UINT32_MAX) [[unlikely]]
      detail::throw_wide_vertex(std::addressof(this->core_->mine()), operation, v);
    return vertex_id(v);
  }
};

// ---- Implementation only below ----

template <class E>
template <class V>
graph<V, E> growing_graph<E>::compact(graph_options how, const made_at& at) const {
  using listed = std::conditional_t<std::is_void_v<E>, edge, weighted_edge<std::conditional_t<std::is_void_v<E>, int, E>>>;
  how.members = this->members();
  how.members.fence();
  std::vector<listed> mine;
  std::uint64_t n = 0;
  detail::failure why;
  try {
    for (const auto& [v, row] : this->local()) {
      n = std::max(n, std::uint64_t(v) + 1);
      for (const growing_edge<E>& e : row) {
        n = std::max(n, std::uint64_t(e.to) + 1);
        if constexpr (std::is_void_v<E>)
          mine.push_back({v, e.to});
        else
          mine.push_back({v, e.to, e.weight});
      }
    }
  } catch (const detail::passing&) { throw; } catch (...) {
    why.note();
  }
  n = detail::agree(how.members, "compact", why, n, [](std::uint64_t a, std::uint64_t b) { return a < b ? b : a; });
  return graph<V, E>(std::size_t(n), mine, how, at);
}

}  // namespace armilla
