// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "armilla/container/place/algorithm_call.hpp"
#include "armilla/graph.hpp"

namespace armilla::detail {

/// What this rank has to say of other members' vertices: collected by member, exchanged all at once.
template <class T>
class vertex_news {
 public:
  explicit vertex_news(const graph_shape& g) : g_(g), to_(std::size_t(g.members.size())) {}

  void tell(vertex_id v, const T& what) { to_[g_.owner(v)].push_back(what); }

  /// Collective: take(what) for all that the others have told this rank. A team of one has nothing to tell.
  template <class Take>
  void exchange(Take take) {
    if (to_.size() == 1) return;
    std::vector<T> out;
    std::vector<std::size_t> counts, received(to_.size());
    for (auto& each : to_) {
      counts.push_back(each.size());
      out.insert(out.end(), each.begin(), each.end());
      each.clear();
    }
    count_moved(out.size());
    for (const T& what : g_.members.all_to_all_v(std::span<const T>(out), counts, received)) take(what);
  }

 private:
  const graph_shape& g_;
  std::vector<std::vector<T>> to_;
};

}  // namespace armilla::detail
