// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <vector>

#include <armilla/dialect/ccpp.hpp>

#include "examples/em3d/region.hpp"

namespace em3d::in_ccpp {

using namespace armilla::ccpp;

// parallel
/// A rank's nodes as a processor object.
class nodes {
 public:
  explicit nodes(global<region*> at) : region_(*at.local()) {}
  double value(field f, int place) const { return region_.value(f, place); }
  void take(field f, int place, const std::vector<double>& sent) { std::copy(sent.begin(), sent.end(), region_.all(f) + place); }

  struct methods : armilla::ccpp::methods<nodes> {
    rpc<&nodes::value> value{this};
    rpc<&nodes::take> take{this};
  };

 private:
  region& region_;
};

/// Pointers to those of all ranks. All make theirs together.
inline std::vector<global<nodes*>> all_nodes(region& mine) {
  return am::all_gather(new_object<nodes>(am::rank(), am::to_global(&mine)));
}
// end of parallel

}  // namespace em3d::in_ccpp
