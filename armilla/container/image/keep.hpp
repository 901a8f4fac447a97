// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/container/image/kept_part.hpp"
#include "armilla/container/place/failure_agreement.hpp"
#include "armilla/container/place/storage.hpp"
#include "armilla/team/collectives/named_algorithm.hpp"

namespace armilla {

/// The elements from index `begin` to `end`.
struct index_range {
  std::size_t begin = 0, end = 0;
  friend bool operator==(const index_range&, const index_range&) = default;
};

/// Behind the team of `recover`: what the memory of the ranks holds now, in place of a checkpoint.
struct raw_t {};
inline constexpr raw_t raw{};

/// What `recover` gives.
template <class Container, class Gone = index_range>
struct recovered {
  Container container;     ///< over the ranks that are left
  std::uint64_t mark = 0;  ///< with which the checkpoint was made
  /// What no rank has any more, the same on all ranks; value-initialised in `container`. Also what was gone when the checkpoint
  /// was made that was recovered, if that was a part of another `recover`.
  std::vector<Gone> gone;
};

namespace detail {

/// What a checkpoint says beside the bytes of the parts: where they belong, and what was gone before it.
template <class Places, class Gone>
struct kept_shape {
  Places places;
  std::vector<Gone> gone;
};

/// How many copies a rank keeps, or what is wrong with it: usage_error.
rank_t require_copies(const team& members, int copies);

/// The last whole checkpoint, as those that are left find it.
struct found_checkpoint {
  std::uint64_t mark = 0;
  std::shared_ptr<const void> shape;  ///< how the parts made up the container
  std::vector<kept_part> parts;       ///< by member of the old team; gone with its owner and all that kept a copy
  std::vector<std::uint64_t> bytes;   ///< of each
};

/// Copies of what each member of a team has, in the segments of the members behind it. They are bytes to this class.
///
/// There are two generations. A checkpoint writes the one that is not the last whole one; it is whole when all members have
/// met behind the copy. A member that dies in the middle ends that meeting on some members and not on others. So those that are
/// left ask each other which checkpoint any of them has seen whole: then all had written it, and each knows where it lies.
///
/// A member writes over the older generation only when all members have come to the next checkpoint: by then all know the newer
/// one to be whole.
///
/// Where all members share memory the owner of a part has no copy of its own: it would cost as much as the one of its neighbour.
/// Where it lives and that neighbour does not, the copy is read from the memory that the neighbour left. Where new ranks take the
/// places of lost ranks that memory becomes theirs, and between hosts it cannot be read: there the owner keeps a copy, too.
/// Between hosts the others lie on other hosts as far as there are any.
class kept_parts {
 public:
  kept_parts(const team& members, int copies);

  const team& members() const noexcept { return members_; }
  int wish() const noexcept { return wish_; }

  /// Collective: copies `bytes` bytes at `part`, which `shape` explains. `mark` is the same on all members. Throws limit_error on
  /// all members if one has no room for what it keeps, a member's failure on all, and then the last checkpoint stays; rank_lost.
  void checkpoint(const void* part, std::uint64_t bytes, std::uint64_t mark, std::shared_ptr<const void> shape, failure& why) {
    write(part, bytes, mark, std::move(shape), why);
    meet(members_);
    commit();
  }
  /// Its two halves, between which all members must have met.
  void write(const void* part, std::uint64_t bytes, std::uint64_t mark, std::shared_ptr<const void> shape, failure& why);
  void commit() noexcept { ++whole_; }

  /// Collective of `t`, the members that are left. usage_error on all if there is none.
  found_checkpoint newest(const team& t) const;

 private:
  struct generation {
    block_storage blocks;              ///< of each member: what it keeps of the members before it, the next one first
    std::vector<std::uint64_t> room;   ///< for the part of each member
    std::vector<std::uint64_t> bytes;  ///< of it
    std::uint64_t number = 0, mark = 0;
    std::shared_ptr<const void> shape;
  };

