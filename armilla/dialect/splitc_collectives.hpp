// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <functional>

#include "armilla/collectives.hpp"
#include "armilla/dialect/splitc_pointer.hpp"

/// Split-C's functions for all processors. A name says `int`, a `d` in front of the operation `double`.
namespace armilla::splitc {
namespace detail {

struct larger {
  auto operator()(auto a, auto b) const { return std::max(a, b); }
};
struct smaller {
  auto operator()(auto a, auto b) const { return std::min(a, b); }
};

}  // namespace detail

/// Memory for `count` blocks of `bytes`, dealt to the processors in turn, the first on processor 0; it begins as zeros. By all
/// processors together. Errors: limit_error on all of them if it does not fit.
spread<void*> all_spread_malloc(std::size_t count, std::size_t bytes);
/// Gives it back, by all together. usage_error for what all_spread_malloc did not return.
void all_spread_free(const spread<void*>& memory);

/// Processor 0's value, on all.
inline int all_bcast(int x) { return world().broadcast(x, 0); }
inline int all_bcast_i(int x) { return world().broadcast(x, 0); }
inline double all_bcast_d(double x) { return world().broadcast(x, 0); }

/// `all_reduce_to_all_NAME(x)`: the result on every processor; `all_reduce_to_one_NAME(x)`: on processor 0, elsewhere `x` itself.
// NOLINTBEGIN(bugprone-macro-parentheses): types and names
#define ARMILLA_SPLITC_REDUCTION(name, type, op)                                           \
  inline type all_reduce_to_all_##name(type x) { return type(world().all_reduce(x, op)); } \
  inline type all_reduce_to_one_##name(type x) { return world().reduce(x, op, 0).value_or(x); }
ARMILLA_SPLITC_REDUCTION(add, int, std::plus<>{})
ARMILLA_SPLITC_REDUCTION(mult, int, std::multiplies<>{})
ARMILLA_SPLITC_REDUCTION(max, int, (detail::larger{}))
ARMILLA_SPLITC_REDUCTION(min, int, (detail::smaller{}))
ARMILLA_SPLITC_REDUCTION(and, int, std::bit_and<>{})
ARMILLA_SPLITC_REDUCTION(or, int, std::bit_or<>{})
ARMILLA_SPLITC_REDUCTION(xor, int, std::bit_xor<>{})
ARMILLA_SPLITC_REDUCTION(dadd, double, std::plus<>{})
ARMILLA_SPLITC_REDUCTION(dmult, double, std::multiplies<>{})
ARMILLA_SPLITC_REDUCTION(dmax, double, (detail::larger{}))
ARMILLA_SPLITC_REDUCTION(dmin, double, (detail::smaller{}))
#undef ARMILLA_SPLITC_REDUCTION
// NOLINTEND(bugprone-macro-parentheses)

}  // namespace armilla::splitc
