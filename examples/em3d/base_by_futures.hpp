// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <vector>

#include "examples/em3d/peers.hpp"

/// EM3D, version base: a rank that needs a value reads it, wherever it lies, as often as it needs it.
/// Paper: MRPC, section 5 (em3d-base).
namespace em3d {

/// By calls whose waits overlap: a future for each edge, those of some nodes at a time.
// parallel
template <class Peers = peers>
class base_by_futures {
 public:
  explicit base_by_futures(const Peers& p) : peers_(p), mine_(p.mine()) {
    for (const field f : {electric, magnetic}) edges_[f] = remote_edges_of(mine_, f);
    answers_.resize(nodes_at_a_time() * std::size_t(mine_.graph().degree));
  }
  void half_step(field f) {
    const std::span<double> own = mine_.own(f);
    const std::size_t degree = std::size_t(mine_.graph().degree), most = nodes_at_a_time();
    for (std::size_t n = 0; n < own.size(); n += most) {
      const std::size_t nodes = std::min(most, own.size() - n);
      const remote_edge* e = edges_[f].data() + n * degree;
      ask(f, e, nodes * degree);
      subtract_terms(own.subspan(n, nodes), int(degree), [this, f, e, me = am::rank()](std::size_t i) {
        return e[i].weight * (e[i].rank == me ? mine_.value(other(f), e[i].place) : answers_[i].get());
      });
    }
    am::barrier();
  }

 private:
  /// A multiple of what subtract_terms takes in turns.
  std::size_t nodes_at_a_time() const { return std::max<std::size_t>(1, 256 / std::size_t(mine_.graph().degree)) * 4; }

  void ask(field f, const remote_edge* e, std::size_t count) {
    const am::batch together;  // small two-way calls to a rank share messages
    for (std::size_t i = 0; i < count; ++i)
      if (e[i].rank != am::rank()) answers_[i] = peers_.value(e[i].rank, other(f), e[i].place);
  }

  Peers peers_;
  region& mine_;
  std::vector<remote_edge> edges_[2];
  std::vector<am::future<double>> answers_;
};
// end of parallel

}  // namespace em3d
