// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "armilla/algorithm/order/partition_plan.hpp"
#include "armilla/container/place/failure_agreement.hpp"

/// The steps of a sort that are the same for elements of every type. They are compiled once, in the library: a call of `sort`
/// compiles only the loops over elements.
namespace armilla::detail {

enum class found_order : std::uint32_t { none, sorted, reversed };

/// A member's elements, and the room into which they are dealt.
struct dealing {
  const border_groups& groups;
  const void* sample;  ///< in order; the groups name places in it
  const void* part;    ///< `n` elements
  std::size_t n;
  void* to;                ///< the buckets one after the other, with room for one more element after each
  std::uint64_t* borders;  ///< result: where each bucket begins, not counting that room, and the end
  std::size_t* next;       ///< zeros, one more than there are buckets
  std::uint16_t* bucket;   ///< one for each element, if `sort_functions::remembers`
};

/// The loops over elements of one type. `order` is the comparator.
struct sort_functions {
  std::size_t size, alignment;  ///< of an element
  bool remembers;               ///< `deal` stores the bucket of each element
  bool (*first)(const void* order, const void* a, const void* b);
  void (*sort)(const void* order, void* elements, std::size_t n, bool stable);
  found_order (*found)(const void* order, const void* elements, std::size_t n, bool stable);
  void (*deal)(const void* order, dealing&);
};

/// Sorts the parts of all members, one after the other, as one sequence. Each member keeps as many elements as it has.
/// Collective. Returns false on all members, and has changed nothing, if one has so many more than the others that they are
/// sorted sooner in even blocks.
bool sort_parts(const team& t, void* part, const placement& where, const char* operation, bool stable, const sort_functions& of,
                const void* order, failure& why);

/// The functions for numbers, which the library has. There is one for each type that `as_sorted` gives.
template <class Number>
const sort_functions& number_sort(bool ascending);

}  // namespace armilla::detail