  rank_t distance(rank_t k) const noexcept { return distance_[std::size_t(k % members_.size())]; }
  rank_t holder(rank_t owner, rank_t k) const noexcept { return (owner + distance(k)) % members_.size(); }
  static bool fits(const generation& g, const std::vector<std::uint64_t>& bytes) noexcept;
  void make_room(generation& g, const std::vector<std::uint64_t>& bytes);
  std::uint64_t offset(const generation& g, rank_t holder, rank_t k) const noexcept;
  /// Where the k-th copy of a part lies.
  global_address copy(const generation& g, rank_t owner, rank_t k) const;
  kept_part kept_of(const generation& g, rank_t owner, const team& t) const;

  team members_;
  rank_t first_ = 1, copies_;  // copies by number: 0 is the owner's own
  int wish_;
  std::vector<rank_t> distance_;      // from an owner to the member that has a copy, by its number
  std::vector<std::uint32_t> lives_;  // of the members' places
  std::uint64_t whole_ = 0;           // number of the last whole checkpoint, 0: none
  generation of_[2];                  // by the parity of the number
};

/// What a container has of its copies. It stays with the container's name where elements are swapped.
template <class Result>
struct keeping {
  std::unique_ptr<kept_parts> copies;  ///< null: none are kept
  std::uint64_t times = 0;             ///< it was recovered
  /// Of a recovery in whose last meeting this rank was told of a loss. It counts if that meeting ended well on another rank.
  std::unique_ptr<Result> unfinished;
};

/// Whether a container can be recovered on `t`: usage_error, which says what to do instead.
void require_recoverable(const team& t, const team& old);
[[noreturn, gnu::cold]] void throw_damaged_copy();
/// The copies of a container whose members are `members`; usage_error if there are none.
kept_parts& require_kept(const std::unique_ptr<kept_parts>& kept, const team& members, const char* operation);
/// usage_error where the memory of a lost rank is cleared for another one in its place, or cannot be read from here.
void require_memory_stays(const team& members);
/// The part of each member where it lies; its bytes are not known.
std::vector<kept_part> present_parts(const block_storage& blocks, const team& members);
/// The same on members that hold the container alike. `mark`: of its elements' places.
std::uint64_t mark_of_blocks(const block_storage& blocks, const team& members, std::uint64_t mark) noexcept;
/// Collective, of those that are left: they hold the container alike. usage_error on all if its elements were being moved.
void require_alike(const team& t, std::uint64_t mark);

/// Collective of `t`: whether another member has recovered a container once more than this one. `can`: this one could follow.
bool must_follow(const team& t, std::uint64_t times, bool can);

/// Collective of `t`, before a container is recovered again: all have the same one behind it. `take` makes it what it became on
/// the members on which the last recovery ended well.
template <class Result, class Take>
void catch_up(const team& t, keeping<Result>& kept, Take take) {
  if (must_follow(t, kept.times, kept.unfinished != nullptr)) {
    take(std::move(*kept.unfinished));
    ++kept.times;
  }
  kept.unfinished = nullptr;
}

/// Collective of `t`. `make` gives what the container becomes, by collectives of `t`. If a rank dies meanwhile this may return on
/// some members and throw on others: then all had come to the meeting, and those keep what they made, or its container, for
/// `catch_up`.
template <class Unfinished, class Make>
auto recover_together(const team& t, std::unique_ptr<Unfinished>& unfinished, Make make) {
  const named_algorithm name("recover");
  auto made = make();
  try {
    meet(t);
  } catch (const rank_lost&) {
    if constexpr (std::is_same_v<decltype(made), Unfinished>)
      unfinished = std::make_unique<Unfinished>(std::move(made));
    else
      unfinished = std::make_unique<Unfinished>(std::move(made.container));
    throw;
  }
  return made;
}

}  // namespace detail
}  // namespace armilla
