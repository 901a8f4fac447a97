// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "armilla/team/core/member_transfer.hpp"
#include "armilla/team/core/record.hpp"

namespace armilla::detail {

/// Sends to one member while it receives from one, perhaps the same.
void shift_between(team_record& t, collective kind, std::uint32_t to, const std::byte* out, std::size_t out_bytes,
                   std::uint32_t from, std::byte* in, std::size_t in_bytes);

/// What moves in a collective by groups (groups.hpp): between the leaders of groups, and between a leader and its group. Each
/// function is one transfer; those that take part call it, with the same lengths.
class group_moves {
 public:
  /// The first member of a group leads it.
  group_moves(team_record& t, collective kind);
  /// But `root` leads its own.
  group_moves(team_record& t, collective kind, std::uint32_t root);

  std::uint32_t groups() const noexcept { return std::uint32_t(t_.groups.size()) - 1; }
  std::uint32_t group() const noexcept { return group_; }  ///< mine
  std::uint32_t begin() const noexcept { return t_.groups[group_]; }
  std::uint32_t members() const noexcept { return t_.groups[group_ + 1] - begin(); }
  std::uint32_t leader() const noexcept { return leader_of(group_); }
  bool leads() const noexcept { return t_.rank == leader(); }
  std::uint32_t group_of(std::uint32_t member) const noexcept;

  // ---- on leaders; groups by number ----
  void send(std::uint32_t group, const std::byte* data, std::size_t bytes);
  void receive(std::uint32_t group, std::byte* to, std::size_t bytes);
  void send_to_all_of(std::span<const std::uint32_t> groups, const std::byte* data, std::size_t bytes);
  void exchange(std::uint32_t group, const std::byte* out, std::size_t out_bytes, std::byte* in, std::size_t in_bytes) {
    shift(group, out, out_bytes, group, in, in_bytes);
  }
  void shift(std::uint32_t to, const std::byte* out, std::size_t out_bytes, std::uint32_t from, std::byte* in,
             std::size_t in_bytes) {
    shift_between(t_, kind_, leader_of(to), out, out_bytes, leader_of(from), in, in_bytes);
  }
  /// Sends `out` to the groups 1, 2 ... `ways` - 1 times `distance` behind this one, as far as there are any, and receives as
  /// much from those before it. Those stand in `in`, the nearest first. Returns how many they are.
  std::uint32_t send_ahead(std::uint32_t distance, std::uint32_t ways, const std::byte* out, std::size_t bytes, std::byte* in);

  // ---- inside a group; members by their number in the team ----
  void send_to_member(std::uint32_t member, const std::byte* data, std::size_t bytes);
  void receive_from_member(std::uint32_t member, std::byte* to, std::size_t bytes);
  /// On the leader: `all` gets what each member has, in their order; of the leader itself that is `mine`.
  void receive_from_members(const std::byte* mine, std::size_t bytes, std::byte* all);
  /// On the leader: part i of `all` to the group's member i.
  void send_to_members(const std::byte* all, std::size_t bytes, std::byte* mine);
  /// What the leader has at `data` comes to the same place on all of its group.
  void hand_on(std::byte* data, std::size_t bytes);

 private:
  std::uint32_t leader_of(std::uint32_t group) const noexcept { return group == root_group_ ? root_ : t_.groups[group]; }

  team_record& t_;
  collective kind_;
  std::uint32_t group_;
  std::uint32_t root_ = 0;
  std::uint32_t root_group_ = 0;
};

}  // namespace armilla::detail
