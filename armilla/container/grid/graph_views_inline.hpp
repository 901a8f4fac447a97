// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <span>

#include "armilla/graph.hpp"
#include "armilla/range.hpp"

/// The view of a graph's rows.
namespace armilla::detail {

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

}  // namespace armilla::detail
