// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <functional>
#include <set>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/base/values/extents.hpp"
#include "armilla/collectives.hpp"
#include "armilla/graph.hpp"
#include "armilla/team/core/fence_participant.hpp"

namespace armilla::stapl::detail {

[[noreturn, gnu::cold]] void refuse_vertices(std::size_t there, std::size_t more);

/// A graph, and what this node has said since the last fence.
template <class E>
class graph_changes final : public armilla::detail::fence_participant {
 public:
  using edge_type =
      std::conditional_t<std::is_void_v<E>, armilla::edge, weighted_edge<std::conditional_t<std::is_void_v<E>, int, E>>>;

  graph_changes(std::size_t vertices, bool undirected, const team& nodes) : fence_participant(nodes), undirected_(undirected) {
    make(vertices, {});
  }
  const armilla::graph<void, E>& graph() const noexcept { return graph_; }

  void add(const edge_type& e) {
    check(e.from), check(e.to);
    said_.push_back({e, false});
  }
  void erase(vertex_id from, vertex_id to) {
    check(from), check(to);
    said_.push_back({edge_between(from, to), true});
  }

  void add_vertices(std::size_t n) {
    const std::size_t all = armilla::detail::bounded_sum(new_vertices_, n);
    if (armilla::detail::bounded_sum(graph_.size(), all) >= UINT32_MAX) refuse_vertices(graph_.size(), all);
    new_vertices_ = all;
  }

  bool look() override {
    picture_ = said_.size();
    new_picture_ = new_vertices_;
    return picture_ + new_picture_ != 0;
  }
  void agree() override {
    std::vector<edge_type> added;
    std::vector<ends> erased;
    for (std::size_t i = 0; i < picture_; ++i) {
      const edge_type& e = said_[i].edge;
      if (said_[i].erased) {
        erased.push_back(ends_of(e.from, e.to));
        std::erase_if(added, [&](const edge_type& a) { return ends_of(a.from, a.to) == erased.back(); });
      } else {
        added.push_back(e);
      }
    }
    said_.erase(said_.begin(), said_.begin() + std::ptrdiff_t(picture_));
    const std::vector<ends> everywhere = members().all_gather_v(erased);
    const std::set<ends> gone(everywhere.begin(), everywhere.end());
    for (const vertex_id v : graph_.local()) keep_row(v, gone, added);
    new_vertices_ -= new_picture_;
    make(graph_.size() + members().all_reduce(new_picture_, std::plus<>{}), added);
  }

 private:
  using ends = std::pair<vertex_id, vertex_id>;
  struct change {
    edge_type edge;
    bool erased;
  };

  ends ends_of(vertex_id from, vertex_id to) const { return undirected_ && to < from ? ends(to, from) : ends(from, to); }
  static edge_type edge_between(vertex_id from, vertex_id to) {
    if constexpr (std::is_void_v<E>)
      return {from, to};
    else
      return {from, to, E()};
  }
  void check(vertex_id v) const { armilla::detail::checked_vertex(graph_.shape(), v, "pgraph"); }
  /// The edges of a row that are not gone; of an undirected graph each from one of its ends.
  void keep_row(vertex_id v, const std::set<ends>& gone, std::vector<edge_type>& all) const {
    const auto row = graph_.neighbours(v);
    for (std::size_t k = 0; k < row.size(); ++k) {
      if ((undirected_ && row[k] < v) || gone.contains(ends_of(v, row[k]))) continue;
      all.push_back(edge_between(v, row[k]));
      if constexpr (!std::is_void_v<E>) all.back().weight = graph_.edge_data(v)[k];
    }
  }
  void make(std::size_t vertices, const std::vector<edge_type>& mine) {
    graph_ = armilla::graph<void, E>(vertices, mine, {.undirected = undirected_, .in_edges = true, .members = members()});
  }

  bool undirected_;
  armilla::graph<void, E> graph_;
  std::vector<change> said_;
  std::size_t new_vertices_ = 0;
  std::size_t picture_ = 0, new_picture_ = 0;  // of both, as the fence counts
};

}  // namespace armilla::stapl::detail
