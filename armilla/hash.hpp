// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>

#include "armilla/container/keyed/hash_inline.hpp"

namespace armilla {

/// The hash function of hash containers for keys. It is the same on all ranks, and keys that are equal have one hash.
///
/// To use another one, give a container a function object as its `Hash` argument (the third of a map, the second of a set). It
/// has no state, and keys that are equal have one hash. The container mixes its bits, so `std::size_t(k.id)` is good enough.
///
/// **What is hashed.** The first of these that applies:
/// 1. strings, numbers and enums: their value. Equal integers of different types have one hash, and so have equal strings of
///    different types; so `find` needs no key of the container's type
/// 2. classes for which `std::hash` is specialized: that, with its bits mixed
/// 3. pairs and tuples: their members
/// 4. containers of the standard library: their elements
/// 5. other classes: their bytes or, if they are aggregates, their members. The compiler must see that `operator==` compares all
///    of these: default it, or make it `constexpr`. Otherwise the class is refused at compile time
///
/// **Limit of rule 5.** The compiler cannot distinguish a defaulted `operator==` from one of your own, so it tries some values:
/// neighbors, signs, letters of both cases, remainders by usual divisors, single bits, exchanged members. If your `operator==`
/// holds different values equal and passes these tests, specialize `std::hash`. Without that, a container stores equal keys
/// twice.
///
/// **Cost.** Some 1 ns for a number, 2 to 5 ns for a word.
struct hash {
  /// Returns the hash of `value`.
  template <class T>
  std::uint64_t operator()(const T& value) const {
    return detail::hash_value<T, std::equal_to<>>(value);
  }
};

/// How a hash container buffers what it sends. The same on all members.
///
///     am::unordered_map<std::string, long> count({.combine = 256, .gather = 2048});
struct hash_options {
  static constexpr std::size_t fitting = std::size_t(-1);
  /// For how many keys updates are combined on the calling rank before they are sent; rounded up to a power of two. 0: for none.
  /// `fitting`: as many keys and values as fit into 1 MiB.
  std::size_t combine = fitting;
  /// How many bytes of keys and values are buffered for a rank before they are sent.
  std::size_t gather = 8192;
};

namespace detail {
template <class Value>
struct map_default {
  Value value;
};
}  // namespace detail

/// Returns an argument for the constructor of a map: `get` then returns `value` for keys that are not in the map.
///
///     am::unordered_map<std::string, double> price(am::default_value(-1.0));
template <class Value>
detail::map_default<Value> default_value(Value value) {
  return {std::move(value)};
}

}  // namespace armilla
