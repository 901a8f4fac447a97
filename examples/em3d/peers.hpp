// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "examples/em3d/region.hpp"

namespace em3d {

/// How the versions by calls reach the parts of the other ranks: CC++'s way, methods of a distributed object.
class peers {
 public:
  explicit peers(am::distributed<region>& d) : parts_(&d) {}
  region& mine() const { return **parts_; }

  am::future<double> value(am::rank_t of, field f, int place) const { return am::call<&region::value>(parts_->on(of), f, place); }
  void set(am::rank_t at, field f, int place, double value) const { am::async<&region::set>(parts_->on(at), f, place, value); }
  void all_set(am::rank_t at, field f) const { am::async<&region::all_set>(parts_->on(at), f); }
  void take(am::rank_t to, field f, int place, const std::vector<double>& sent) const {
    am::async<&region::take>(parts_->on(to), f, place, am::view<double>(sent));
  }

 private:
  am::distributed<region>* parts_;
};

/// An edge of a node, its far end as the method of its owner takes it.
struct far_edge {
  am::rank_t rank;
  int place;
  double weight;
};

/// The edges of a field, in the order in which they are summed up.
inline std::vector<far_edge> far_edges_of(const part& mine, field f) {
  std::vector<far_edge> edges;
  for (const edge& e : mine.edges(f)) edges.push_back({mine.owner(e.from), mine.place_at_owner(e.from), e.weight});
  return edges;
}

}  // namespace em3d
