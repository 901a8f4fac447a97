// SPDX-License-Identifier: Apache-2.0
#include "examples/em3d/part.hpp"

#include <algorithm>
#include <cstring>

namespace em3d {

part::part(const shape& s, int rank, int ranks)
    : shape_(s), rank_(rank), ranks_(ranks), first_(first_of(rank)), count_(first_of(rank + 1) - first_) {
  for (const field f : {electric, magnetic}) {
    edges_[f] = edges_of(s, f, first_, first_ + count_);
    std::vector<int>& far = ghosts_[other(f)];
    for (const edge& e : edges_[f])
      if (owner(e.from) != rank_) far.push_back(e.from);
    std::sort(far.begin(), far.end());
    far.erase(std::unique(far.begin(), far.end()), far.end());
  }
}

int part::place(field f, int node) const {
  if (owner(node) == rank_) return node - first_;
  const std::vector<int>& far = ghosts_[f];
  return count_ + int(std::lower_bound(far.begin(), far.end(), node) - far.begin());
}

// Rank r has the nodes from r * all / ranks on: the inverse of that.
int part::owner(int node) const noexcept { return int(((std::int64_t(node) + 1) * ranks_ - 1) / shape_.nodes_of_field()); }

int part::first_of(int rank) const noexcept { return int(std::int64_t(shape_.nodes_of_field()) * rank / ranks_); }

void part::begin(field f, double* own) const {
  for (int n = 0; n < count_; ++n) own[n] = first_value(f, first_ + n);
}

bool part::agrees(field f, const double* own, const values& all) const {
  return count_ == 0 || std::memcmp(own, &all.of[f][std::size_t(first_)], std::size_t(count_) * sizeof(double)) == 0;
}

near_edges::near_edges(const part& mine) : count_(mine.count()), degree_(mine.graph().degree) {
  for (const field f : {electric, magnetic})
    for (const edge& e : mine.edges(f)) edges_[f].push_back({mine.place(other(f), e.from), e.weight});
}

}  // namespace em3d
