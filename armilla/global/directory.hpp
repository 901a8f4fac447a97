// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

#include "armilla/global/address.hpp"
#include "armilla/ring/heap.hpp"

namespace armilla::detail {

/// A range that its owner opened (ARMILLA_ACCESS=opened).
struct opened_range {
  std::uint64_t begin, end;
  std::uint64_t kind_and_rights;  ///< 0: not in use
};

/// What other ranks look up in a rank's segment. Written by its owner only; readers check `version` before and after.
struct segment_directory {
  static constexpr std::uint32_t most_ranges = 2048;
  static constexpr std::uint64_t bytes = heap::chunk_bytes;

  std::uint64_t per_rank_begin;
  std::uint64_t version;  ///< odd while the ranges change
  std::uint64_t used;     ///< ranges up to here were used once
  opened_range ranges[most_ranges];

  /// Index of the new range, `most_ranges` if all are in use.
  std::uint32_t open(memory_kind kind, std::uint64_t begin, std::uint64_t end, std::uint8_t rights);
  void close(std::uint32_t index);
  bool allows(memory_kind kind, std::uint64_t begin, std::uint64_t end, std::uint8_t rights) const;

 private:
  void change(std::uint32_t index, const opened_range& range);
};
static_assert(sizeof(segment_directory) <= segment_directory::bytes);

}  // namespace armilla::detail
