// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <utility>

#include "armilla/container/graph.hpp"
#include "armilla/container/range.hpp"

namespace armilla {
namespace detail {

/// Rows of a member's vertices from `first` on.
struct rows_from {
  rows_view rows;
  std::size_t first;
  std::span<const vertex_id> operator[](std::size_t k) const noexcept { return rows[first + k]; }
};

/// The rows of `n` vertices of another member, or of the first ones: n says of how many.
rows_from fetch_rows(const graph_shape& g, const edge_rows& rows, std::size_t first, std::size_t& n, scratch& s);

/// The row of each vertex.
class neighbours_view {
 public:
  using value_type = std::span<const vertex_id>;
  static constexpr bool writable = false, sized = true, by_place = false;

  neighbours_view(const graph_shape& g, const edge_rows& rows) noexcept : graph_(&g), rows_(&rows) {}

  std::size_t size() const noexcept { return graph_->where.size(); }
  std::size_t extent() const noexcept { return size(); }
  const team& members() const noexcept { return graph_->members; }
  auto reading() const noexcept { return *this; }
  run run_at(std::size_t i) const noexcept { return graph_->where.run_at(i); }
  std::size_t next_on(rank_t member, std::size_t i) const noexcept { return graph_->where.next_on(member, i); }
  common_places common() const noexcept { return {&graph_->where}; }
  bool ordered() const noexcept { return graph_->where.linear(); }
  bool reaches(std::size_t i) const noexcept { return rows_->of[graph_->owner(i)].begin != nullptr; }
  rows_from window(std::size_t first, std::size_t& n, scratch& s) const {
    const std::size_t m = graph_->owner(first);
    if (rows_->of[m].begin == nullptr) [[unlikely]]
      return fetch_rows(*graph_, *rows_, first, n, s);
    return {rows_->of[m], first - graph_->first_of[m]};
  }

 private:
  const graph_shape* graph_;
  const edge_rows* rows_;
};

}  // namespace detail

namespace views {

/// Where the edges of each vertex lead: a range as long as the graph, whose element v is the std::span of `g.neighbours(v)`, on
/// the rank that has the vertex. Beside arrays that are `like(g)` in a zip; flattened it is the ends of all edges. Rows of ranks
/// that are not mapped are fetched in bulk.
template <class V, class E>
auto neighbours(const graph<V, E>& g) {
  return detail::neighbours_view(g.shape(), g.shape().out);
}
/// Where the edges come from that lead to each vertex. usage_error if the graph has no rows of them.
template <class V, class E>
auto in_neighbours(const graph<V, E>& g) {
  return detail::neighbours_view(g.shape(), detail::in_rows(g.shape(), "views::in_neighbours"));
}
template <class V, class E>
void neighbours(const graph<V, E>&&) = delete;  // a view does not keep a graph alive
template <class V, class E>
void in_neighbours(const graph<V, E>&&) = delete;

}  // namespace views
}  // namespace armilla
