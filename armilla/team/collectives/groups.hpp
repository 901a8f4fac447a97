// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>

#include "armilla/base/values/collective_pattern.hpp"
#include "armilla/team/collectives/arrays.hpp"
#include "armilla/team/core/member_transfer.hpp"
#include "armilla/team/core/record.hpp"

/// Collectives between many hosts: log2 N exchanges between pairs, where N is the number of hosts; of short scans log8 N.
///
/// There are two levels. The members on a host are a group. They give what they have to its leader, the leaders exchange, and
/// hand on what has come. Operands keep the order of the members: those of a group are consecutive, and what a leader has after
/// round k is the fold of 2^k consecutive groups. Where the members of some host are not consecutive, each member is a group of
/// its own.
///
/// Which operands meet first depends on the team and its groups alone: results are the same bits on all members, and in every
/// run. All members call these functions, in a collective that they have entered.
namespace armilla::detail {

/// usage_error: `op` has thrown on another member.
[[noreturn, gnu::cold]] void throw_without_result(collective kind);

void all_reduce_by_pairs(team_record& t, std::byte* data, std::size_t bytes, const array_fold& how);
void reduce_by_pairs(team_record& t, std::byte* data, std::size_t bytes, const array_fold& how, std::uint32_t root);
void broadcast_by_pairs(team_record& t, collective kind, std::byte* data, std::size_t bytes, std::uint32_t root);
/// A broadcast of bytes whose number only the root knows: it goes first, if `announced`.
void send_packet_to_all(team_record& t, const std::byte* data, std::size_t bytes, bool announced);
/// `bytes`: if it is known.
void receive_packet(team_record& t, std::uint32_t root, std::optional<std::size_t> bytes, place_function place, void* self);
void all_gather_by_pairs(team_record& t, const std::byte* mine, std::size_t bytes, std::byte* all);
/// `all` is null where this member is not the root.
void gather_by_pairs(team_record& t, const std::byte* mine, std::size_t bytes, std::byte* all, std::uint32_t root);
void scatter_by_pairs(team_record& t, const std::byte* all, std::size_t bytes, std::byte* mine, std::uint32_t root);
/// `data` becomes the fold of the members up to this one.
void inclusive_scan_by_pairs(team_record& t, std::byte* data, std::size_t bytes, const array_fold& how);
/// `first` becomes the fold of itself and of the data of the members before this one.
void exclusive_scan_by_pairs(team_record& t, const std::byte* data, std::byte* first, std::size_t bytes, const array_fold& how);
/// Parts of `part` bytes, on all members alike.
void all_to_all_by_pairs(team_record& t, collective kind, const std::byte* in, std::byte* out, std::size_t part);

/// Longer parts go straight to their members: between pairs each travels log2 N / 2 times.
inline constexpr std::size_t longest_by_pairs = 256;
/// Of an all-gather between hosts of one member each byte travels as often either way: straight, it is as many messages as hosts,
/// but they need not be asked for.
inline std::size_t longest_block_by_pairs(const team_record& t) {
  return t.groups.size() == t.size + 1 ? 32 * std::size_t(t.size) : ~std::size_t(0);
}

}  // namespace armilla::detail
