// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <memory>
#include <type_traits>
#include <vector>

#include "armilla/dialect/stapl_pgraph_inline.hpp"
#include "armilla/dialect/stapl_rmi.hpp"
#include "armilla/graph.hpp"

namespace armilla::stapl {

/// STAPL's graph over all nodes: any node adds edges and vertices, and erases edges, at any time; they are part of the graph
/// after `rmi_fence`. All nodes make it together.
///
///     stapl::pgraph<> g(n);
///     g.add_edge(3, 4);                                  // from any node
///     stapl::rmi_fence();
///     std::vector<armilla::vertex_id> next = g.neighbours(3);
///     const auto entered = stapl::p_dfs(g, 0u);          // of stapl_every_algorithm.hpp
///
/// `E` is what each edge has; void costs nothing. An edge that is added again is there once, with the data of one of them;
/// `erase_edge` removes what earlier fences, and this node before it, have added. Loops are left out. Errors: usage_error for a
/// vertex that is not there, and for a pgraph that has been moved from. Cost: adding and erasing send nothing; a fence after
/// changes makes the graph again from all edges, as `armilla::graph` does. Paper: STAPL, sections 2 and 4 (a depth-first search
/// on a distributed graph).
template <class E = void>
class pgraph {
  using changes = detail::graph_changes<E>;
  using data = std::conditional_t<std::is_void_v<E>, char, E>;

 public:
  using value_type = vertex_id;

  explicit pgraph(std::size_t vertices, bool undirected = false, const communicator& nodes = world())
      : state_(std::make_unique<changes>(vertices, undirected, nodes)) {}
  ~pgraph() {
    if (state_) armilla::detail::retire(std::move(state_));
  }
  pgraph(pgraph&&) noexcept = default;
  pgraph& operator=(pgraph&&) = delete;

  void add_edge(vertex_id from, vertex_id to)
    requires std::is_void_v<E>
  {
    state().add({from, to});
  }
  void add_edge(vertex_id from, vertex_id to, const data& d)
    requires(!std::is_void_v<E>)
  {
    state().add({from, to, d});
  }
  void erase_edge(vertex_id from, vertex_id to) { state().erase(from, to); }
  /// After the fence there are that many more, numbered from the old `size()` on. Errors: limit_error for more than 32 bits
  /// number; of all nodes together that is found by the fence.
  void add_vertices(std::size_t n) { state().add_vertices(n); }

  // ---- as of the last fence ----

  std::size_t size() const { return elements().size(); }
  std::size_t edges() const { return elements().edges(); }
  int owner(vertex_id v) const { return int(elements().rank_of(v)); }
  /// Where the edges of any vertex lead, in order: an access.
  std::vector<vertex_id> neighbours(vertex_id v) const { return elements().fetch_neighbours(v); }
  /// This node's vertices.
  auto local() const { return elements().local(); }
  /// For algorithms; it changes with the fences.
  const graph<void, E>& elements() const { return state().graph(); }

 private:
  changes& state() const {
    if (!state_) [[unlikely]]
      armilla::detail::throw_moved_from();
    return *state_;
  }

  std::unique_ptr<changes> state_;
};

}  // namespace armilla::stapl
