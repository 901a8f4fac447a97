// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdexcept>
#include <string>

#include "armilla/error.hpp"

namespace armilla::detail {

/// What an algorithm requires of its arguments does not hold. One member notes it as its failure, and all throw a usage_error.
class [[gnu::visibility("default")]] broken_rule final : public usage_error {
 public:
  explicit broken_rule(const std::string& text) : usage_error("order", text), rule_(text) {}
  const char* rule() const noexcept { return rule_.what(); }

 private:
  std::runtime_error rule_;
};

}  // namespace armilla::detail
