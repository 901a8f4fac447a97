// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "examples/em3d/peers.hpp"

/// EM3D, version ghost: each far value is fetched once a half step, all of them overlapping, into a copy beside the own
/// nodes; the sums are then purely local. Paper: MRPC, section 5 (em3d-ghost).
namespace em3d {

/// CC++'s way to fetch: two-way calls that overlap, as a parfor over calls would. Each value crosses twice, as two-way call and
/// as answer.
// parallel
template <class Peers = peers>
class ghost_by_two_way_calls {
 public:
  explicit ghost_by_two_way_calls(const Peers& p) : peers_(p), mine_(p.mine()), near_(mine_) {
    for (const field f : {electric, magnetic})
      for (const int node : mine_.ghosts(f)) far_[f].push_back({mine_.owner(node), mine_.place_at_owner(node)});
  }
  void half_step(field f) {
    fetch(other(f));
    near_.half_step(f, mine_.all(f), mine_.all(other(f)));
    am::barrier();
  }

 private:
  struct remote_node {
    am::rank_t rank;
    int place;
  };

  void fetch(field f) {
    answers_.clear();
    {
      am::batch together;  // small two-way calls to a rank share messages
      for (const remote_node& far : far_[f]) answers_.push_back(peers_.value(far.rank, f, far.place));
    }
    double* copy = mine_.ghost_values(f);
    for (am::future<double>& answer : answers_) *copy++ = answer.get();
  }

  Peers peers_;
  region& mine_;
  near_edges near_;
  std::vector<remote_node> far_[2];
  std::vector<am::future<double>> answers_;
};
// end of parallel

}  // namespace em3d
