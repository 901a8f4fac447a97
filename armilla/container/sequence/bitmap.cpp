// SPDX-License-Identifier: Apache-2.0
#include "armilla/bitmap.hpp"

#include <fmt/format.h>

#include "armilla/collectives.hpp"

namespace armilla {
std::size_t bitmap::count() const {
  std::size_t mine = 0;
  for (const std::uint64_t word : local()) mine += std::size_t(std::popcount(word));
  return members().all_reduce(mine, std::plus<>{});
}

void bitmap::clear() {
  detail::meet(members());  // what members have done before
  for (std::uint64_t& word : words_.local()) word = 0;
  detail::meet(members());
}

bitmap bitmap::clone() const {
  bitmap copy(size(), members());
  copy.or_with(*this);
  return copy;
}

void bitmap::require_alike(const bitmap& other, const char* operation) const {
  detail::require_same_members(members(), other.members());
  if (size() != other.size())
    detail::throw_usage(operation, fmt::format("bitmaps of {} and {} bits; make them alike", size(), other.size()));
}

}  // namespace armilla
