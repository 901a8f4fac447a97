// SPDX-License-Identifier: Apache-2.0
#include "armilla/team/collectives/group_moves.hpp"

#include <algorithm>
#include <vector>

namespace armilla::detail {
void shift_between(team_record& t, collective kind, std::uint32_t to, const std::byte* out, std::size_t out_bytes,
                   std::uint32_t from, std::byte* in, std::size_t in_bytes) {
  known_place place{in, in_bytes};
  member_transfer moves(t, kind);
  moves.send(to, out, out_bytes);
  moves.receive(from, known_place::find, &place);
  moves.run();
}

group_moves::group_moves(team_record& t, collective kind) : t_(t), kind_(kind), group_(group_of(t.rank)) {}

group_moves::group_moves(team_record& t, collective kind, std::uint32_t root) : group_moves(t, kind) {
  root_ = root;
  root_group_ = group_of(root);
}

std::uint32_t group_moves::group_of(std::uint32_t member) const noexcept {
  return std::uint32_t(std::ranges::upper_bound(t_.groups, member) - t_.groups.begin()) - 1;
}

void group_moves::send(std::uint32_t group, const std::byte* data, std::size_t bytes) {
  send_to_member(leader_of(group), data, bytes);
}

void group_moves::receive(std::uint32_t group, std::byte* to, std::size_t bytes) {
  receive_from_member(leader_of(group), to, bytes);
}

void group_moves::send_to_all_of(std::span<const std::uint32_t> groups, const std::byte* data, std::size_t bytes) {
  member_transfer moves(t_, kind_);
  for (const std::uint32_t group : groups) moves.send_shared(leader_of(group), data, bytes);
  moves.run();
}

std::uint32_t group_moves::send_ahead(std::uint32_t distance, std::uint32_t ways, const std::byte* out, std::size_t bytes,
                                      std::byte* in) {
  const std::uint32_t behind = std::min(ways - 1, (groups() - 1 - group_) / distance),
                      before = std::min(ways - 1, group_ / distance);
  std::vector<known_place> places;
  places.reserve(before);
  member_transfer moves(t_, kind_);
  for (std::uint32_t i = 1; i <= behind; ++i) moves.send_shared(leader_of(group_ + i * distance), out, bytes);
  for (std::uint32_t i = 1; i <= before; ++i) {
    places.push_back({in + (i - 1) * bytes, bytes});
    moves.receive(leader_of(group_ - i * distance), known_place::find, &places.back());
  }
  if (behind + before != 0) moves.run();
  return before;
}

void group_moves::send_to_member(std::uint32_t member, const std::byte* data, std::size_t bytes) {
  member_transfer moves(t_, kind_);
  moves.send(member, data, bytes);
  moves.run();
}

void group_moves::receive_from_member(std::uint32_t member, std::byte* to, std::size_t bytes) {
  known_place place{to, bytes};
  member_transfer moves(t_, kind_);
  moves.receive(member, known_place::find, &place);
  moves.run();
}

void group_moves::receive_from_members(const std::byte* mine, std::size_t bytes, std::byte* all) {
  std::vector<known_place> places;
  places.reserve(members());
  member_transfer moves(t_, kind_);
  for (std::uint32_t i = 0; i < members(); ++i) {
    places.push_back({all + i * bytes, bytes});
    if (begin() + i != t_.rank)
      moves.receive(begin() + i, known_place::find, &places.back());
    else
      move_bytes(places.back().to, mine, bytes);
  }
  moves.run();
}

void group_moves::send_to_members(const std::byte* all, std::size_t bytes, std::byte* mine) {
  member_transfer moves(t_, kind_);
  for (std::uint32_t i = 0; i < members(); ++i)
    if (begin() + i != t_.rank)
      moves.send(begin() + i, all + i * bytes, bytes);
    else
      move_bytes(mine, all + i * bytes, bytes);
  moves.run();
}

void group_moves::hand_on(std::byte* data, std::size_t bytes) {
  if (members() == 1) return;
  if (!leads()) return receive_from_member(leader(), data, bytes);
  member_transfer moves(t_, kind_);
  for (std::uint32_t i = begin(); i < begin() + members(); ++i)
    if (i != t_.rank) moves.send_shared(i, data, bytes);
  moves.run();
}

}  // namespace armilla::detail
