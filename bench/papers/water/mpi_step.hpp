// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <mpi.h>

#include <vector>

#include "bench/papers/water/worker.hpp"

/// Water by hand in MPI: the same as version prefetch, with messages that do not block.
namespace water {

// parallel
class mpi_water {
 public:
  explicit mpi_water(worker& mine)
      : mine_(mine), fetched_(std::size_t(mine.space().molecules)), forces_(fetched_.size()), inbox_(mine.readers().size()) {
    for (std::vector<triple>& from : inbox_) from.resize(std::size_t(mine.own().count()));
  }

  void step() {
    mine_.mine().predict();
    const triple* const own = mine_.mine().places().data();
    for (const auto& [who, what] : mine_.sources()) receive(&fetched_[std::size_t(what.first)], what, who, place);
    for (const auto& [who, what] : mine_.readers()) send(own + (what.first - mine_.own().first), what, who, place);
    mine_.see_own();
    mine_.add_pairs_with(mine_.own(), [] {});
    complete();
    for (const auto& [who, what] : mine_.sources()) {
      mine_.view().put(what.first, std::span<const triple>(&fetched_[std::size_t(what.first)], std::size_t(what.count())));
      mine_.add_pairs_with(what, [] {});
    }
    for (std::size_t i = 0; i < inbox_.size(); ++i)
      receive(inbox_[i].data(), mine_.readers()[i].what, mine_.readers()[i].who, force);
    for (const auto& [who, what] : mine_.sources()) {
      triple* const packed = &forces_[std::size_t(what.first)];
      mine_.forces_on(what, packed);
      send(packed, what, who, force);
    }
    mine_.take_own_forces();
    complete();
    for (std::size_t i = 0; i < inbox_.size(); ++i) {
      const range& what = mine_.readers()[i].what;
      mine_.take_forces(what.first, inbox_[i].data(), what.count());
    }
    mine_.mine().correct();
  }

 private:
  enum tag { place, force };
  static int doubles(const range& what) { return what.count() * int(std::tuple_size_v<triple>); }
  void receive(triple* into, const range& what, int from, tag t) {
    MPI_Irecv(into, doubles(what), MPI_DOUBLE, from, t, MPI_COMM_WORLD, &open_.emplace_back());
  }
  void send(const triple* from, const range& what, int to, tag t) {
    MPI_Isend(from, doubles(what), MPI_DOUBLE, to, t, MPI_COMM_WORLD, &open_.emplace_back());
  }
  void complete() {
    MPI_Waitall(int(open_.size()), open_.data(), MPI_STATUSES_IGNORE);
    open_.clear();
  }

  worker& mine_;
  std::vector<triple> fetched_, forces_;
  std::vector<std::vector<triple>> inbox_;  ///< by reader
  std::vector<MPI_Request> open_;
};
// end of parallel

}  // namespace water
