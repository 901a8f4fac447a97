// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "examples/em3d/region.hpp"

/// EM3D, version base: whoever needs a value reads it, wherever it lies, as often as it needs it.
/// Paper: MRPC, section 5 (em3d-base).
namespace em3d {

/// CC++'s way: a value on another rank is asked for by calling a method of the part that has it.
// parallel
class base_by_calls {
 public:
  explicit base_by_calls(am::distributed<region>& d) : parts_(d), mine_(*d) {
    for (const field f : {electric, magnetic})
      for (const edge& e : mine_.edges(f)) edges_[f].push_back({mine_.owner(e.from), mine_.place_at_owner(e.from), e.weight});
  }
  void half_step(field f) {
    subtract_terms(mine_.own(f), mine_.graph().degree, [this, f](std::size_t i) {
      const far_edge& e = edges_[f][i];
      if (e.rank == am::rank()) return e.weight * mine_.value(other(f), e.place);
      return e.weight * am::call<&region::value>(parts_.on(e.rank), other(f), e.place).get();
    });
    am::barrier();  // answers the others meanwhile
  }

 private:
  struct far_edge {
    am::rank_t rank;
    int place;
    double weight;
  };
  am::distributed<region>& parts_;
  region& mine_;
  std::vector<far_edge> edges_[2];
};
// end of parallel

}  // namespace em3d
