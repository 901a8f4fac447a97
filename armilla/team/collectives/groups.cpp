// SPDX-License-Identifier: Apache-2.0
#include "armilla/team/collectives/groups.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "armilla/error.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/team/collectives/group_moves.hpp"
#include "armilla/team/core/aligned_bytes.hpp"
#include "armilla/team/core/hypercube.hpp"

namespace armilla::detail {
namespace {

// From here on each leader folds a part only, and collects the others: twice as many messages, but no byte more than twice.
constexpr std::size_t long_array = 16 * 1024;

struct range {
  std::size_t at, bytes;
};

// A leader's exchanges with others, of an array that all have.
class array_cube {
 public:
  array_cube(group_moves& moves, const array_fold& how, std::byte* data, std::size_t bytes)
      : moves_(moves), how_(how), data_(data), bytes_(bytes), cube_(moves.groups()), theirs_(make_aligned_bytes(bytes)) {}

  void all_reduce() {
    const std::uint32_t place = moves_.group();
    if (cube_.is_represented(place)) {
      moves_.send(place - 1, data_, bytes_);
      moves_.receive(place - 1, data_, bytes_);
      return;
    }
    const bool shared = cube_.is_shared(place);
    if (shared) fold_from(place + 1);
    if (bytes_ < long_array)
      double_up();
    else
      halve_and_double();
    if (shared) moves_.send(place + 1, data_, bytes_);
  }

 private:
  std::uint32_t corner() const { return cube_.corner_of(moves_.group()); }

  void fold_from(std::uint32_t place) {
    moves_.receive(place, theirs_.get(), bytes_);
    how_.fold(how_.op, data_, theirs_.get(), bytes_, false);
  }
  void double_up() {
    for (std::uint32_t bit = 1; bit < cube_.corners; bit *= 2) {
      const std::uint32_t other = corner() ^ bit;
      moves_.exchange(cube_.place_at(other), data_, bytes_, theirs_.get(), bytes_);
      how_.fold(how_.op, data_, theirs_.get(), bytes_, other < corner());
    }
  }
  // In each round one of a pair keeps the fold of the lower half of what both have, the other that of the upper half.
  void halve_and_double() {
    std::vector<range> kept{{0, bytes_}}, given{{0, 0}};
    for (std::uint32_t bit = 1; bit < cube_.corners; bit *= 2) {
      const std::uint32_t other = corner() ^ bit;
      range mine = kept.back(), yours = mine;
      mine.bytes = mine.bytes / how_.element / 2 * how_.element;
      yours.at += mine.bytes, yours.bytes -= mine.bytes;
      if (other < corner()) std::swap(mine, yours);
      moves_.exchange(cube_.place_at(other), data_ + yours.at, yours.bytes, theirs_.get(), mine.bytes);
      how_.fold(how_.op, data_ + mine.at, theirs_.get(), mine.bytes, other < corner());
      kept.push_back(mine), given.push_back(yours);
    }
    for (std::uint32_t bit = cube_.corners / 2; bit != 0; bit /= 2) {
      const range mine = kept.back(), yours = given.back();
      moves_.exchange(cube_.place_at(corner() ^ bit), data_ + mine.at, mine.bytes, data_ + yours.at, yours.bytes);
      kept.pop_back(), given.pop_back();
    }
  }

  group_moves& moves_;
  const array_fold& how_;
  std::byte* data_;
  std::size_t bytes_;
  hypercube cube_;
  aligned_bytes theirs_;
};

// A short message is under way for longer than it takes its processors: to seven at a time takes a third of the rounds. Between
// up to eight groups it is one round, straight from each to all behind it.
constexpr std::size_t short_scan = 1024;
std::uint32_t ways_of_scan(std::size_t bytes) { return bytes <= short_scan ? 8 : 2; }

// The fold of all groups before this leader's. What a leader has after round k is the fold of the w^k groups up to its own, where
// w is the number of ways, and goes to those w^k, 2 w^k ... groups behind: leaders wait for those before them only.
class scan_of_groups {
 public:
  /// `sum`: of this group; it is lost.
  scan_of_groups(group_moves& moves, const array_fold& how, std::byte* sum, std::size_t bytes)
      : moves_(moves),
        how_(how),
        sum_(sum),
        bytes_(bytes),
        ways_(ways_of_scan(bytes)),
        memory_(make_aligned_bytes(ways_ * bytes)) {}

  /// Null: no group is before this one.
  const std::byte* run() {
    for (std::uint32_t distance = 1; distance < moves_.groups(); distance *= ways_) {
      const std::uint32_t come = moves_.send_ahead(distance, ways_, sum_, bytes_, theirs(0));
      if (come == 0) continue;
      for (std::uint32_t i = 1; i < come; ++i) how_.fold(how_.op, theirs(0), theirs(i), bytes_, true);
      put_before(before(), any_);
      put_before(sum_, true);
      any_ = true;
    }
    return any_ ? before() : nullptr;
  }

