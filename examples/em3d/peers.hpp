// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <deque>
#include <memory>
#include <vector>

#include "examples/em3d/region.hpp"

namespace em3d {

/// How the versions by calls reach the parts of the other ranks: CC++'s way, methods of distributed objects. All ranks make
/// theirs together; copies share them.
class peers {
 public:
  explicit peers(am::distributed<region>& d) : parts_(&d), inlets_(std::make_shared<std::deque<am::distributed<inlet>>>()) {
    for (const field f : {electric, magnetic})
      for (am::rank_t from = 0; from < am::ranks(); ++from) {
        inlets_->emplace_back(mine(), f, from);
        if (from == am::rank()) for_my_values_[f] = inlets_->back().on(from);
      }
  }
  region& mine() const { return **parts_; }

  am::future<double> value(am::rank_t of, field f, int place) const { return am::call<&region::value>(parts_->on(of), f, place); }
  /// A value for a ghost; the ghosts of one rank in their order, so that the reader knows the place.
  void set(am::rank_t at, field f, int, double value) const { am::async<&inlet::put>(inlet_at(at, f), value); }
  void all_set(am::rank_t at, field f) const { am::async<&inlet::all_put>(inlet_at(at, f)); }
  void take(am::rank_t to, field f, int place, const std::vector<double>& sent) const {
    am::async<&region::take>(parts_->on(to), f, place, am::view<double>(sent));
  }

 private:
  am::object_ref<inlet> inlet_at(am::rank_t at, field f) const { return for_my_values_[f].on(at); }

  am::distributed<region>* parts_;
  std::shared_ptr<std::deque<am::distributed<inlet>>> inlets_;  ///< for each field, of each sender
  am::object_ref<inlet> for_my_values_[2];
};

/// An edge of a node, its far end as the method of its owner takes it.
struct remote_edge {
  am::rank_t rank;
  int place;
  double weight;
};

/// The edges of a field, in the order in which they are summed up.
inline std::vector<remote_edge> remote_edges_of(const part& mine, field f) {
  std::vector<remote_edge> edges;
  for (const edge& e : mine.edges(f)) edges.push_back({mine.owner(e.from), mine.place_at_owner(e.from), e.weight});
  return edges;
}

}  // namespace em3d
