// SPDX-License-Identifier: Apache-2.0
#include "armilla/global/directory.hpp"

namespace armilla::detail {

// A sequence lock. Writer: odd version, then the fields with release, so that a reader of a field sees the odd version too;
// then the even version with release. Reader: every load acquires, so the second look at the version comes last.

void segment_directory::change(std::uint32_t index, const opened_range& range) {
  const std::uint64_t v = __atomic_load_n(&version, __ATOMIC_RELAXED);
  __atomic_store_n(&version, v + 1, __ATOMIC_RELAXED);
  opened_range& slot = ranges[index];
  __atomic_store_n(&slot.begin, range.begin, __ATOMIC_RELEASE);
  __atomic_store_n(&slot.end, range.end, __ATOMIC_RELEASE);
  __atomic_store_n(&slot.kind_and_rights, range.kind_and_rights, __ATOMIC_RELEASE);
  if (index >= __atomic_load_n(&used, __ATOMIC_RELAXED)) __atomic_store_n(&used, index + 1, __ATOMIC_RELEASE);
  __atomic_store_n(&version, v + 2, __ATOMIC_RELEASE);
}

std::uint32_t segment_directory::open(memory_kind kind, std::uint64_t begin, std::uint64_t end, std::uint8_t rights) {
  for (std::uint32_t i = 0; i < most_ranges; ++i) {
    if (ranges[i].kind_and_rights != 0) continue;
    change(i, {begin, end, std::uint64_t(kind) << 8 | rights});
    return i;
  }
  return most_ranges;
}

void segment_directory::close(std::uint32_t index) { change(index, {}); }

bool segment_directory::allows(memory_kind kind, std::uint64_t begin, std::uint64_t end, std::uint8_t rights) const {
  for (;;) {
    const std::uint64_t before = __atomic_load_n(&version, __ATOMIC_ACQUIRE);
    bool found = false;
    const std::uint64_t n = __atomic_load_n(&used, __ATOMIC_ACQUIRE);
    for (std::uint64_t i = 0; i < n && i < most_ranges && !found; ++i) {
      const std::uint64_t what = __atomic_load_n(&ranges[i].kind_and_rights, __ATOMIC_ACQUIRE);
      found = what >> 8 == std::uint64_t(kind) && (what & rights) == rights &&
              begin >= __atomic_load_n(&ranges[i].begin, __ATOMIC_ACQUIRE) &&
              end <= __atomic_load_n(&ranges[i].end, __ATOMIC_ACQUIRE);
    }
    if (before % 2 == 0 && __atomic_load_n(&version, __ATOMIC_ACQUIRE) == before) return found;
  }
}

}  // namespace armilla::detail
