// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "examples/em3d/region.hpp"

/// EM3D, version ghost: each far value is fetched once a half step, all of them overlapping, into a copy beside the own
/// nodes; the sums are then purely local. Paper: MRPC, section 5 (em3d-ghost).
namespace em3d {

/// The edges of a region, with each neighbour at its place in this rank's own memory.
class near_edges {
 public:
  explicit near_edges(const region& mine) {
    for (const field f : {electric, magnetic})
      for (const edge& e : mine.edges(f)) edges_[f].push_back({mine.place(other(f), e.from), e.weight});
  }
  void half_step(region& mine, field f) const {
    subtract_terms(mine.own(f), mine.graph().degree,
                   [e = edges_[f].data(), from = mine.all(other(f))](std::size_t i) { return e[i].weight * from[e[i].from]; });
  }

 private:
  std::vector<edge> edges_[2];
};

/// Split-C's way: split-phase gets.
class ghost_by_pointers {
 public:
  explicit ghost_by_pointers(am::distributed<region>& d) : mine_(*d), near_(mine_) {
    for (const field f : {electric, magnetic})
      for (const int node : mine_.ghosts(f)) far_[f].push_back(mine_.at_owner(f, node));
  }
  void half_step(field f) {
    double* copy = mine_.own(other(f)).data() + mine_.own(other(f)).size();
    for (const am::global_ptr<double>& far : far_[other(f)]) am::get(*copy++, far);
    am::sync();
    near_.half_step(mine_, f);
    am::barrier();
  }

 private:
  region& mine_;
  near_edges near_;
  std::vector<am::global_ptr<double>> far_[2];
};

/// CC++'s way: questions that overlap, as a parfor over calls would.
class ghost_by_calls {
 public:
  explicit ghost_by_calls(am::distributed<region>& d) : parts_(d), mine_(*d), near_(mine_) {}
  void half_step(field f) {
    fetch(other(f));
    near_.half_step(mine_, f);
    am::barrier();
  }

 private:
  void fetch(field f) {
    answers_.clear();
    {
      am::batch together;  // small questions to a rank share messages
      for (const int node : mine_.ghosts(f))
        answers_.push_back(am::call<&region::value>(parts_.on(mine_.owner(node)), f, mine_.place_at_owner(node)));
    }
    double* copy = mine_.own(f).data() + mine_.own(f).size();
    for (am::future<double>& answer : answers_) *copy++ = answer.get();
  }

  am::distributed<region>& parts_;
  region& mine_;
  near_edges near_;
  std::vector<am::future<double>> answers_;
};

}  // namespace em3d
