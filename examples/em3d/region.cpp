// SPDX-License-Identifier: Apache-2.0
#include "examples/em3d/region.hpp"

#include <algorithm>

namespace em3d {

region::region(const shape& s) : part(s, am::rank(), am::ranks()) {
  for (const field f : {electric, magnetic}) {
    const auto mine = am::allocate<double>(places(f));
    values_[f] = mine.local();
    parts_[f] = am::all_gather(mine);
  }
  reset();
}

region::~region() {
  for (const field f : {electric, magnetic}) am::deallocate(parts_[f][std::size_t(am::rank())]);
}

void region::reset() {
  for (const field f : {electric, magnetic}) begin(f, values_[f]);
}

bool region::agrees(const values& all) const {
  return part::agrees(electric, values_[electric], all) && part::agrees(magnetic, values_[magnetic], all);
}

double* region::ghosts_of(field f, am::rank_t rank) noexcept {
  const std::vector<int>& far = ghosts(f);
  const auto first = std::partition_point(far.begin(), far.end(), [&](int node) { return owner(node) < rank; });
  return ghost_values(f) + (first - far.begin());
}

void region::take(field f, int place, const am::view<double>& sent) {
  std::copy(sent.begin(), sent.end(), values_[f] + place);
  ++taken[f];
}

}  // namespace em3d
