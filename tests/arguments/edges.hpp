// SPDX-License-Identifier: Apache-2.0
#pragma once
// Calls of public functions with arguments at their edges. EDGES(test, name, other::name...) { ... } is a RANK_TEST and the row
// of these names: arguments_test.py fails for a public name with parameters that has neither such a row nor one in elsewhere.txt.
// What is right is a result, or a usage_error that names the value; never a signal, a wait without end, or silence.
#include <functional>
#include <limits>
#include <string>

#include "tests/rank_test.hpp"

#define EDGES(test, ...) RANK_TEST(test)
#define REFUSED(part, ...) EXPECT_THROWS_SAYING(armilla::usage_error, part, __VA_ARGS__)

namespace edges {

inline constexpr armilla::rank_t lowest = std::numeric_limits<armilla::rank_t>::min(),
                                 highest = std::numeric_limits<armilla::rank_t>::max();
inline constexpr std::size_t half = std::size_t{1} << 63, most = ~std::size_t{0};
inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN(),
                        infinite = std::numeric_limits<double>::infinity();
inline constexpr const char* no_team = "the team is empty";
inline constexpr const char* no_function = "null pointer, or an empty std::function";

/// A path that has a NUL in it.
inline const std::string path_with_nul("a\0b", 3);

/// f(r) for ranks that no team has.
template <class F>
void each_bad_rank(F f) {
  for (const armilla::rank_t r : {-1, int(armilla::ranks()), lowest, highest}) f(r);
}

}  // namespace edges
