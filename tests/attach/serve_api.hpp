// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include <armilla/method.hpp>

// What the program that attached clients look at provides.
namespace serve_api {
inline constexpr armilla::method<double(double)> half{"serve.half"};
inline constexpr armilla::method<float(float)> half_of_float{"serve.half"};
inline constexpr armilla::method<void(int)> nap{"serve.nap"};  // milliseconds
inline constexpr armilla::method<std::vector<double>(long)> numbers{"serve.numbers"};
}  // namespace serve_api
