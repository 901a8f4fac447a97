// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "armilla/container/place/failure_agreement.hpp"
#include "armilla/wire/encode.hpp"

/// Exchanges for which a member may have no memory: it says so before, and all throw.
namespace armilla::detail {

/// Allocates this many bytes and frees them; notes in `why` if there is no memory for them.
void try_memory(std::size_t bytes, failure& why);

/// What one member sends to another.
struct parcel_size {
  std::size_t bytes, elements;
};
/// Collective: tries the memory for what leaves and what comes, where an element takes `element` bytes and, unless it is `flat`,
/// more of its own.
void try_exchange(const team& t, std::span<const parcel_size> leaving, std::size_t element, bool flat, failure& why);

/// As team::all_to_all_v; returns in `value` its reduction by `op`, too. If a member has failed before, or has no memory for its
/// elements, all throw and none has left. Cost: an exchange of sizes and an agreement more.
template <class T, class V, class Op>
std::vector<std::vector<T>> exchange_agreed(const team& t, const char* operation, const std::vector<std::vector<T>>& parts,
                                            failure& why, V& value, Op op) {
  std::vector<parcel_size> leaving(parts.size());
  try {
    for (std::size_t m = 0; m < parts.size() && !why.happened(); ++m) leaving[m] = {encoded_size(parts[m]), parts[m].size()};
  } catch (const passing&) { throw; } catch (...) {
    why.note();
  }  // a user's code may compute the size
  try_exchange(t, leaving, sizeof(T), std::is_trivially_copyable_v<T>, why);
  value = agree(t, operation, why, value, op);
  return t.all_to_all_v(parts);
}
template <class T>
std::vector<std::vector<T>> exchange_agreed(const team& t, const char* operation, const std::vector<std::vector<T>>& parts,
                                            failure& why) {
  std::uint32_t nothing = 0;
  return exchange_agreed(t, operation, parts, why, nothing, [](std::uint32_t a, std::uint32_t) { return a; });
}

}  // namespace armilla::detail
