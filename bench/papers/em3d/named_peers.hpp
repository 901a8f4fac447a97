// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "examples/em3d/region.hpp"

namespace em3d {

/// All that the programs of an EM3D of several programs have in common.
namespace api {
inline constexpr am::method<double(field, int)> value{"em3d.value"};
inline constexpr am::method<void(field, int, double)> set{"em3d.set"};
inline constexpr am::method<void(field)> all_set{"em3d.all_set"};
inline constexpr am::method<void(field, int, am::view<double>)> take{"em3d.take"};
}  // namespace api

/// How the versions by calls reach the parts of the other ranks when those run other programs: methods by name.
class named_peers {
 public:
  explicit named_peers(region& mine) : mine_(&mine) {}
  region& mine() const { return *mine_; }

  am::future<double> value(am::rank_t of, field f, int place) const { return am::call<api::value>(of, f, place); }
  void set(am::rank_t at, field f, int place, double value) const { am::async<api::set>(at, f, place, value); }
  void all_set(am::rank_t at, field f) const { am::async<api::all_set>(at, f); }
  void take(am::rank_t to, field f, int place, const std::vector<double>& sent) const {
    am::async<api::take>(to, f, place, am::view<double>(sent));
  }

 private:
  region* mine_;
};

}  // namespace em3d
