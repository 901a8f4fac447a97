// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "armilla/range.hpp"
#include "armilla/team.hpp"

namespace armilla::detail {

/// What a rank has found last, and in which search. Only its own rank writes it; the others of its host read it.
struct found_note {
  std::atomic<std::uint64_t> team, search;
  std::atomic<std::uint64_t> index;
};

/// What members of one host tell each other while they search, each its own part: a member that is behind a match of another
/// ends. It is a hint alone: members that do not map each other go on to their own match. Made by all members together.
class first_found {
 public:
  /// How many elements a member looks at between two looks at the others.
  static constexpr std::size_t between_looks = 4096;

  /// Of fewer than `extent` elements nothing is told: that would take longer than the search.
  first_found(const team& t, std::size_t extent);

  /// This member has found what is searched for at `index`.
  void tell(std::size_t index) noexcept;
  /// `seen` elements more have been looked at here, the last one at index `last()`: whether all behind it are of no use.
  template <class Last>
  bool is_over(std::size_t seen, Last last) noexcept {
    seen_ += seen;
    if (seen_ < between_looks || others_.empty()) return false;
    seen_ = 0;
    return is_behind(last());
  }

 private:
  [[gnu::cold]] bool is_behind(std::size_t index) const noexcept;

  std::uint64_t team_ = 0, search_ = 0;
  std::size_t seen_ = 0;
  std::vector<const found_note*> others_;
};

}  // namespace armilla::detail
