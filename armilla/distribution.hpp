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

/// No position: what a search gives that finds nothing.
inline constexpr std::size_t npos = ~std::size_t{0};

class distribution;

/// Where each of `size()` elements lies: the bound form of a `distribution`, and the same value on all members.
///
/// Members are numbers in the team of the container. A member keeps its elements in the order of their indices; `place` counts
/// them. No function divides: the divisors are stored as reciprocals. Cost: two multiplications an element (blocks), four
/// (cyclic), a binary search (blocks of given sizes).
class placement {
 public:
  placement() = default;
  placement(const placement&) = default;
  placement& operator=(const placement&) = default;
  /// A moved-from placement has no elements, and neither does a moved-from container.
  placement(placement&& other) noexcept : placement(std::as_const(other)) { other.clear(); }
  placement& operator=(placement&& other) noexcept {
    const placement taken = std::move(other);
    return *this = taken;
  }
  /// Throws usage_error if `wish` names sizes that do not fit.
  placement(std::size_t n, rank_t members, const distribution& wish);
  /// One block a member, of these lengths.
  explicit placement(std::vector<std::size_t> sizes);

  std::size_t size() const noexcept { return size_; }
  rank_t members() const noexcept { return members_; }

  /// The member that has element i; no_rank unless i < size().
  rank_t member_of(std::size_t i) const noexcept { return locate(i).member; }
  /// Which of that member's elements it is; npos unless i < size().
  std::size_t place_of(std::size_t i) const noexcept { return locate(i).place; }
  /// Both.
  struct position {
    rank_t member;
    std::size_t place;
  };
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
  /// The index of a member's element; npos if there is no such member, or it has no such element.
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
  /// How many elements a member has; 0 if there is no such member.
  std::size_t count(rank_t member) const noexcept;

  /// Whether each member's elements follow each other, in the order of the members.
  bool linear() const noexcept { return one_turn_; }
  /// Elements around i's that follow each other in memory; for an i beyond the end {no_rank, size(), size()}.
  struct run {
    rank_t member;
    std::size_t begin, end;
  };
  run run_at(std::size_t i) const noexcept;
  /// The first index from i on whose element is the member's; size() if there is none, or no such member.
  std::size_t next_on(rank_t member, std::size_t i) const noexcept;
  /// The same elements at the same places, if there are `n` of them: blocks of given sizes become blocks of equal sizes.
  placement resized(std::size_t n) const;
  /// The same elements, dealt in the same way to another number of members: blocks of given sizes become blocks of equal sizes.
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

/// How elements are dealt to ranks: a value that says which ranks, and which of them gets what. A container binds it to a size
/// and has a `placement` then.
///
///     am::vector<double> x(n);                                  // blocks over all ranks
///     am::vector<double> y(n, am::cyclic(64));                  // blocks of 64 in turn
///     am::vector<double> z(n, am::on(half, am::blocks()));      // over the ranks of a team
///     am::vector<float> w(n, am::like(x));                      // where x has its elements
class distribution {
 public:
  distribution() = default;

  /// The ranks; world() unless `on` named others.
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

/// One block a member, of one length but for the last ones, which may be shorter or empty. What containers do by themselves.
distribution blocks();
/// One block a member: `sizes[m]` elements for member m. They must be as many as the container is to have.
distribution blocks(std::vector<std::size_t> sizes);
/// Blocks of `block` elements, dealt to the members in turn.
distribution cyclic(std::size_t block = 1);
/// The same over the ranks of `t`.
distribution on(const team& t, distribution d = {});
/// The places of `p` over the ranks of `t`; for another number of elements the same way of dealing.
distribution as_in(const team& t, placement p);
/// As the elements of the container `x` are dealt.
template <class Container>
distribution like(const Container& x) {
  return as_in(x.members(), x.placement());
}

}  // namespace armilla
