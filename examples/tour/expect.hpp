// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdexcept>
#include <string>

/// The programs of the tour check what they show; one that is wrong ends the job with what it should have seen.
inline void expect(bool right, const char* what) {
  if (!right) throw std::logic_error(std::string("not as expected: ") + what);
}
