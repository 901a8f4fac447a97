// SPDX-License-Identifier: Apache-2.0
#include "armilla/dialect/mpcpp.hpp"

#include <fmt/format.h>

namespace armilla::mpcpp::detail {

void throw_no_threads(std::uint64_t count) {
  armilla::detail::throw_usage("Barrier",
                               fmt::format("{} threads{}; give how many meet, one at least", count,
                                           armilla::detail::looks_negative(count) ? " (is it a negative number?)" : ""));
}

void throw_no_reason() {
  armilla::detail::throw_usage("Sync::fail",
                               "the exception is null; pass std::current_exception() or std::make_exception_ptr(e)");
}

}  // namespace armilla::mpcpp::detail
