// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "examples/em3d/region.hpp"

namespace em3d {

/// What goes to one rank in a half step.
struct parcel {
  am::rank_t to;
  int place = 0;            ///< where the reader has its ghosts of these nodes
  std::vector<int> wanted;  ///< the places of the nodes here
  std::vector<double> packed;

  void pack(const double* values) {
    for (std::size_t i = 0; i < wanted.size(); ++i) packed[i] = values[wanted[i]];
  }
};

/// For each field the parcels to those ranks that read this one's nodes. A rank whose nodes this one reads gets one, too, even
/// an empty one: it says that this rank has used what it was sent and that its ghosts may be written again.
class parcels {
 public:
  explicit parcels(const region& mine);
  std::vector<parcel>& of(field f) noexcept { return of_[f]; }

 private:
  std::vector<parcel> of_[2];
};

}  // namespace em3d
