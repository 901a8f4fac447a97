// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include <armilla/dialect/ccpp.hpp>

#include "bench/papers/water/part.hpp"

namespace water::in_ccpp {
using namespace armilla::ccpp;

/// What CC++ programs call on another processor: a processor object a rank, which has the rank's molecules.
// parallel
class processor {
 public:
  explicit processor(const am::global_ptr<part>& mine) : mine_(mine.local()) {}

  triple place_of(int m) const { return mine_->shown({m, m + 1})[0]; }
  void pull(int m, const triple& force) { mine_->take_forces(m, &force, 1); }
  std::vector<triple> places_of(const range& what) const {
    const auto shown = mine_->shown(what);
    return {shown.begin(), shown.end()};
  }
  void pull_all(int first, const std::vector<triple>& forces) { mine_->take_forces(first, forces.data(), int(forces.size())); }
  static constexpr atomic_list<&processor::place_of, &processor::pull, &processor::pull_all> atomic_methods{};

  struct methods : armilla::ccpp::methods<processor> {
    rpc<&processor::place_of> place_of{this};
    rpc<&processor::pull> pull{this};
    rpc<&processor::places_of> places_of{this};
    rpc<&processor::pull_all> pull_all{this};
  };

 private:
  part* mine_;
};

/// The processor objects of all ranks. All ranks make theirs together.
inline std::vector<global<processor*>> all_processors(part& mine) {
  return am::all_gather(new_object<processor>(am::rank(), am::to_global(&mine)));
}
// end of parallel

}  // namespace water::in_ccpp
