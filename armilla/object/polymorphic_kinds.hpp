// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>
#include <vector>

namespace armilla::detail {

struct polymorphic_kind;

/// The classes whose values may travel as a base.
struct polymorphic_kinds {
  polymorphic_kinds();
  ~polymorphic_kinds();
  std::vector<std::unique_ptr<polymorphic_kind>> list;
  std::vector<std::unique_ptr<std::string>> complaints;  ///< what was said of names that are not among them
};

}  // namespace armilla::detail
