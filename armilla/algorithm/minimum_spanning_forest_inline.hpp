// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <tuple>
#include <type_traits>
#include <vector>

#include "armilla/algorithm/vertex_forest.hpp"
#include "armilla/container/algorithm_call.hpp"
#include "armilla/container/graph.hpp"

namespace armilla::detail {

[[noreturn, gnu::cold]] void throw_no_weight(std::size_t from, std::size_t to);

template <class E>
bool is_lighter(const weighted_edge<E>& a, const weighted_edge<E>& b) {
  return std::tie(a.weight, a.from, a.to) < std::tie(b.weight, b.from, b.to);
}

/// Of the edges those that make the lightest forest of all `n` vertices stay.
template <class E>
void keep_forest(std::vector<weighted_edge<E>>& edges, std::size_t n) {
  std::ranges::sort(edges, is_lighter<E>);
  std::vector<vertex_id> above(n);
  vertex_forest joined{above};
  std::erase_if(edges, [&](const weighted_edge<E>& e) { return !joined.join(vertex_id(e.from), vertex_id(e.to)); });
}

/// Each edge once: in the row of its greater end. usage_error for a weight that has no place in an order.
template <class E>
std::vector<weighted_edge<E>> own_edges(const graph_shape& g) {
  const rows_view rows = g.rows();
  const E* const weight = data_of_rows<E>(g, g.out, std::size_t(g.members.rank()));
  std::vector<weighted_edge<E>> all;
  for (std::size_t k = 0; k < g.count; ++k)
    for (std::size_t j = rows.begin[k]; j < rows.begin[k + 1] && rows.to[j] < g.first + k; ++j) {
      if (!(weight[j] == weight[j])) throw_no_weight(rows.to[j], g.first + k);
      all.push_back({rows.to[j], g.first + k, weight[j]});
    }
  count_elements(all.size());
  return all;
}

template <class E>
std::vector<weighted_edge<E>> minimum_spanning_forest(const graph_shape& g) {
  using edges = std::vector<weighted_edge<E>>;
  require_undirected(g, "minimum_spanning_forest");
  algorithm_call why("minimum_spanning_forest");
  const team& t = g.members;
  edges mine;
  try {
    mine = own_edges<E>(g);
  } catch (...) { why.note(); }
  keep_forest(mine, g.where.size());
  for (rank_t step = 1; step < t.size(); step *= 2) {
    std::vector<edges> to(std::size_t(t.size()));
    if (t.rank() % (2 * step) == step) {
      count_moved(mine.size());
      to[std::size_t(t.rank() - step)] = std::move(mine);
    }
    const bool joins = t.rank() % (2 * step) == 0 && t.rank() + step < t.size();
    if (t.rank() % (2 * step) == step) mine.clear();
    const std::vector<edges> come = t.all_to_all_v(to);
    if (!joins) continue;
    const edges& theirs = come[std::size_t(t.rank() + step)];
    mine.insert(mine.end(), theirs.begin(), theirs.end());
    keep_forest(mine, g.where.size());
  }
  edges share =
      entries_of_own_rows(t, std::span<const weighted_edge<E>>(mine), g.owner, [](const auto& e) { return std::size_t(e.from); });
  std::ranges::sort(share, {}, [](const weighted_edge<E>& e) { return std::pair(e.from, e.to); });
  agree(t, "minimum_spanning_forest", why);
  return share;
}

}  // namespace armilla::detail
