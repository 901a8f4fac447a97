// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <vector>

#include "armilla/grid.hpp"
#include "armilla/strided.hpp"

namespace armilla::detail {

/// Cells of one member that this rank has in its halo: a rectangular part on both sides.
template <std::size_t N>
struct halo_piece {
  rank_t from = 0;
  std::ptrdiff_t there = 0, here = 0;  ///< elements from the begin of either block
  strided<N> part;
};

template <std::size_t N>
bool has_halo(const halo& h) noexcept {
  for (std::size_t d = 0; d < N; ++d)
    if (h.before(d) + h.behind(d) != 0) return true;
  return false;
}
/// Whose halo has cells of a block: those that lie in its halo where the sides change places.
template <std::size_t N>
halo other_way(halo h) {
  for (std::size_t d = 0; d < N; ++d) h = h.sides(d, h.behind(d), h.before(d));
  return h;
}

/// How many pieces the halo of a member has at most.
template <std::size_t N>
std::uint64_t halo_pieces(const grid_shape<N>& shape, const halo& h) {
  std::uint64_t all = 1;
  for (std::size_t d = 0; d < N; ++d) {
    const auto blocks = std::size_t(shape.blocks(d)), shortest = std::max<std::size_t>(1, shape.extents()[d] / blocks);
    const auto of_side = [&](std::size_t width) {
      const std::size_t reached = std::min(width, width / shortest + 2);
      return h.is_periodic(d) ? reached : std::min(reached, blocks);
    };
    all = bounded_product(all, 1 + of_side(h.before(d)) + of_side(h.behind(d)));
  }
  return all;
}

/// Which cells come from where. It is made once; a halo may reach over several blocks, and around the whole matrix.
template <std::size_t N>
struct halo_plan {
  std::vector<halo_piece<N>> own, others;
  std::vector<rank_t> neighbours;  ///< members that have pieces for this one, or need pieces of it
  /// Own cells along each side whose surroundings others have, or that lie in the halo of others: these may read them until
  /// they say that they are ready for the next step.
  std::array<std::size_t, N> shared_before{}, shared_behind{};

  halo_plan() = default;
  halo_plan(const grid_shape<N>& shape, const halo& wish, rank_t member) {
    take_all(shape, wish, member);
    halo_plan given;
    given.take_all(shape, other_way<N>(wish), member);
    for (std::size_t d = 0; d < N; ++d) {
      shared_before[d] = std::max(shared_before[d], given.shared_before[d]);
      shared_behind[d] = std::max(shared_behind[d], given.shared_behind[d]);
    }
    neighbours.insert(neighbours.end(), given.neighbours.begin(), given.neighbours.end());
    std::ranges::sort(neighbours);
    neighbours.erase(std::unique(neighbours.begin(), neighbours.end()), neighbours.end());
  }

 private:
  void take_all(const grid_shape<N>& shape, const halo& wish, rank_t member) {
    const block_layout<N> mine(shape.box_of(member), wish);
    if (mine.volume == 0 || !has_halo<N>(wish)) return;
    std::array<std::vector<stretch>, N> ways;
    for (std::size_t d = 0; d < N; ++d)
      ways[d] = stretches(shape, mine, wish.is_periodic(d), d, shape.block_of_member(member)[d]);
    box<N> choices;
    for (std::size_t d = 0; d < N; ++d) choices.end[d] = ways[d].size();
    each_row(choices, [&](std::array<std::size_t, N> at) {
      for (; at[N - 1] < choices.end[N - 1]; ++at[N - 1]) add(shape, mine, wish, member, ways, at);
    });
  }

  /// Coordinates of one dimension that one block has.
  struct stretch {
    rank_t block;
    std::size_t there, length;  ///< first one, relative to that block
    std::ptrdiff_t here;        ///< relative to the own block; the own cells begin at 0
    bool beyond;                ///< of the own border
  };

  static std::vector<stretch> stretches(const grid_shape<N>& shape, const block_layout<N>& mine, bool periodic, std::size_t d,
                                        rank_t own_block) {
    std::vector<stretch> all{{own_block, 0, mine.cells.extent(d), 0, false}};
    const auto n = std::ptrdiff_t(shape.extents()[d]), length = std::ptrdiff_t(mine.cells.extent(d)),
               before = std::ptrdiff_t(mine.before[d]), behind = std::ptrdiff_t(mine.behind[d]);
    const auto first = std::ptrdiff_t(mine.cells.begin[d]);
    const auto take = [&](std::ptrdiff_t here, std::ptrdiff_t end) {
      if (!periodic) here = std::max(here, -first), end = std::min(end, n - first);
      while (here < end) {
        const auto i = std::size_t(((first + here) % n + n) % n);
        const rank_t block = shape.block_of(d, i);
        const std::size_t part = std::min(std::size_t(end - here), shape.begin_of(d, block + 1) - i);
        all.push_back({block, i - shape.begin_of(d, block), part, here, true});
        here += std::ptrdiff_t(part);
      }
    };
    take(-before, 0);
    take(length, length + behind);
    return all;
  }

  void add(const grid_shape<N>& shape, const block_layout<N>& mine, const halo& wish, rank_t member,
           const std::array<std::vector<stretch>, N>& ways, const std::array<std::size_t, N>& at) {
    std::array<rank_t, N> block;
    std::size_t beyond = 0, side = 0;
    for (std::size_t d = 0; d < N; ++d) {
      block[d] = ways[d][at[d]].block;
      if (ways[d][at[d]].beyond) ++beyond, side = d;
    }
    if (beyond == 0 || (beyond > 1 && !wish.has_corners())) return;
    halo_piece<N> piece;
    piece.from = shape.member_at(block);
    const block_layout<N> theirs(shape.box_of(piece.from), wish);
    std::array<std::ptrdiff_t, N> there, here;
    for (std::size_t d = 0; d < N; ++d) {
      there[d] = std::ptrdiff_t(ways[d][at[d]].there);
      here[d] = ways[d][at[d]].here;
      piece.part.extent[d] = ways[d][at[d]].length;
    }
    piece.there = theirs.offset(there);
    piece.here = mine.offset(here);
    piece.part.global = theirs.stride;
    piece.part.local = mine.stride;
    if (piece.from == member) {
      own.push_back(piece);
      return;
    }
    others.push_back(piece);
    neighbours.push_back(piece.from);
    if (beyond == 1 && here[side] < 0) shared_before[side] = mine.before[side];
    if (beyond == 1 && here[side] >= 0) shared_behind[side] = mine.behind[side];
  }
};

}  // namespace armilla::detail
