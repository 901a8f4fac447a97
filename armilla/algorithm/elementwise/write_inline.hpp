// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "armilla/algorithm/elementwise/in_order.hpp"
#include "armilla/files.hpp"

/// What is written to a file, as text.
namespace armilla::detail {

/// Each member takes its share of the elements, in the order of the indices, as bytes: put(bytes, element). `header` is
/// before the first of them.
template <class V, class Put>
void write_in_order(const char* operation, const std::string& path, const V& v, Put put, const std::string& header = {}) {
  algorithm_call why(operation, v);
  std::string bytes = v.members().rank() == 0 ? header : std::string();
  enter_in_order(v);
  walk_in_order(v, why, [&](const auto c, std::size_t n, const indices& at) {
    each_of_piece(c, n, at, why, [&](std::size_t k) { put(bytes, c[k]); });
    return !why.happened();
  });
  agree(v.members(), operation, why);
  write_parts(operation, path, v.members(), bytes.data(), bytes.size());
}

}  // namespace armilla::detail
