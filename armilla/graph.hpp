// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/base/values/container_names.hpp"
#include "armilla/container/grid/graph_image.hpp"
#include "armilla/container/grid/graph_inline.hpp"

namespace armilla {

/// How a graph is constructed from its edges. The same on all members.
struct graph_options {
  bool undirected = false;       ///< each edge is given once, and leads both ways
  bool in_edges = false;         ///< also store the edges that lead to a vertex; an undirected graph has them anyway
  bool keep_duplicates = false;  ///< keep parallel edges; otherwise the first one of the lowest rank remains
  bool keep_loops = false;       ///< keep edges from a vertex to itself; otherwise they are removed
  team members{};                ///< the ranks that have the graph; the empty team: all ranks of the job
};

/// A graph that is distributed over the ranks of a team. Its vertices are in blocks, with as equal numbers of edges as possible.
///
/// Use it for the algorithms of armilla/graph_algorithms.hpp (`bfs`, `components`, `pagerank`, ...), and to walk over vertices
/// and edges yourself. It does not change after construction. For components while edges arrive, use a `disjoint_set`.
///
///     am::graph<> g(am::read_edges("graph.txt"), {.undirected = true});    // collective
///     const am::array<std::int32_t> level = am::bfs(g, 0);                 // collective: an algorithm
///     am::array<double> heat(g.size(), am::like(g));                       // a value for each vertex, on the vertex's rank
///     for (am::vertex_id v : g.local())                                    // this rank's vertices
///       for (am::vertex_id w : g.neighbours(v)) use(v, w);
///
/// **Values.** `V` is the type of a value of each vertex (`values()`), `E` that of each edge (`edge_data(v)`). `void` costs
/// nothing. Both are trivially copyable.
///
/// **Vertices** are numbered from 0, by 32 bits. The edges that leave a vertex form a row, in the order of their targets. Rows
/// are stored in the ranks' segments, so ranks of one host read each other's directly.
///
/// **Kinds of operations.** Construction is collective. The others send no message, except `fetch_neighbours`.
///
/// **Cost.** Construction takes four reductions and one exchange of all edges (two with `in_edges`). The memory is 8 bytes for
/// each vertex, and 4 bytes and `sizeof(E)` for each end of an edge.
///
/// **Errors.** Construction throws `remote_error` on all members for an edge of a vertex that does not exist and for what reading
/// a file throws, and `limit_error` on all if the graph does not fit into memory or has 2^32 vertices.
///
/// **Lifetime.** A graph is movable but not copyable.
template <class V /* = void */, class E /* = void */>
class graph : public detail::named_container<graph<V, E>> {
 public:
  using handle_type = container_handle<graph>;  // see handle()
  using vertex_value = V;
  using edge_value = E;

  // ---- Construction (collective) ----

  /// Creates a graph without vertices and without ranks, such as a moved-from one. Not collective.
  graph() = default;

  /// Creates a graph with `n` vertices from the edges of all members.
  ///
  /// `mine` is a contiguous range of edges that this rank has, from any vertices: of each, `from`, `to` and, unless `E` is void,
  /// `weight` are read. `am::edge` and `am::weighted_edge<E>` have these members.
  ///
  ///     const std::vector<am::weighted_edge<double>> mine = {{0, 1, 2.5}};
  ///     am::graph<void, double> roads(100, mine, {.undirected = true});
  template <std::ranges::contiguous_range Edges>
  graph(std::size_t n, const Edges& mine, const graph_options& how = {}, const made_at& at = std::source_location::current()) {
    const detail::making here(at, typeid(graph), members_of(how));
    detail::require_few_vertices(n);
    make(std::span(std::ranges::data(mine), std::ranges::size(mine)), n, how, &here);
  }
  /// Creates a directed graph with a name: `am::graph<> roads(100, mine, am::named("roads"))`.
  template <std::ranges::contiguous_range Edges>
  graph(std::size_t n, const Edges& mine, const made_at& at) : graph(n, mine, graph_options(), at) {}

  /// Creates a graph whose number of vertices follows from the greatest number in an edge. Throws `usage_error` on all members if
  /// the numbers are not dense: more than a million and 64 for each edge.
  template <std::ranges::contiguous_range Edges>
  explicit graph(const Edges& mine, const graph_options& how = {}, const made_at& at = std::source_location::current()) {
    const detail::making here(at, typeid(graph), members_of(how));
    make(std::span(std::ranges::data(mine), std::ranges::size(mine)), detail::count_vertices, how, &here);
  }
  template <std::ranges::contiguous_range Edges>
  graph(const Edges& mine, const made_at& at) : graph(mine, graph_options(), at) {}

