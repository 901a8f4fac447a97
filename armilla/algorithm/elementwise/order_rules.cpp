// SPDX-License-Identifier: Apache-2.0
#include "armilla/algorithm/elementwise/order_rules.hpp"

#include <fmt/format.h>

#include "armilla/container/place/broken_rule.hpp"

namespace armilla::detail {

void throw_both_come_first(const std::string& a, const std::string& b) {
  throw broken_rule(
      fmt::format("the comparator must be a strict weak order, and of {} and {} it says that each comes before the other; let "
                  "it answer false for equal elements (<, not <=), and the same whenever it is asked",
                  a, b));
}

void throw_not_transitive(const std::string& a, const std::string& b) {
  throw broken_rule(
      fmt::format("the comparator must be a strict weak order, and after the sort {} stands before {}, which it says comes "
                  "first; let it give the same answer whenever it is asked, and if a comes before b and b before c, a before c",
                  a, b));
}

void throw_out_of_order(std::string_view rule, std::size_t i, const std::string& a, const std::string& b,
                        std::string_view advice) {
  throw broken_rule(
      fmt::format("{}, and element {} ({}) must not stand before element {} ({}); {}", rule, i, a, i + 1, b, advice));
}

}  // namespace armilla::detail
