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

/// How a graph is made of its edges; the same on all members.
struct graph_options {
  bool undirected = false;       ///< each edge leads both ways; it is given once
  bool in_edges = false;         ///< rows of the edges that lead to a vertex, too. An undirected graph has them without it
  bool keep_duplicates = false;  ///< several edges from one vertex to another; else the first one given, by lowest rank
  bool keep_loops = false;       ///< edges from a vertex to itself; else they are left out
  team members{};                ///< the empty one: all ranks
};

/// A graph whose vertices lie in blocks over the ranks of a team, with as many edges in each as can be. A vertex has a number
/// from 0; the edges that leave it form a row, in the order of where they lead, which lies in the segment of its rank: ranks of
/// one host read each other's rows where they lie.
///
///     am::graph<> g(am::read_edges("graph.txt"), {.undirected = true});
///     am::graph<void, double> roads(n, mine);             // mine: weighted_edge<double>'s that this rank knows, of any vertices
///     const am::array<std::int32_t> level = am::bfs(g, 0);
///     am::array<double> heat(g.size(), am::like(g));      // a value a vertex, where the vertices lie
///
/// `V` is what each vertex has (`values()`), `E` what each edge has (`edge_data(v)`); void costs nothing. Both are trivially
/// copyable. A graph does not change; it moves and does not copy. Vertices are numbered by 32 bits. Made by all members together.
/// Cost: three reductions, one exchange of all edges; afterwards 8 bytes a vertex, and 4 and E an edge.
/// Errors: remote_error on all members for an edge of a vertex that is not there, or what reading a file throws; limit_error on
/// all for one that does not fit.
template <class V /* = void */, class E /* = void */>
class graph : public detail::named_container<graph<V, E>> {
 public:
  using handle_type = container_handle<graph>;
  using vertex_value = V;
  using edge_value = E;

  graph() = default;
  /// `n` vertices. `mine` is a vector or span of edges, of which this reads `from`, `to`, and `weight` unless E is void.
  template <std::ranges::contiguous_range Edges>
  graph(std::size_t n, const Edges& mine, const graph_options& how = {}) {
    detail::require_few_vertices(n);
    make(std::span(std::ranges::data(mine), std::ranges::size(mine)), n, how);
  }
  /// As many vertices as the greatest number of an edge says. usage_error on all if the numbers are not dense: more than a
  /// million and 64 for each edge.
  template <std::ranges::contiguous_range Edges>
  explicit graph(const Edges& mine, const graph_options& how = {}) {
    make(std::span(std::ranges::data(mine), std::ranges::size(mine)), detail::count_vertices, how);
  }
  /// The edges of a file, as `read_edges` reads them.
  template <class Reader>
  explicit graph(const file_range<Reader>& file, graph_options how = {}) {
    if (!how.members) how.members = file.members();
    std::vector<typename Reader::value> mine;
    detail::failure why;
    try {
      for (const auto& e : file.local()) mine.push_back(e);
    } catch (...) { why.note(); }
    detail::agree(how.members, "graph", why);
    make(std::span<const typename Reader::value>(mine), detail::count_vertices, how);
  }
  graph(graph&&) noexcept = default;
  graph& operator=(graph&&) noexcept = default;

  /// Vertices.
  std::size_t size() const noexcept { return shape_.where.size(); }
  /// Edges; of an undirected graph each once.
  std::size_t edges() const noexcept { return shape_.edges; }
  bool undirected() const noexcept { return shape_.undirected; }
  /// The ranks that have it.
  const team& members() const noexcept { return shape_.members; }
  /// Where each vertex lies.
  const armilla::placement& placement() const noexcept { return shape_.where; }
  /// Names it on all members, wherever it moves: to send and to keep. No message.
  handle_type handle() const { return this->template make_handle<handle_type>(); }
  /// The rank of the job that has vertex v.
  rank_t rank_of(std::size_t v) const {
    return shape_.members.world_rank(rank_t(shape_.owner(detail::checked_vertex(shape_, v))));
  }

