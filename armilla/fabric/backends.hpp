// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "armilla/plugin.hpp"

namespace armilla::detail {

/// A backend's shared library `libarmilla-<name>.so`, as it was found or not. What is loaded stays loaded: not every
/// engine can be let go of.
struct backend {
  const plugin* loaded = nullptr;  ///< null: see `problem`
  std::string file;                ///< where it lies; empty: nowhere
  std::string problem;             ///< why it cannot be used, and where it was looked for

  explicit operator bool() const noexcept { return loaded != nullptr; }
};

/// The folders in which backends are looked for, in order: those of `named` (ARMILLA_BACKENDS, colons between), then beside a
/// shared library (`armilla`), beside the executable (as programs and backends are installed; `../lib/armilla`,
/// `../../lib/armilla`, `lib/armilla`), then where a project that builds Armilla along with itself has them, and where the
/// library was to be installed.
std::vector<std::string> backend_folders(std::string_view named);

/// The file of a plug-in of this name that may be loaded. Empty: there is none, and `problem` says why.
std::string find_backend(std::string_view name, const std::vector<std::string>& folders, std::string& problem);

/// Loads the backend of this name. Never throws; a file that another user could have put there is not loaded.
backend load_backend(std::string_view name, const std::vector<std::string>& folders);

}  // namespace armilla::detail
