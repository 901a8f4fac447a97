// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <utility>
#include <vector>

#include "armilla/collectives.hpp"
#include "armilla/container/place/agreed_exchange.hpp"
#include "armilla/wire/encode.hpp"

namespace armilla {

/// Bounds how many bytes of marshalled elements (texts, vectors) this rank sends in one round of a sort or a join; the rest goes
/// in further rounds. A round holds them as elements and as messages, at the sender and at the receiver; to each member goes one
/// element at least, however long. Default: 256 MiB; 0 sets it again. For later calls of this rank; ranks may differ. No message.
/// Elements that are trivially copyable go from array to array, without rounds.
void set_exchange_limit(std::size_t bytes);

namespace detail {

std::size_t exchange_limit();

/// The next elements of `part` from `next` on that take up to `most` bytes on the wire: one at least, if there is one.
template <class T>
std::vector<T> next_to_leave(std::vector<T>& part, std::size_t& next, std::size_t most) {
  const std::size_t first = next;
  if (first >= part.size()) return {};  // all have left, at once or one by one
  for (std::size_t bytes = 0; next < part.size(); ++next) {
    bytes += encoded_size(part[next]);
    if (bytes > most && next > first) break;
  }
  if (first == 0 && next == part.size()) return std::exchange(part, {});
  const auto begin = std::make_move_iterator(part.begin());
  return {begin + std::ptrdiff_t(first), begin + std::ptrdiff_t(next)};
}

/// As team::all_to_all_v, in rounds as `set_exchange_limit` says. A member that has failed, or has no memory for a round, says so
/// before it, and all throw; what the last round lacks is noted. Cost: a reduction and an exchange of sizes a round more.
template <class T>
std::vector<std::vector<T>> exchange_in_rounds(const team& t, const char* operation, std::vector<std::vector<T>> parts,
                                               failure& why) {
  const std::size_t members = parts.size(), me = std::size_t(t.rank());
  const std::size_t most = exchange_limit() / (members < 2 ? 1 : members - 1);
  std::vector<std::vector<T>> come(members), leaving(members);
  std::vector<std::size_t> next(members, 0);
  come[me] = std::exchange(parts[me], {});
  for (std::uint32_t left = 1; left != 0;) {
    left = 0;
    try {
      for (std::size_t m = 0; m < members && !why.happened(); ++m) {
        leaving[m] = next_to_leave(parts[m], next[m], most);
        left |= std::uint32_t(next[m] < parts[m].size());
      }
    } catch (const detail::passing&) { throw; } catch (...) {
      why.note();
    }
    std::vector<std::vector<T>> now = exchange_agreed(t, operation, leaving, why, left, std::bit_or<>{});
    try {
      for (std::size_t m = 0; m < members; ++m)
        if (come[m].empty())
          come[m] = std::move(now[m]);
        else
          come[m].insert(come[m].end(), std::make_move_iterator(now[m].begin()), std::make_move_iterator(now[m].end()));
    } catch (const detail::passing&) { throw; } catch (...) {
      why.note();
    }
  }
  return come;
}

}  // namespace detail
}  // namespace armilla
