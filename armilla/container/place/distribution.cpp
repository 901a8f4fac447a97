// SPDX-License-Identifier: Apache-2.0
#include "armilla/distribution.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "armilla/base/values/extents.hpp"
#include "armilla/error.hpp"
#include "armilla/team/collectives/named_algorithm.hpp"

namespace armilla {
namespace {

std::size_t divided_up(std::size_t n, std::size_t d) noexcept { return n / d + (n % d != 0 ? 1 : 0); }

// Whether the sizes are those that blocks of one size would have: then they need no table.
bool are_even(const std::vector<std::size_t>& sizes, std::size_t n, std::size_t block) {
  std::size_t left = n;
  for (const std::size_t s : sizes) {
    if (s != std::min(left, block)) return false;
    left -= s;
  }
  return true;
}

/// Sums of blocks and turns stay numbers.
void require_placeable(std::size_t n, std::size_t members) {
  if (rank_t(members) < 1)
    detail::throw_usage("placement", fmt::format("{} members; elements need one at least", rank_t(members)));
  if (n > ~std::size_t{0} / 2 / members)
    detail::throw_limit("container",
                        fmt::format("{} elements are more than any segments hold (is the size a negative number?)", n));
}

}  // namespace

placement::placement(std::vector<std::size_t> sizes)
    : size_(std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0}, &detail::bounded_sum)), members_(rank_t(sizes.size())) {
  require_placeable(size_, sizes.size());
  block_ = std::max<std::size_t>(1, divided_up(size_, sizes.size()));
  by_block_ = detail::reciprocal(block_);
  by_members_ = detail::reciprocal(sizes.size());
  if (are_even(sizes, size_, block_)) return;
  std::vector<std::size_t> borders(sizes.size() + 1);
  std::inclusive_scan(sizes.begin(), sizes.end(), borders.begin() + 1);
  borders_ = std::make_shared<const std::vector<std::size_t>>(std::move(borders));
}

placement::placement(std::size_t n, rank_t members, const distribution& wish) {
  const auto p = std::size_t(members);
  if (!wish.sizes_.empty()) {
    if (wish.sizes_.size() != p)
      detail::throw_usage(detail::algorithm_here("blocks"),
                          fmt::format("blocks: {} sizes for {} members; give one for each", wish.sizes_.size(), members));
    *this = placement(wish.sizes_);
    if (size_ != n)
      detail::throw_usage(detail::algorithm_here("blocks"),
                          fmt::format("the sizes add up to {} elements, and the container has {}", size_, n));
    return;
  }
  if (wish.model_ && wish.model_->members() == members) {
    *this = wish.model_->resized(n);
    return;
  }
  require_placeable(n, p);
  size_ = n;
  members_ = members;
  block_ = std::max<std::size_t>(1, wish.block_ != 0 ? std::min(wish.block_, n) : divided_up(n, p));
  one_turn_ = divided_up(n, block_) <= p;
  by_block_ = detail::reciprocal(block_);
  by_members_ = detail::reciprocal(p);
}

placement placement::resized(std::size_t n) const {
  if (n == size_) return *this;
  distribution same_kind;
  if (!one_turn_) same_kind = cyclic(block_);
  return placement(n, members_, same_kind);
}

placement placement::over(rank_t members) const {
  if (members == members_) return *this;
  return placement(size_, members, one_turn_ ? blocks() : cyclic(block_));
}

placement::position placement::search(std::size_t i) const noexcept {
  const auto& borders = *borders_;
  const auto behind = std::upper_bound(borders.begin(), borders.end() - 1, i);
  const auto member = std::size_t(behind - borders.begin()) - 1;
  return {rank_t(member), i - borders[member]};
}

std::size_t placement::count(rank_t member) const noexcept {
  const auto m = std::size_t(member);
  if (m >= std::size_t(members_)) return 0;
  if (borders_) return (*borders_)[m + 1] - (*borders_)[m];
  const std::size_t in_turn = block_ * std::size_t(members_);
  const std::size_t whole = size_ / in_turn, rest = size_ % in_turn, before = m * block_;
  return whole * block_ + (rest > before ? std::min(rest - before, block_) : 0);
}

placement::run placement::run_at(std::size_t i) const noexcept {
  if (i >= size_) return {detail::no_rank, size_, size_};
  const rank_t member = member_of(i);
  if (borders_) return {member, (*borders_)[std::size_t(member)], (*borders_)[std::size_t(member) + 1]};
  if (members_ == 1) return {0, 0, size_};
  const std::size_t begin = by_block_.quotient(i) * block_;
  return {member, begin, std::min(size_, begin + block_)};
}

std::size_t placement::next_on(rank_t member, std::size_t i) const noexcept {
  const auto m = std::size_t(member);
  if (i >= size_ || m >= std::size_t(members_)) return size_;
  if (borders_) {
    const std::size_t first = (*borders_)[m], end = (*borders_)[m + 1];
    return first == end || i >= end ? size_ : std::max(i, first);
  }
  const auto p = std::size_t(members_);
  const std::size_t block = by_block_.quotient(i), turn = by_members_.quotient(block), mine = turn * p + m;
  if (mine == block) return i;
  return std::min(size_, (mine > block ? mine : mine + p) * block_);
}

bool operator==(const placement& a, const placement& b) noexcept {
  if (a.size_ != b.size_ || a.members_ != b.members_) return false;
  if (a.borders_ == nullptr && b.borders_ == nullptr) return a.block_ == b.block_;
  return a.borders_ == b.borders_ || (a.borders_ && b.borders_ && *a.borders_ == *b.borders_);
}

distribution blocks() { return {}; }

distribution blocks(std::vector<std::size_t> sizes) {
  distribution d;
  d.sizes_ = std::move(sizes);
  return d;
}

distribution cyclic(std::size_t block) {
  if (block == 0) detail::throw_usage("cyclic", "blocks of 0 elements; give 1 or more");
  distribution d;
  d.block_ = block;
  return d;
}

distribution on(const team& t, distribution d) {
  detail::require_members(t, "on");
  d.members_ = t;
  return d;
}

distribution as_in(const team& t, placement p) {
  distribution d = on(t);
  d.model_ = std::move(p);
  return d;
}

}  // namespace armilla
