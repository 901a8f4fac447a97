// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/array.hpp"
#include "armilla/container/files/files_inline.hpp"
#include "armilla/container/grid/graph_inline.hpp"
#include "armilla/unordered_map.hpp"

/// Files of graphs: what a member reads, as edges between vertices that are numbered from 0.
namespace armilla {
struct read_graph_options;
}

namespace armilla::detail {

/// An edge, and the text of its weight, which lies in the file's memory. If it is empty, the edge has none.
struct file_edge {
  std::uint64_t from, to;
  std::string_view weight;
};

/// The names of vertices, and which vertex has a name. Distributed as the vertices.
class vertex_names {
 public:
  vertex_names() = default;
  /// Vertices are called by their numbers, from `base`.
  explicit vertex_names(std::uint64_t base) : base_(base) {}
  vertex_names(vertex_names&&) noexcept = default;
  vertex_names& operator=(vertex_names&&) noexcept = default;

  std::string name(const graph_shape& g, std::size_t v) const;
  std::optional<vertex_id> find(const graph_shape& g, std::string_view name) const;
  /// Collective.
  array<std::string> all(const graph_shape& g, const made_at& at) const;

  /// Until the graph is made: the vertices whose names this member has met first.
  template <class Key>
  struct renamed {
    std::vector<std::pair<vertex_id, Key>> mine;
    unordered_map<Key, vertex_id> vertex;
    std::optional<array<Key>> name{};
  };
  using numbers = renamed<std::uint64_t>;
  using texts = renamed<std::string>;
  explicit vertex_names(std::unique_ptr<numbers> n) : numbers_(std::move(n)) {}
  explicit vertex_names(std::unique_ptr<texts> t) : texts_(std::move(t)) {}
  /// Collective: gives each vertex its name.
  void settle(const graph_shape& g);

 private:
  std::uint64_t base_ = 0;
  std::unique_ptr<numbers> numbers_;
  std::unique_ptr<texts> texts_;
};

/// What all members have read.
struct graph_file {
  std::shared_ptr<file_part> part;  ///< has the weights' text
  std::vector<file_edge> edges{};   ///< this member's
  std::size_t vertices = 0;
  vertex_names names{};
};

/// Collective: reads a file of any known format.
graph_file read_graph_file(const std::string& path, const read_graph_options& how);

[[noreturn, gnu::cold]] void throw_no_vertex_named(std::string_view name, std::size_t vertices);
[[noreturn, gnu::cold]] void throw_default_weight(double weight);
/// As the type of the graph's weights.
template <class E>
auto default_weight(double given) {
  if constexpr (std::is_void_v<E>) {
    return given;
  } else {
    using limits = std::numeric_limits<E>;
    if constexpr (std::is_integral_v<E>)
      if (!(given >= double(limits::min()) && given < double(limits::max()) + 1 && given == double(E(given))))
        throw_default_weight(given);
    return E(given);
  }
}
/// A line's weight is missing, or none of its type: throws, or counts the line if such are skipped.
void complain_of_weight(file_part& part, const file_edge& e);

}  // namespace armilla::detail
