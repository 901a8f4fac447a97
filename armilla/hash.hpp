// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "armilla/container/keyed/hash_inline.hpp"

namespace armilla {

/// The hash of keys in hash containers, the same on all ranks. Keys that are equal have one hash:
///
/// 1. strings, numbers and enums by their value: equal integers of different types, and equal strings of different types, have
///    one hash, so that a `find` needs no key of the container's type
/// 2. classes for which `std::hash` is specialized by that, with its bits mixed
/// 3. pairs and tuples by their members
/// 4. the standard's containers by their elements
/// 5. other classes by their bytes or, if they are aggregates, by their members, if the compiler can see that their operator==
///    compares all of these: a defaulted one does, one of your own must be constexpr. Else the class is refused at compile time.
///    The compiler cannot tell a defaulted operator== from one of your own. It tries some values: neighbors, signs, letters of
///    both cases, remainders by usual divisors, single bits, members exchanged. An operator== that holds values equal which
///    differ, and is not found out by these, needs a std::hash: else equal keys lie in a container twice.
///
/// Give a container another hash as its third template argument: a function object without state, which agrees with the equality.
/// Its bits are mixed, too. Cost: some 1 ns for a number, 2 to 5 ns for a word.
struct hash {
  template <class T>
  std::uint64_t operator()(const T& value) const {
    return detail::hash_value<T, std::equal_to<>>(value);
  }
};

}  // namespace armilla
