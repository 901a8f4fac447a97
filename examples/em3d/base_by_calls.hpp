// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "examples/em3d/peers.hpp"

/// EM3D, version base: a rank that needs a value reads it, wherever it lies, as often as it needs it.
/// Paper: MRPC, section 5 (em3d-base).
namespace em3d {

/// By calls: a value on another rank is asked for by calling a method of the part that has it, one after the other. Own values
/// are read as they are; in CC++'s words (bench/papers/em3d/base_in_ccpp.hpp) a rank asks itself for those.
// parallel
template <class Peers = peers>
class base_by_calls {
 public:
  explicit base_by_calls(const Peers& p) : peers_(p), mine_(p.mine()) {
    for (const field f : {electric, magnetic}) edges_[f] = remote_edges_of(mine_, f);
  }
  void half_step(field f) {
    subtract_terms(mine_.own(f), mine_.graph().degree, [this, f, me = am::rank()](std::size_t i) {
      const remote_edge& e = edges_[f][i];
      if (e.rank == me) return e.weight * mine_.value(other(f), e.place);
      return e.weight * peers_.value(e.rank, other(f), e.place).get();
    });
    am::barrier();  // answers the others meanwhile
  }

 private:
  Peers peers_;
  region& mine_;
  std::vector<remote_edge> edges_[2];
};
// end of parallel

}  // namespace em3d
