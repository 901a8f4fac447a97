// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "armilla/boot/host/program_spec.hpp"

/// What hosts that meet say of themselves, and where they meet.
namespace armilla::run {

struct meeting_place {
  std::string host;
  int port = 0;
};
/// "h1:29400"; nothing if it is no such text.
std::optional<meeting_place> place_of(std::string_view text);

/// What the command on another host offers to run there. The root trusts no length in it.
struct host_offer {
  std::string version, host, folder;
  int hosts = 0;  ///< that it expects
  std::vector<detail::program_spec> programs;

  std::string text() const;
  /// Nothing: it is no offer.
  static std::optional<host_offer> read(const std::string& text);
};

}  // namespace armilla::run
