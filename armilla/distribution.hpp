// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "armilla/spread_array.hpp"
#include "armilla/team.hpp"

namespace armilla {

/// No index: the result of a search that finds nothing.
inline constexpr std::size_t npos = ~std::size_t{0};

class distribution;

/// Which member of a team has each of `size()` elements: a `distribution` that is bound to a size. The same value on all members.
///
/// Members are numbers in the team of the container. Each has its elements in the order of their indices; a position counts them.
/// Its functions send no message and do not divide: the divisors are stored as reciprocals.
///
///     const am::placement where(100, 4, am::cyclic(8));        // 100 elements, 4 members
///     const auto [member, position] = where.locate(17);
///
/// **Cost.** Two multiplications for an element of blocks, four of a cyclic distribution, a binary search for blocks of given
/// sizes.
class placement {
 public:
  placement() = default;
  placement(const placement&) = default;
  placement& operator=(const placement&) = default;
  /// Moves. A moved-from placement has no elements, and neither has a moved-from container.
  placement(placement&& other) noexcept : placement(std::as_const(other)) { other.clear(); }
  placement& operator=(placement&& other) noexcept {
    const placement taken = std::move(other);
    return *this = taken;
  }
  /// Binds a distribution to `n` elements on `members` members. Throws `usage_error` if its sizes do not match.
  placement(std::size_t n, rank_t members, const distribution& wish);
  /// Creates one block for each member, of these lengths.
  explicit placement(std::vector<std::size_t> sizes);

  /// Returns the number of elements.
  std::size_t size() const noexcept { return size_; }
  /// Returns the number of members.
  rank_t members() const noexcept { return members_; }

  /// Returns the member that has element `i`; `no_rank` unless i < size().
  rank_t member_of(std::size_t i) const noexcept { return locate(i).member; }
  /// Returns the position of element `i` among that member's elements; `npos` unless i < size().
  std::size_t place_of(std::size_t i) const noexcept { return locate(i).place; }
  /// A member and a position on it.
  struct position {
    rank_t member;
    std::size_t place;
  };
  /// Returns member and position of element `i`.
  position locate(std::size_t i) const noexcept {
    if (i >= size_) [[unlikely]]
      return {detail::no_rank, npos};
    if (borders_) [[unlikely]]
      return search(i);
    const std::size_t block = by_block_.quotient(i), rest = i - block * block_;
    if (one_turn_) [[likely]]
      return {rank_t(block), rest};
    const std::size_t turn = by_members_.quotient(block);
    return {rank_t(block - turn * std::size_t(members_)), turn * block_ + rest};
  }
  /// Returns the index of the element at position `place` of `member`; `npos` if there is none.
  std::size_t index_of(rank_t member, std::size_t place) const noexcept {
    const auto m = std::size_t(member);
    if (m >= std::size_t(members_) || place >= size_) [[unlikely]]
      return npos;
    if (borders_) [[unlikely]]
      return place < (*borders_)[m + 1] - (*borders_)[m] ? (*borders_)[m] + place : npos;
    const std::size_t turn = by_block_.quotient(place);
    const std::size_t index = (turn * std::size_t(members_) + m) * block_ + (place - turn * block_);
    return index < size_ ? index : npos;
  }
  /// Returns the number of elements of `member`; 0 if there is no such member.
  std::size_t count(rank_t member) const noexcept;

  /// Returns whether each member's elements have indices that follow each other, in the order of the members.
  bool linear() const noexcept { return one_turn_; }
  /// Elements of one member that follow each other in memory.
  struct run {
    rank_t member;
    std::size_t begin, end;
  };
  /// Returns the run that has element `i`; {no_rank, size(), size()} for an index beyond the end.
  run run_at(std::size_t i) const noexcept;
  /// Returns the first index from `i` on whose element `member` has; size() if there is none.
  std::size_t next_on(rank_t member, std::size_t i) const noexcept;
  /// Returns the same distribution of `n` elements. Blocks of given sizes become blocks of equal size.
  placement resized(std::size_t n) const;
  /// Returns the same distribution of the elements over another number of members. Blocks of given sizes become blocks of equal
  /// size.
  placement over(rank_t members) const;

  friend bool operator==(const placement& a, const placement& b) noexcept;

 private:
  position search(std::size_t i) const noexcept;
  void clear() noexcept {
    static const placement nothing;
    *this = nothing;
  }

  std::size_t size_ = 0, block_ = 1;
  rank_t members_ = 1;
  bool one_turn_ = true;  ///< no member has two blocks
  detail::reciprocal by_block_{1}, by_members_{1};
  std::shared_ptr<const std::vector<std::size_t>>
      borders_;  ///< first index of each member, and the end; null: blocks of one size
};

/// How elements are distributed: which ranks have them, and which of them has which. Containers take it as an argument.
///
/// A container binds it to its size, and has a `placement` then. The type of a container does not depend on it. Algorithms work
/// with any distribution, also if those of several ranges differ.
///
///     am::vector<double> x(n);                                  // blocks over all ranks
///     am::vector<double> y(n, am::cyclic(64));                  // blocks of 64 in turn
///     am::vector<double> z(n, am::on(half, am::blocks()));      // over the ranks of a team
///     am::vector<float> w(n, am::like(x));                      // where x has its elements
class distribution {
 public:
  distribution() = default;

  /// Returns the ranks: those that `on` named, otherwise `world()`.
  team members() const { return members_ ? members_ : world(); }

 private:
  friend class placement;
  friend distribution blocks();
  friend distribution blocks(std::vector<std::size_t> sizes);
  friend distribution cyclic(std::size_t block);
  friend distribution on(const team& t, distribution d);
  friend distribution as_in(const team& t, placement p);

  team members_;
  std::size_t block_ = 0;  ///< 0: one block a member
  std::vector<std::size_t> sizes_;
  std::optional<placement> model_;
};

/// Returns one block for each member, of equal length, except for the last ones, which may be shorter or empty. This is the
/// default.
distribution blocks();

/// Returns one block for each member: `sizes[m]` elements for member m. Their sum must be the size of the container
/// (`usage_error`).
distribution blocks(std::vector<std::size_t> sizes);

/// Returns a cyclic distribution: blocks of `block` elements go to the members in turn.
distribution cyclic(std::size_t block = 1);

/// Returns `d` over the ranks of `t`.
distribution on(const team& t, distribution d = {});

/// Returns the distribution of `p` over the ranks of `t`. For another number of elements it is of the same kind.
distribution as_in(const team& t, placement p);

/// Returns the distribution of the container `x`.
template <class Container>
distribution like(const Container& x) {
  return as_in(x.members(), x.placement());
}

}  // namespace armilla
