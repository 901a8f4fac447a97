// SPDX-License-Identifier: Apache-2.0
#include "armilla/container/read_ahead.hpp"

#include <algorithm>

namespace armilla::detail {
namespace {

/// Each fetch may bring so many times what the one before it brought.
constexpr std::size_t growth = 4;

bool is_near(const read_ahead::stream& s, std::size_t place, std::size_t n, std::size_t gap) noexcept {
  return place <= s.first + s.n + gap && s.first <= place + n + gap;
}

}  // namespace

read_ahead::stream& read_ahead::at(const part_place& from, std::size_t n, std::size_t bytes) {
  stream* next = nullptr;
  for (std::size_t k = 1; k <= streams_.size(); ++k) {
    const std::size_t which = (last_ + k) % streams_.size();
    stream& s = streams_[which];
    if (s.where != from.where || s.member != from.member || !is_near(s, from.place, n, most_gap / bytes)) continue;
    next = &s;
    last_ = which;
    if (s.holds(from.place, n)) break;
  }
  if (next != nullptr) return *next;
  // Two readers of each part; a reader that goes to and fro has no use for more.
  if (streams_.size() < 2 * std::size_t(from.where->members())) {
    last_ = streams_.size();
    return streams_.emplace_back(stream{from.where, from.member, 0, 0, nullptr, nullptr});
  }
  last_ = (last_ + 1) % streams_.size();
  stream& s = streams_[last_];
  s.where = from.where, s.member = from.member;
  s.first = s.n = 0;
  s.begin = nullptr;  // its run is kept until it is replaced
  return s;
}

void read_ahead::advance(stream& s, const part_place& from, std::size_t n, std::size_t most) const {
  const std::size_t count = from.where->count(from.member), room = most / streams_.size();
  const std::size_t many = s.n == 0 ? n : std::max(n, std::min(growth * s.n, room));
  const bool back = from.place < s.first;
  const std::size_t end = from.place + n;
  s.first = !back ? from.place : end > many ? end - many : 0;
  s.n = (back ? end : std::min(count, from.place + many)) - s.first;
}

}  // namespace armilla::detail
