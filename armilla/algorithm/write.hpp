// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <concepts>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "armilla/algorithm/in_order.hpp"
#include "armilla/container/files.hpp"

/// Containers and views into files.
namespace armilla {
namespace detail {

/// Each member takes its share of the elements, in the order of the indices, as bytes: put(bytes, element).
template <class V, class Put>
void write_in_order(const char* operation, const std::string& path, const V& v, Put put) {
  algorithm_call why(operation);
  std::string bytes;
  enter_in_order(v);
  walk_in_order(v, why, [&](const auto c, std::size_t n, const indices& at) {
    each_of_piece(c, n, at, why, [&](std::size_t k) { put(bytes, c[k]); });
    return !why.happened();
  });
  agree(v.members(), operation, why);
  write_parts(operation, path, v.members(), bytes.data(), bytes.size());
}

}  // namespace detail

/// Writes the texts of a container or view, each a line, in the order of their indices; a file that is there is replaced. All
/// members call it, and know behind it that the whole file is written. Cost: a pass, a copy of what this rank writes, three
/// meetings; elements that are dealt in turn are read by the ranks that write them. Errors: usage_error on all members for a file
/// that cannot be written; remote_error on all members: what a view's function throws, and then the file is left alone.
template <distributed_range R>
  requires std::convertible_to<typename views::all_t<R>::value_type, std::string_view>
void write_lines(const std::string& path, R&& lines) {
  detail::write_in_order("write_lines", path, detail::reading(std::forward<R>(lines)),
                         [](std::string& all, const auto& line) { all.append(std::string_view(line)) += '\n'; });
}
/// The elements of a container or view as they lie in memory. Else as `write_lines`.
template <distributed_range R>
  requires trivially_sendable<std::remove_const_t<typename views::all_t<R>::value_type>>
void write_binary(const std::string& path, R&& elements) {
  detail::write_in_order("write_binary", path, detail::reading(std::forward<R>(elements)), [](std::string& all, const auto& e) {
    all.append(reinterpret_cast<const char*>(std::addressof(e)), sizeof e);
  });
}

}  // namespace armilla
