// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "examples/em3d/peers.hpp"

/// EM3D, version base: a rank that needs a value reads it, wherever it lies, as often as it needs it.
/// Paper: MRPC, section 5 (em3d-base).
namespace em3d {

/// By calls whose waits overlap: an edge is an iteration of a parfor, which becomes a fiber when it waits.
// parallel
template <class Peers = peers>
class base_by_fibers {
 public:
  explicit base_by_fibers(const Peers& p) : peers_(p), mine_(p.mine()) {
    for (const field f : {electric, magnetic}) edges_[f] = remote_edges_of(mine_, f);
    terms_.resize(edges_[electric].size());
  }
  void half_step(field f) {
    am::parfor(std::size_t(0), terms_.size(), [this, f, me = am::rank()](std::size_t i) {
      const remote_edge& e = edges_[f][i];
      terms_[i] = e.weight * (e.rank == me ? mine_.value(other(f), e.place) : peers_.value(e.rank, other(f), e.place).get());
    });
    subtract_terms(mine_.own(f), mine_.graph().degree, [this](std::size_t i) { return terms_[i]; });
    am::barrier();
  }

 private:
  Peers peers_;
  region& mine_;
  std::vector<remote_edge> edges_[2];
  std::vector<double> terms_;
};
// end of parallel

}  // namespace em3d