  /// Creates a graph from the edges of a file, such as `am::read_edges(path)`. Its vertices are counted as above.
  template <class Reader>
  explicit graph(const file_range<Reader>& file, graph_options how = {}, const made_at& at = std::source_location::current());
  template <class Reader>
  graph(const file_range<Reader>& file, const made_at& at) : graph(file, graph_options(), at) {}
  graph(graph&&) noexcept = default;
  graph& operator=(graph&&) noexcept = default;

  // ---- Edges ----

  /// Returns the targets of the edges of `v`, in order. Sends nothing.
  ///
  /// `v` is a vertex of this rank, or of a rank whose memory this one maps; otherwise this throws `usage_error`.
  std::span<const vertex_id> neighbours(std::size_t v) const { return detail::row_of(shape_, shape_.out, v); }
  /// Returns the number of edges of `v`. As `neighbours`.
  std::size_t degree(std::size_t v) const { return neighbours(v).size(); }
  /// Returns the sources of the edges that lead to `v`. As `neighbours`; `usage_error` also if the graph does not store them.
  std::span<const vertex_id> in_neighbours(std::size_t v) const { return detail::row_of(shape_, detail::in_rows(shape_), v); }
  /// Returns the number of edges that lead to `v`. As `in_neighbours`.
  std::size_t in_degree(std::size_t v) const { return in_neighbours(v).size(); }
  /// Returns the targets of the edges of any vertex. Cost: two messages and their replies if its rank is not mapped.
  std::vector<vertex_id> fetch_neighbours(std::size_t v) const { return detail::fetch_row(shape_, shape_.out, v); }

  /// Returns the values of the edges of `v`, in the order of `neighbours(v)`.
  std::span<const E> edge_data(std::size_t v) const
    requires(!std::is_void_v<E>)
  {
    return detail::data_of_row<E>(shape_, shape_.out, v);
  }
  /// Returns the values of the edges that lead to `v`, in the order of `in_neighbours(v)`.
  std::span<const E> in_edge_data(std::size_t v) const
    requires(!std::is_void_v<E>)
  {
    return detail::data_of_row<E>(shape_, detail::in_rows(shape_), v);
  }

  // ---- Vertices (no message) ----

  /// Returns this rank's vertices, in order: `for (am::vertex_id v : g.local())`.
  auto local() const noexcept { return std::views::iota(vertex_id(shape_.first), vertex_id(shape_.first + shape_.count)); }

  /// Returns the values of all vertices, as an `array` that is distributed as the vertices. They are value-initialized.
  auto& values() noexcept
    requires(!std::is_void_v<V>)
  {
    return values_;
  }
  const auto& values() const noexcept
    requires(!std::is_void_v<V>)
  {
    return values_;
  }

  /// Returns the number of vertices.
  std::size_t size() const noexcept { return shape_.where.size(); }
  /// Returns the number of edges; each edge of an undirected graph counts once.
  std::size_t edges() const noexcept { return shape_.edges; }
  /// Returns whether each edge leads both ways.
  bool undirected() const noexcept { return shape_.undirected; }
  /// Returns the team over which the vertices are distributed.
  const team& members() const noexcept { return shape_.members; }
  /// Returns which member stores which vertex.
  const armilla::placement& placement() const noexcept { return shape_.where; }
  /// Returns the rank of the job that stores vertex `v`.
  rank_t rank_of(std::size_t v) const {
    return shape_.members.world_rank(rank_t(shape_.owner(detail::checked_vertex(shape_, v))));
  }
  /// Returns a small value that names the graph on all members, wherever it is moved. Called functions use it:
  /// `h->neighbours(v)`.
  handle_type handle() const { return this->template make_handle<handle_type>(); }

  // ---- Whole graph (collective) ----

  /// Writes vertices, edges and their values to the file `path`. `load` reads them on any number of ranks.
  ///
  /// Fences the team first; no fiber may change values meanwhile. The file replaces an existing one only when it is complete.
  /// `usage_error` on all members if writing fails.
  void save(const std::string& path) const;

  /// Replaces the graph by that of a file that a graph of the same types has saved, on any number of ranks.
  ///
  /// Fences the team. The ranks remain; a graph without ranks is distributed over all. The file says whether the graph is
  /// undirected and stores in-edges. `usage_error` on all members if the file is damaged or has another kind of content,
  /// `limit_error` if the graph does not fit; it is then unchanged. Cost: as construction.
  void load(const std::string& path) { detail::images::load(*this, members() ? members() : world(), path); }

