// SPDX-License-Identifier: Apache-2.0
#include "examples/em3d/region.hpp"

#include <algorithm>
#include <cstring>

namespace em3d {

region::region(const shape& s) : shape_(s), first_(first_of(am::rank())), count_(first_of(am::rank() + 1) - first_) {
  for (const field f : {electric, magnetic}) {
    edges_[f] = edges_of(s, f, first_, first_ + count_);
    std::vector<int>& far = ghosts_[other(f)];
    for (const edge& e : edges_[f])
      if (owner(e.from) != am::rank()) far.push_back(e.from);
    std::sort(far.begin(), far.end());
    far.erase(std::unique(far.begin(), far.end()), far.end());
  }
  for (const field f : {electric, magnetic}) {
    const auto mine = am::allocate<double>(std::size_t(count_) + ghosts_[f].size());
    values_[f] = mine.local();
    parts_[f] = am::gather_all(mine);
  }
  reset();
}

region::~region() {
  for (const field f : {electric, magnetic}) am::deallocate(parts_[f][std::size_t(am::rank())]);
}

void region::reset() {
  for (const field f : {electric, magnetic})
    for (int n = 0; n < count_; ++n) values_[f][n] = first_value(f, first_ + n);
}

bool region::agrees(const values& all) const {
  const auto equal = [&](field f) {
    return count_ == 0 || std::memcmp(values_[f], &all.of[f][std::size_t(first_)], std::size_t(count_) * sizeof(double)) == 0;
  };
  return equal(electric) && equal(magnetic);
}

void region::take(field f, int place, const am::view<double>& sent) {
  std::copy(sent.begin(), sent.end(), values_[f] + place);
  ++taken[f];
}

int region::place(field f, int node) const {
  if (owner(node) == am::rank()) return node - first_;
  const std::vector<int>& far = ghosts_[f];
  return count_ + int(std::lower_bound(far.begin(), far.end(), node) - far.begin());
}

// Rank r has the nodes from r * all / ranks on: the inverse of that.
am::rank_t region::owner(int node) const noexcept {
  return am::rank_t(((std::int64_t(node) + 1) * am::ranks() - 1) / shape_.nodes_of_field());
}

int region::first_of(am::rank_t r) const noexcept { return int(std::int64_t(shape_.nodes_of_field()) * r / am::ranks()); }

}  // namespace em3d
