// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace bench {

/// Seconds to compile one of two small programs: `compile_armilla` includes armilla.hpp and makes one call,
/// `compile_std` includes vector, string, functional and future.
double compile_seconds(const std::string& row);

}  // namespace bench
