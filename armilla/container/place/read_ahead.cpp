// SPDX-License-Identifier: Apache-2.0
#include "armilla/container/place/read_ahead.hpp"

#include <algorithm>

namespace armilla::detail {
namespace {

/// Each fetch may bring so many times what the one before it brought.
constexpr std::size_t growth = 4;
/// So many views of one container have a stream for each member: more than stand in a zip.
constexpr std::size_t most_views = 8;

}  // namespace

read_ahead::stream& read_ahead::of(const part_place& from) {
  const std::size_t all = streams_.size();
  for (std::size_t k = 0; k < all; ++k)
    if (const std::size_t which = (last_ + k) % all; streams_[which].is_of(from)) return streams_[last_ = which];
  if (all < most_views * std::size_t(from.where->members())) {
    last_ = all;
    return streams_.emplace_back(stream{from.reader, from.where, from.member, 0, 0, nullptr, nullptr});
  }
  stream& s = streams_[last_ = (last_ + 1) % all];
  s.reader = from.reader, s.where = from.where, s.member = from.member;
  s.first = s.n = 0;
  s.begin = nullptr;  // its run is kept until it is replaced
  return s;
}

void read_ahead::advance(stream& s, const part_place& from, std::size_t n, std::size_t most, std::size_t bytes) const {
  const std::size_t gap = most_gap / bytes, end = from.place + n;
  const bool is_near = s.n != 0 && from.place <= s.first + s.n + gap && s.first <= end + gap, back = from.place < s.first;
  const std::size_t many = is_near ? std::max(n, std::min(growth * s.n, most / streams_.size())) : n;
  s.first = !back ? from.place : end > many ? end - many : 0;
  s.n = (back ? end : std::min(from.where->count(from.member), from.place + many)) - s.first;
}

}  // namespace armilla::detail
