// SPDX-License-Identifier: Apache-2.0
#include "armilla/am/handler/mesh.hpp"

#include <algorithm>
#include <cmath>

namespace armilla::detail {

// Tables only where there is no rule: of 65,536 ranks they take half a megabyte, in each of these.
static std::uint32_t ranks_a_host_in_blocks(const std::uint32_t* host_of, std::uint32_t ranks, std::uint32_t hosts) noexcept {
  const std::uint32_t each = ranks / hosts;
  if (each * hosts != ranks) return 0;
  for (std::uint32_t r = 0; r < ranks; ++r)
    if (host_of[r] != r / each) return 0;
  return each;
}

mesh::mesh(rank_t me, const std::uint32_t* host_of, rank_t ranks)
    : host_of_(host_of), hosts_(*std::max_element(host_of, host_of + ranks) + 1), host_(host_of[me]) {
  columns_ = std::uint32_t(std::ceil(std::sqrt(double(hosts_))));
  ranks_a_host_ = ranks_a_host_in_blocks(host_of, std::uint32_t(ranks), hosts_);
  place_ = std::uint32_t(std::count(host_of, host_of + me, host_));
  if (ranks_a_host_ != 0) return;
  first_.resize(hosts_ + 1);
  for (rank_t r = 0; r < ranks; ++r) ++first_[host_of[r] + 1];
  for (std::uint32_t h = 0; h < hosts_; ++h) first_[h + 1] += first_[h];
  sorted_.resize(std::size_t(ranks));
  std::vector<std::uint32_t> next = first_;
  for (rank_t r = 0; r < ranks; ++r) sorted_[next[host_of[r]]++] = r;
}

rank_t mesh::at(std::uint32_t host) const noexcept {
  if (ranks_a_host_ != 0) return rank_t(host * ranks_a_host_ + place_);
  return sorted_[first_[host] + place_ % (first_[host + 1] - first_[host])];
}

// The last row may be short. A message from there for which its own row has no corner turns in a full row, `column % row`.
rank_t mesh::next_to(rank_t to) const noexcept {
  const std::uint32_t there = host_of_[to];
  if (there == host_) return to;
  if (column(there) == column(host_)) return at(there);
  const std::uint32_t corner = row(host_) * columns_ + column(there);
  return at(corner < hosts_ ? corner : column(host_) % row(host_) * columns_ + column(there));
}

}  // namespace armilla::detail
