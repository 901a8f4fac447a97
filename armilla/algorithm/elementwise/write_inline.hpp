// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <complex>
#include <concepts>
#include <string>

#include "armilla/algorithm/elementwise/in_order.hpp"
#include "armilla/files.hpp"

/// What is written to a file, as text.
namespace armilla::detail {

/// Each member takes its share of the elements, in the order of the indices, as bytes: put(bytes, element). `header` is
/// before the first of them. `text`: as for write_parts.
template <class V, class Put>
void write_in_order(const char* operation, const std::string& path, const V& v, Put put, const std::string& header = {},
                    bool text = true) {
  algorithm_call why(operation, v);
  std::string bytes = v.members().rank() == 0 ? header : std::string();
  enter_in_order(v);
  walk_in_order(v, why, [&](const auto c, std::size_t n, const indices& at) {
    each_of_piece(c, n, at, why, [&](std::size_t k) { put(bytes, c[k]); });
    return !why.happened();
  });
  agree(v.members(), operation, why);
  write_parts(operation, path, v.members(), bytes, text);
}

/// What MatrixMarket files hold.
template <class T>
concept market_number = std::is_arithmetic_v<T> || is_complex<T>;

template <class R>
void append_number(std::string& all, const std::complex<R>& number) {
  append_number(all, number.real());
  append_number(all += ' ', number.imag());
}

/// A line of numbers.
template <class First, class... N>
void append_numbers(std::string& all, const First& first, const N&... number) {
  append_number(all, first);
  (append_number(all += ' ', number), ...);
  all += '\n';
}

template <class T>
std::string market_banner(const char* format) {
  const char* const field = is_complex<T> ? " complex" : std::is_integral_v<T> ? " integer" : " real";
  return std::string("%%MatrixMarket matrix ") + format + field + " general\n";
}

}  // namespace armilla::detail