  /// This rank's vertices, in order: `for (am::vertex_id v : g.local())`.
  auto local() const noexcept { return std::views::iota(vertex_id(shape_.first), vertex_id(shape_.first + shape_.count)); }
  /// Where the edges of v lead, in order. v is a vertex of this rank, or of one whose memory it maps; usage_error else.
  std::span<const vertex_id> neighbours(std::size_t v) const { return detail::row_of(shape_, shape_.out, v); }
  std::size_t degree(std::size_t v) const { return neighbours(v).size(); }
  /// Where edges come from that lead to v. usage_error if the graph has no rows of them.
  std::span<const vertex_id> in_neighbours(std::size_t v) const { return detail::row_of(shape_, detail::in_rows(shape_), v); }
  std::size_t in_degree(std::size_t v) const { return in_neighbours(v).size(); }
  /// The neighbours of any vertex, fetched if need be. Cost: two messages where its rank is not mapped.
  std::vector<vertex_id> fetch_neighbours(std::size_t v) const { return detail::fetch_row(shape_, shape_.out, v); }

  /// What the edges of v have, in the order of `neighbours(v)`; and those of `in_neighbours(v)`.
  std::span<const E> edge_data(std::size_t v) const
    requires(!std::is_void_v<E>)
  {
    return detail::data_of_row<E>(shape_, shape_.out, v);
  }
  std::span<const E> in_edge_data(std::size_t v) const
    requires(!std::is_void_v<E>)
  {
    return detail::data_of_row<E>(shape_, detail::in_rows(shape_), v);
  }

  /// What the vertices have, as an array that is dealt as they are; value-initialised.
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

  /// Writes vertices, edges, and what they have into a file, which replaces an old one when it is whole, and not before.
  /// Collective, and a fence of the team; no fiber may change values meanwhile. Errors: usage_error on all members, and the old
  /// file stays.
  void save(const std::string& path) const {
    if (!members()) [[unlikely]]
      detail::throw_moved_from();
    detail::images::save(*this, path);
  }
  /// Becomes the graph of a file that a graph of such vertices and edges has saved on any number of ranks, over the same ranks as
  /// before; one that was made without vertices over all ranks. Whether it is undirected and has rows of in-edges the file says.
  /// Collective, and a fence of the team. Errors: usage_error on all members for a file that is damaged or of another kind or
  /// element, limit_error for one that does not fit; the graph is as before then. Cost: as making it.
  void load(const std::string& path) { detail::images::load(*this, members() ? members() : world(), path); }

  /// Replicates each rank's rows in the memory of the next `copies` ranks of the team from now on: `checkpoint` makes the copies,
  /// and `recover` takes them, as of an array (docs/guide/death.md).
  void keep(int copies) { detail::images::keep(*this, copies); }
  /// Copies all rows and values to where `keep` said: all or nothing. As of a list.
  void checkpoint(std::uint64_t mark = 0) { detail::images::checkpoint(*this, mark); }
  /// Returns the graph of the last checkpoint over the ranks of `t`, which `members().survivors()` gave. `gone` has the ranks of
  /// the job whose rows are lost with all their copies: their vertices have no edges out, except those that other rows of an
  /// undirected graph name, and value-initialised values. As of a list. Cost: as making it, and a checkpoint.
  [[nodiscard]] recovered<graph, rank_t> recover(const team& t) { return detail::images::recover<graph>(*this, t); }

  /// For algorithms.
  const detail::graph_shape& shape() const noexcept { return shape_; }

 private:
  friend detail::images;
  // An empty one, whose image follows.
  explicit graph(const team& t) { shape_.members = t; }
  static detail::saved_type image_type() { return detail::saved_graph<V, E>(); }
  detail::image_numbers numbers_of_image() const { return detail::numbers_of_graph(shape_); }
  void put_image(detail::piece_writer& to) const {
    if constexpr (std::is_void_v<V>)
      detail::put_graph<void, E>(shape_, nullptr, to);
    else
      detail::put_graph<V, E>(shape_, values_.local().data(), to);
  }
  void take_image(detail::image_reader& from) {
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
  template <class Edge>
  void make(std::span<const Edge> mine, std::size_t n, const graph_options& how) {
    const team t = how.members ? how.members : world();
    n = detail::agree_on_vertices(t, mine, n);
    detail::make_graph<E>(shape_, t, detail::arcs_of<E>(mine, how.undirected, how.keep_loops), n,
                          {how.undirected, how.in_edges, how.keep_duplicates});
    if constexpr (!std::is_void_v<V>) values_ = array<V>(n, as_in(t, shape_.where));
    this->be_named(t);
  }

  detail::graph_shape shape_;
  struct nothing {};
  [[no_unique_address]] std::conditional_t<std::is_void_v<V>, nothing, array<std::conditional_t<std::is_void_v<V>, char, V>>>
      values_;
  detail::keeping<graph> kept_;
};

}  // namespace armilla
