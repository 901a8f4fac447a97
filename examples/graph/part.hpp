// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <vector>

#include <armilla/armilla.hpp>

#include "examples/graph/source.hpp"

namespace graphs {

namespace am = armilla;

/// One rank's part of an undirected graph. Vertex v lies on rank v % ranks; there its number is v / ranks ("place"). A vertex is
/// one that has edges.
class part {
 public:
  /// Reads or generates the graph: all ranks together, each its share, which sends the ends of each edge to their owners.
  explicit part(const source& s);

  am::rank_t owner(vertex v) const noexcept { return am::rank_t(v % ranks_); }
  vertex place(vertex v) const noexcept { return v / ranks_; }
  /// The vertex at a place of this rank.
  vertex at(vertex place) const noexcept { return place * ranks_ + rank_; }

  /// Places of this rank, also those at which there is no vertex.
  vertex places() const noexcept { return vertex(first_.size() - 1); }
  /// Ends of edges at a place: 0 if there is no vertex.
  std::uint32_t degree(vertex place) const noexcept { return first_[place + 1] - first_[place]; }
  std::span<const vertex> neighbours(vertex place) const noexcept { return {&to_[first_[place]], degree(place)}; }

  /// Of the whole graph.
  std::uint64_t vertices() const noexcept { return vertices_; }
  std::uint64_t edges() const noexcept { return edges_; }
  vertex greatest() const noexcept { return greatest_; }
  vertex smallest() const noexcept { return smallest_; }

 private:
  struct end {
    vertex place, far;
  };
  void arrange(const std::vector<end>& ends);

  vertex ranks_, rank_;
  std::vector<std::uint32_t> first_;  ///< neighbours of a place: to_[first_[place]] .. to_[first_[place + 1]]
  std::vector<vertex> to_;
  std::uint64_t vertices_ = 0, edges_ = 0;
  vertex greatest_ = 0, smallest_ = 0;

  friend struct end_collector;
};

/// The values of all ranks' places in the order of the vertices, on rank 0; nothing on the others.
template <class T>
std::vector<T> in_order(const part& g, const std::vector<T>& mine) {
  const std::vector<std::vector<T>> all = am::world().gather(mine, 0);
  std::vector<T> values;
  if (am::rank() != 0) return values;
  for (vertex v = 0; v <= g.greatest(); ++v) values.push_back(all[std::size_t(g.owner(v))][g.place(v)]);
  return values;
}

}  // namespace graphs
