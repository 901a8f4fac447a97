// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <vector>

#include "bench/baseline/mpi_window.hpp"
#include "bench/papers/common/mpi_job.hpp"
#include "examples/em3d/part.hpp"

namespace em3d {

/// One rank's part of the graph, and the values of each field in a window that all ranks may get from and put to.
class mpi_region : public part {
 public:
  explicit mpi_region(const shape& s) : part(s, papers::mpi_job{}.rank(), papers::mpi_job{}.ranks()) { reset(); }

  void reset() {
    for (const field f : {electric, magnetic}) begin(f, all(f));
  }
  bool agrees(const values& all_values) const {
    return part::agrees(electric, all(electric), all_values) && part::agrees(magnetic, all(magnetic), all_values);
  }

  double* all(field f) const { return window_[f].data(); }
  MPI_Win window(field f) const { return window_[f].handle(); }

  /// What every rank has written in place is seen by gets of the others afterwards, and the other way round.
  void meet() const {
    for (const field f : {electric, magnetic}) MPI_Win_sync(window(f));
    MPI_Barrier(MPI_COMM_WORLD);
    for (const field f : {electric, magnetic}) MPI_Win_sync(window(f));
  }

 private:
  bench::mpi::window<double> window_[2] = {bench::mpi::window<double>(places(electric)),
                                           bench::mpi::window<double>(places(magnetic))};
};

/// What this rank and another one exchange of a field in a half step.
struct mpi_exchange {
  int rank;
  int first, count;         ///< places of the ghosts that come from there
  int there;                ///< where that rank has its ghosts of the nodes wanted
  std::vector<int> wanted;  ///< places of own nodes that it reads, in the order of its ghosts
  std::vector<double> packed;

  void pack(const double* values_here) {
    for (std::size_t i = 0; i < wanted.size(); ++i) packed[i] = values_here[wanted[i]];
  }
};

/// One for each rank with which there is something to exchange, by field. Every rank looks at all parts of the graph.
inline std::vector<mpi_exchange> exchanges_of(const mpi_region& mine, field f) {
  const papers::mpi_job job;
  std::vector<mpi_exchange> exchanges;
  const auto run_of = [](const part& reader, field of, int owner) {  // the ghosts that come from a rank follow each other
    const std::vector<int>& all = reader.ghosts(of);
    const auto from_there = [&](int node) { return reader.owner(node) == owner; };
    const auto first = std::find_if(all.begin(), all.end(), from_there);
    return std::pair(int(first - all.begin()), int(std::count_if(first, all.end(), from_there)));
  };
  for (int r = 0; r < job.ranks(); ++r) {
    if (r == job.rank()) continue;
    const part theirs(mine.graph(), r, job.ranks());
    const auto [first, count] = run_of(mine, f, r);
    const auto [first_there, count_there] = run_of(theirs, f, job.rank());
    if (count + count_there == 0) continue;
    mpi_exchange x{
        r, mine.count() + first, count, theirs.count() + first_there, {}, std::vector<double>(std::size_t(count_there))};
    for (int i = 0; i < count_there; ++i) x.wanted.push_back(mine.place(f, theirs.ghosts(f)[std::size_t(first_there + i)]));
    exchanges.push_back(std::move(x));
  }
  return exchanges;
}

}  // namespace em3d