 private:
  std::byte* before() const { return memory_.get(); }
  std::byte* theirs(std::uint32_t i) const { return memory_.get() + (i + 1) * bytes_; }

  void put_before(std::byte* to, bool any) {
    if (any)
      how_.fold(how_.op, to, theirs(0), bytes_, true);
    else
      std::memcpy(to, theirs(0), bytes_);
  }

  group_moves& moves_;
  const array_fold& how_;
  std::byte* sum_;
  std::size_t bytes_;
  std::uint32_t ways_;
  aligned_bytes memory_;
  bool any_ = false;
};

// What the members of my group have, one behind the other, on its leader.
aligned_bytes members_arrays(group_moves& moves, const std::byte* mine, std::size_t bytes) {
  if (!moves.leads()) {
    moves.send_to_member(moves.leader(), mine, bytes);
    return nullptr;
  }
  aligned_bytes all = make_aligned_bytes(bytes * moves.members());
  moves.receive_from_members(mine, bytes, all.get());
  return all;
}

// The fold of my group, on its leader.
void fold_group(group_moves& moves, std::byte* data, std::size_t bytes, const array_fold& how) {
  if (moves.members() == 1) return;
  const aligned_bytes all = members_arrays(moves, data, bytes);
  for (std::uint32_t i = 1; all != nullptr && i < moves.members(); ++i)
    how.fold(how.op, data, all.get() + i * bytes, bytes, false);
}

// Gives each member of the group the fold of all before it. False: there are none.
bool scan(group_moves& moves, const std::byte* data, std::size_t bytes, const array_fold& how, std::byte* before) {
  const aligned_bytes all = members_arrays(moves, data, bytes);
  if (all == nullptr) {
    moves.receive_from_member(moves.leader(), before, bytes);
    return true;
  }
  const aligned_bytes sum = make_aligned_bytes(bytes);
  std::memcpy(sum.get(), data, bytes);
  for (std::uint32_t i = 1; i < moves.members(); ++i) how.fold(how.op, sum.get(), all.get() + i * bytes, bytes, false);
  scan_of_groups leaders(moves, how, sum.get(), bytes);
  const std::byte* const groups = leaders.run();
  std::memcpy(sum.get(), groups != nullptr ? groups : data, bytes);
  if (groups != nullptr) std::memcpy(before, groups, bytes);
  for (std::uint32_t i = 1; i < moves.members(); ++i) {
    if (groups != nullptr || i > 1) how.fold(how.op, sum.get(), all.get() + (i - 1) * bytes, bytes, false);
    moves.send_to_member(moves.leader() + i, sum.get(), bytes);
  }
  return groups != nullptr;
}

}  // namespace

void throw_without_result(collective kind) {
  throw_usage(name_of(kind), "the operation has thrown on another member, which has the exception: there is no result");
}

void all_reduce_by_pairs(team_record& t, std::byte* data, std::size_t bytes, const array_fold& how) {
  group_moves moves(t, collective::all_reduce);
  fold_group(moves, data, bytes, how);
  if (moves.leads()) array_cube(moves, how, data, bytes).all_reduce();
  moves.hand_on(data, bytes);
}

void reduce_by_pairs(team_record& t, std::byte* data, std::size_t bytes, const array_fold& how, std::uint32_t root) {
  group_moves moves(t, collective::reduce);
  const aligned_bytes memory = make_aligned_bytes(2 * bytes);
  std::byte *const sum = memory.get(), *const theirs = sum + bytes;
  std::memcpy(sum, data, bytes);
  fold_group(moves, sum, bytes, how);
  const std::uint32_t group = moves.group();
  for (std::uint32_t bit = 1; moves.leads() && bit < moves.groups(); bit *= 2) {
    if ((group & bit) != 0) {
      moves.send(group - bit, sum, bytes);
      break;
    }
    if (group + bit >= moves.groups()) continue;
    moves.receive(group + bit, theirs, bytes);
    how.fold(how.op, sum, theirs, bytes, false);
  }
  if (t.rank == 0 && root != 0) moves.send_to_member(root, sum, bytes);
  if (t.rank != root) return;
  if (root == 0)
    std::memcpy(data, sum, bytes);
  else
    moves.receive_from_member(0, data, bytes);
}

void inclusive_scan_by_pairs(team_record& t, std::byte* data, std::size_t bytes, const array_fold& how) {
  group_moves moves(t, collective::inclusive_scan);
  const aligned_bytes before = make_aligned_bytes(bytes);
  if (scan(moves, data, bytes, how, before.get())) how.fold(how.op, data, before.get(), bytes, true);
}

void exclusive_scan_by_pairs(team_record& t, const std::byte* data, std::byte* first, std::size_t bytes, const array_fold& how) {
  group_moves moves(t, collective::exclusive_scan);
  const aligned_bytes before = make_aligned_bytes(bytes);
  if (scan(moves, data, bytes, how, before.get())) how.fold(how.op, first, before.get(), bytes, false);
}

}  // namespace armilla::detail
