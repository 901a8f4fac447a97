// SPDX-License-Identifier: Apache-2.0
#include "armilla/algorithm/order/partition_plan.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace armilla::detail {

border_groups::border_groups(const void* sample, std::size_t many, std::size_t size, std::span<const std::size_t> wanted,
                             std::size_t n, erased_order comes_first) {
  const auto at = [&](std::size_t place) { return static_cast<const std::byte*>(sample) + place * size; };
  const double all = double(many), margin = 1.6 * std::sqrt(all) + 1;
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    const double middle = double(wanted[k]) / double(n) * all;
    group next{no_end, no_end, k, k + 1};
    if (middle - margin >= 0) next.low = std::size_t(middle - margin);
    if (middle + margin < all - 1) next.high = std::size_t(middle + margin) + 1;
    const group* const last = groups_.empty() ? nullptr : &groups_.back();
    const bool overlap =
        last != nullptr && (last->high == no_end || next.low == no_end || !comes_first(at(last->high), at(next.low)));
    if (overlap) {
      groups_.back().high = next.high;
      groups_.back().end = next.end;
    } else {
      groups_.push_back(next);
    }
  }
}

std::uint64_t border_groups::mark() const noexcept {
  std::uint64_t mark = groups_.size();
  for (const group& g : groups_) mark = mark * 0x9e3779b97f4a7c15ULL + g.end;
  return mark;
}

std::vector<std::size_t> sample_places(std::size_t part, std::size_t n, std::size_t members) {
  const std::size_t of_all = std::min(n / 16, std::size_t(8192) + 512 * members);
  const std::size_t mine = std::size_t(double(of_all) * double(part) / double(n));
  std::vector<std::size_t> places;
  places.reserve(mine);
  std::minstd_rand random(std::minstd_rand::result_type(part + 1));
  for (std::size_t k = 0; k < mine; ++k) {
    const std::size_t begin = k * part / mine, end = (k + 1) * part / mine;
    places.push_back(begin + random() % (end - begin));
  }
  return places;
}

}  // namespace armilla::detail
