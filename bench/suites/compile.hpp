// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace bench {

/// Seconds to compile one of four small programs: `compile_armilla` includes armilla.hpp and makes one call, `compile_std`
/// includes vector, string, functional and future; `compile_sort` includes algorithms.hpp and sorts, `compile_std_sort` includes
/// ranges, algorithm and execution and does so.
double compile_seconds(const std::string& row);

}  // namespace bench
