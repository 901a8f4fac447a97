// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "bench/papers/common/command_line.hpp"
#include "bench/papers/common/record.hpp"

namespace papers {

/// What the sorts are told, by Armilla and by hand alike.
struct sort_options {
  std::vector<std::uint64_t> keys{1'000'000};

  void add_to(command_line& line);
  /// 0, or 2 after the line has told what cannot be.
  int check(const command_line& line) const;
  /// A record of a version that sorts `n` keys whose marks are `marks`.
  static record describe(const char* version, std::uint64_t n, std::uint64_t marks, const char* source);
};

/// Memory that is freed stays with the process, so that no sample but the first pays for fresh pages.
void keep_freed_memory();

}  // namespace papers
