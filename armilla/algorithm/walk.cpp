// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "armilla/algorithm/batch.hpp"

namespace armilla::detail {

void throw_does_not_fit(const char* operation, std::size_t n, std::size_t room) {
  throw_usage(operation, fmt::format("{} elements for a range of {}; make it as long, or take fewer (views::take)", n, room));
}

void throw_unlike_lists(const char* operation, std::size_t indices, std::size_t values) {
  throw_usage(operation, fmt::format("{} indices and {} values; give one value for each index", indices, values));
}

void throw_no_elements(const char* operation) {
  throw_usage(operation, "the range is empty and has no such element; ask for its size first");
}

}  // namespace armilla::detail
