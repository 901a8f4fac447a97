// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/container/grid/graph_inline.hpp"
#include "armilla/container/grid/row_image.hpp"

/// The image of a graph: its rows of edges out, with what the vertices and edges have. Rows of edges in follow from them.
namespace armilla::detail {

/// What a vertex has, as it is read.
template <class V>
struct vertex_image {
  vertex_id vertex;
  V value;
};
template <>
struct vertex_image<void> {};

template <class V, class E>
saved_type saved_graph() {
  static_assert((std::is_void_v<V> || sendable_value<V>) && (std::is_void_v<E> || sendable_value<E>),
                "armilla: what vertices and edges of a graph have must be sendable to be saved or kept");
  using to = std::vector<vertex_id>;
  if constexpr (std::is_void_v<V> && std::is_void_v<E>)
    return {saved_kind::graph, 0, element_name<to>::text};
  else if constexpr (std::is_void_v<V>)
    return {saved_kind::graph, 0, element_name<to, std::vector<E>>::text};
  else if constexpr (std::is_void_v<E>)
    return {saved_kind::graph, 0, element_name<to, V>::text};
  else
    return {saved_kind::graph, 0, element_name<to, V, std::vector<E>>::text};
}

/// The vertices, and how the graph was made.
image_numbers numbers_of_graph(const graph_shape& g) noexcept;
/// The same, as a graph is made of them. Notes what is wrong.
rows_wanted how_to_make(image_reader& from);
[[gnu::cold]] void note_vertex_outside(image_reader& from, std::uint64_t vertex);

/// This rank's rows; `values` are those of its vertices.
template <class V, class E>
void put_graph(const graph_shape& g, const V* values, piece_writer& to) {
  const rows_view rows = g.members ? g.rows() : rows_view();
  for (std::size_t k = 0; k < g.count; ++k) {
    const auto row = rows[k];
    if (std::is_void_v<V> && row.empty()) continue;
    put_row<vertex_id>(to.keys, g.first + k, row.size(), [&row](std::size_t i) { return row[i]; });
    if constexpr (!std::is_void_v<V>) column<V>::put(to.values, values[k]);
    if constexpr (!std::is_void_v<E>)
      for (const E& each : data_of_row<E>(g, g.out, g.first + k)) column<E>::put(to.values, each);
    to.end_element();
  }
}

/// Collective: makes `g` of an image. `values` gets what vertices have that this member has read.
template <class V, class E>
void take_graph(graph_shape& g, image_reader& from, std::vector<vertex_image<V>>& values) {
  const rows_wanted how = how_to_make(from);
  from.agree();
  const std::uint64_t n = from.numbers()[0];
  std::vector<arc<E>> arcs;
  from.each_own_piece([&](column_rest& keys, column_rest& data, std::uint64_t records, std::uint64_t) {
    for (; records != 0; --records) {
      const taken_row<vertex_id> row(keys);
      if (row.row() >= n) return note_vertex_outside(from, row.row());
      const auto v = vertex_id(row.row());
      if constexpr (!std::is_void_v<V>) values.push_back({v, V(column<V>::take(data))});
      for (std::size_t k = 0; k < row.size(); ++k) {
        if (row[k] >= n) return note_vertex_outside(from, row[k]);
        if constexpr (std::is_void_v<E>)
          arcs.push_back({v, row[k]});
        else
          arcs.push_back({v, row[k], E(column<E>::take(data))});
      }
    }
  });
  from.agree();
  make_graph<E>(g, from.members(), std::move(arcs), std::size_t(n), how);
}

}  // namespace armilla::detail