  /// Makes `checkpoint` copy each rank's vertices and edges to the memory of the next `copies` ranks of the team, from which
  /// `recover` takes them when a rank is lost, as `array::keep`.
  void keep(int copies) { detail::images::keep(*this, copies); }

  /// Copies all edges and values to the ranks that `keep` chose, as `list::checkpoint`.
  void checkpoint(std::uint64_t mark = 0) { detail::images::checkpoint(*this, mark); }

  /// Returns a graph over `t` with the content of the last checkpoint, after ranks were lost, as `list::recover`.
  ///
  /// `gone` of the result has the ranks of the job of whose vertices no copy is left. The values of these vertices are
  /// value-initialized, and they have no out-edges, except those of an undirected graph that other vertices have, too. Cost: as
  /// construction, and a checkpoint.
  [[nodiscard]] recovered<graph, rank_t> recover(const team& t) { return detail::images::recover<graph>(*this, t); }

  // ---- For the library ----

  /// For algorithms.
  const detail::graph_shape& shape() const noexcept { return shape_; }

 private:
  friend detail::images;
  // An empty one, whose image follows.
  explicit graph(const team& t) { shape_.members = t; }
  static detail::saved_type image_type() { return detail::saved_graph<V, E>(); }
  detail::image_numbers numbers_of_image() const { return detail::numbers_of_graph(shape_); }
  void put_image(detail::piece_writer& to) const;
  void take_image(detail::image_reader& from);
  template <class Edge>
  void make(std::span<const Edge> mine, std::size_t n, const graph_options& how, const detail::making* label);
  static team members_of(const graph_options& how) { return how.members ? how.members : world(); }

  detail::graph_shape shape_;
  struct nothing {};
  [[no_unique_address]] std::conditional_t<std::is_void_v<V>, nothing, array<std::conditional_t<std::is_void_v<V>, char, V>>>
      values_;
  detail::keeping<graph> kept_;
};

// ---- Implementation only below ----

template <class V, class E>
template <class Reader>
graph<V, E>::graph(const file_range<Reader>& file, graph_options how, const made_at& at) {
  if (!how.members) how.members = file.members();
  const detail::making here(at, typeid(graph), how.members);
  std::vector<typename Reader::value> mine;
  detail::failure why;
  try {
    for (const auto& e : file.local()) mine.push_back(e);
  } catch (const detail::passing&) { throw; } catch (...) {
    why.note();
  }
  detail::agree(how.members, "graph", why);
  make(std::span<const typename Reader::value>(mine), detail::count_vertices, how, &here);
}

template <class V, class E>
template <class Edge>
void graph<V, E>::make(std::span<const Edge> mine, std::size_t n, const graph_options& how, const detail::making* label) {
  const team t = members_of(how);
  n = detail::agree_on_vertices(t, mine, n);
  detail::make_graph<E>(shape_, t, detail::arcs_of<E>(mine, how.undirected, how.keep_loops), n,
                        {how.undirected, how.in_edges, how.keep_duplicates});
  if constexpr (!std::is_void_v<V>) values_ = array<V>(n, as_in(t, shape_.where));
  this->be_named(t, label);
}

template <class V, class E>
void graph<V, E>::save(const std::string& path) const {
  if (!members()) [[unlikely]]
    detail::throw_moved_from();
  detail::images::save(*this, path);
}

template <class V, class E>
void graph<V, E>::put_image(detail::piece_writer& to) const {
  if constexpr (std::is_void_v<V>)
    detail::put_graph<void, E>(shape_, nullptr, to);
  else
    detail::put_graph<V, E>(shape_, values_.local().data(), to);
}

template <class V, class E>
void graph<V, E>::take_image(detail::image_reader& from) {
  graph made;
  std::vector<detail::vertex_image<V>> values;
  detail::take_graph<V, E>(made.shape_, from, values);
  if constexpr (!std::is_void_v<V>) {
    made.values_ = array<V>(made.size(), as_in(from.members(), made.shape_.where));
    for (const auto& each : values) made.values_.store(each.vertex, each.value);
    from.members().fence();
  }
  made.be_named(from.members());
  made.keep_name_of(*this);
  made.kept_ = std::move(kept_);
  *this = std::move(made);
  detail::meet(members());
}

}  // namespace armilla
