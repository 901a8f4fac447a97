// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "armilla/container/place/algorithm_call.hpp"
#include "armilla/graph.hpp"
#include "armilla/transfer.hpp"

namespace armilla::detail {

/// A value of every vertex, of an array that is dealt as a graph: where it lies if this rank maps it, else as it was fetched.
template <class T>
class vertex_values {
 public:
  vertex_values(const graph_shape& g, const array<T>& x)
      : g_(g), x_(x), own_(std::size_t(g.members.rank())), base_(std::size_t(g.members.size())), fetched_(base_.size()) {
    for (std::size_t m = 0; m < base_.size(); ++m) {
      const T* at = block(m).local();
      if (at == nullptr) {
        fetched_[m].resize(g.first_of[m + 1] - g.first_of[m]);
        at = fetched_[m].data();
      }
      base_[m] = reinterpret_cast<std::uintptr_t>(at) - g.first_of[m] * sizeof(T);
    }
  }

  /// The others have written theirs, and all have met.
  void refresh() {
    for (std::size_t m = 0; m < base_.size(); ++m) {
      if (fetched_[m].empty()) continue;
      get(fetched_[m], block(m));
      count_moved(fetched_[m].size());
    }
    sync_memory();
  }

  /// Budget: two loads, a shift and the access.
  const T& operator[](vertex_id v) const noexcept {
    return *reinterpret_cast<const T*>(base_[g_.owner(v)] + std::uintptr_t(v) * sizeof(T));
  }
  /// f(value) of each vertex of a row, which is in order: those of a member are one piece. Only in a row with few of each member
  /// it is asked for each which member has it.
  template <class F>
  void each_of_row(std::span<const vertex_id> row, F f) const {
    const vertex_id* v = row.data();
    const vertex_id* const last = v + row.size();
    const auto piece = [&](std::size_t m) {
      const std::uintptr_t base = base_[m];
      for (const std::size_t end = g_.first_of[m + 1]; v != last && *v < end; ++v)
        f(*reinterpret_cast<const T*>(base + std::uintptr_t(*v) * sizeof(T)));
    };
    if (row.size() >= 8 * base_.size()) {
      for (std::size_t m = 0; m < base_.size(); ++m) piece(m);
      return;
    }
    for (; v != last && *v < g_.first; ++v) f((*this)[*v]);
    piece(own_);
    for (; v != last; ++v) f((*this)[*v]);
  }

 private:
  global_ptr<const T> block(std::size_t m) const { return global_ptr<const T>(x_.state().blocks.at(rank_t(m))); }

  const graph_shape& g_;
  const array<T>& x_;
  std::size_t own_;                      ///< this rank among the members
  std::vector<std::uintptr_t> base_;     ///< where vertex 0 would lie if the member had it
  std::vector<std::vector<T>> fetched_;  ///< of members that are not mapped
};

}  // namespace armilla::detail
