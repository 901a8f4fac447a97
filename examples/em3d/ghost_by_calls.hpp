// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "examples/em3d/peers.hpp"

/// EM3D, version ghost: each far value is fetched once a half step, all of them overlapping, into a copy beside the own
/// nodes; the sums are then purely local. Paper: MRPC, section 5 (em3d-ghost).
namespace em3d {

/// CC++'s way: questions that overlap, as a parfor over calls would.
// parallel
template <class Peers = peers>
class ghost_by_calls {
 public:
  explicit ghost_by_calls(const Peers& p) : peers_(p), mine_(p.mine()), near_(mine_) {}
  void half_step(field f) {
    fetch(other(f));
    near_.half_step(f, mine_.all(f), mine_.all(other(f)));
    am::barrier();
  }

 private:
  void fetch(field f) {
    answers_.clear();
    {
      am::batch together;  // small questions to a rank share messages
      for (const int node : mine_.ghosts(f)) answers_.push_back(peers_.value(mine_.owner(node), f, mine_.place_at_owner(node)));
    }
    double* copy = mine_.ghost_values(f);
    for (am::future<double>& answer : answers_) *copy++ = answer.get();
  }

  Peers peers_;
  region& mine_;
  near_edges near_;
  std::vector<am::future<double>> answers_;
};
// end of parallel

}  // namespace em3d
