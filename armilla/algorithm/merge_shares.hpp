// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

#include "armilla/team/collectives.hpp"

/// Which part of two ranges each member works on, as all members see it.
namespace armilla::detail {

/// Elements [first, first_end) of one range and [second, second_end) of another one.
struct pair_share {
  std::size_t first, first_end, second, second_end;
};

/// The share of this member in a merge of ranges with `n_first` and `n_second` elements. Its output begins at `begin`; it has
/// found `of_first` elements of the first range before that. Each element is in one share, and each share is as long as the
/// member's output, whatever `of_first` is. A member without output has a `begin` at the end. Collective: one gathering.
pair_share share_of_merge(const team& t, std::size_t begin, std::size_t of_first, std::size_t n_first, std::size_t n_second);

/// The same where the share of each member ends where that of the next one begins. No element is in two shares.
pair_share share_between(const team& t, std::size_t first, std::size_t second, std::size_t n_first, std::size_t n_second);

}  // namespace armilla::detail
