// SPDX-License-Identifier: Apache-2.0
// Scans of arrays.
#include <cstring>
#include <vector>

#include "armilla/team/collectives/array_ways.hpp"
#include "armilla/team/core/aligned_bytes.hpp"

namespace armilla::detail {
namespace {

// What members `first` .. `last - 1` show at `step`, behind what stands at `to`.
void append_boards(team_record& t, std::uint64_t step, std::byte* to, std::uint32_t first, std::uint32_t last,
                   const array_fold& how, std::size_t bytes, const char* what) {
  for (std::uint32_t i = first; i < last; ++i) how.fold(how.op, to, await_board(t, i, step, bytes, what), bytes, false);
}

// The fold of the members before this one, in their order, behind what stands at `to`, or, if nothing does, from the first on.
struct appending {
  std::byte* to;
  const array_fold& how;
  bool begun;

  static void take(void* self, std::uint32_t member, std::uint64_t at, const std::byte* from, std::uint64_t bytes) {
    const auto& a = *static_cast<appending*>(self);
    if (member == 0 && !a.begun)
      std::memcpy(a.to + at, from, bytes);
    else
      a.how.fold(a.how.op, a.to + at, from, bytes, false);
  }
};

// Each member reads the arrays of all before it: `op` need not be associative, so nothing can be added up on the way.
void scan_by_transfer(team_record& t, collective kind, const std::byte* data, std::byte* to, bool begun, std::size_t bytes,
                      const array_fold& how) {
  member_transfer moves(t, kind);
  const bool apart = can_be_split(how);
  if (apart) moves.in_pieces_of(how.element);
  for (std::uint32_t i = t.rank + 1; i < t.size; ++i) moves.send_shared(i, data, bytes);
  appending into{to, how, begun};
  const aligned_bytes memory = make_aligned_bytes(apart ? 0 : bytes * t.rank);
  std::vector<known_place> places;
  for (std::uint32_t i = 0; i < t.rank; ++i) places.push_back({memory.get() + i * bytes, bytes});
  for (std::uint32_t i = 0; i < t.rank; ++i)
    apart ? moves.fold(i, appending::take, &into, bytes) : moves.receive(i, known_place::find, &places[i]);
  moves.run();
  for (std::uint32_t i = 0; !apart && i < t.rank; ++i) appending::take(&into, i, 0, places[i].to, bytes);
}

}  // namespace

void inclusive_scan_array(team_record* team, std::byte* data, std::size_t bytes, type_mark type, const array_fold& how) {
  team_record& t = enter_arrays(team, {collective::inclusive_scan, 0, bytes, type.in(type_form::array)});
  if (t.scans_by_pairs(bytes) && !how.in_order && bytes != 0) return inclusive_scan_by_pairs(t, data, bytes, how);
  if (on_board(t, bytes)) {
    const char* what = name_of(collective::inclusive_scan);
    const std::uint64_t step = post_on_board(t, data, bytes, what);
    move_bytes(data, await_board(t, 0, step, bytes, what), bytes);
    append_boards(t, step, data, 1, t.rank + 1, how, bytes, what);
    return;
  }
  const aligned_bytes before = make_aligned_bytes(t.rank != 0 ? bytes : 0);
  scan_by_transfer(t, collective::inclusive_scan, data, before.get(), false, bytes, how);
  if (t.rank != 0) how.fold(how.op, data, before.get(), bytes, true);
}

void exclusive_scan_array(team_record* team, const std::byte* data, std::byte* first, std::size_t bytes, type_mark type,
                          const array_fold& how) {
  team_record& t = enter_arrays(team, {collective::exclusive_scan, 0, bytes, type.in(type_form::array)});
  if (t.scans_by_pairs(bytes) && !how.in_order && bytes != 0) return exclusive_scan_by_pairs(t, data, first, bytes, how);
  if (on_board(t, bytes)) {
    const char* what = name_of(collective::exclusive_scan);
    const std::uint64_t step = post_on_board(t, data, bytes, what);
    append_boards(t, step, first, 0, t.rank, how, bytes, what);
    return;
  }
  scan_by_transfer(t, collective::exclusive_scan, data, first, true, bytes, how);
}

}  // namespace armilla::detail
