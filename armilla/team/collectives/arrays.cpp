// SPDX-License-Identifier: Apache-2.0
#include "armilla/team/collectives/arrays.hpp"

#include <algorithm>
#include <functional>
#include <vector>

#include <fmt/format.h>

#include "armilla/error.hpp"
#include "armilla/team/collectives/array_ways.hpp"
#include "armilla/team/collectives/collective_bulk.hpp"
#include "armilla/team/collectives/groups.hpp"
#include "armilla/team/collectives/packet.hpp"
#include "armilla/team/core/aligned_bytes.hpp"
#include "armilla/team/core/member_transfer.hpp"

namespace armilla::detail {
namespace {

// From here on, with more than two members, each folds a part of the array only: two looks, but less work in all.
constexpr std::size_t parts_from = 1024;

// Member `i`'s part of an array: whole elements, and lines where they are short.
struct part {
  std::size_t at, bytes;
};
part part_of(std::size_t bytes, std::size_t element, std::uint32_t i, std::uint32_t size) {
  const std::size_t unit = cache_line % element == 0 ? cache_line : element;
  const std::size_t each = ((bytes + size - 1) / size + unit - 1) / unit * unit;
  const std::size_t at = std::min(bytes, i * each);
  return {at, std::min(bytes - at, each)};
}

// What members have shown already comes from their caches side by side, not one after the other.
void fetch_boards(const team_record& t, std::uint64_t step, std::size_t bytes) {
  if (t.size <= 2) return;
  for (std::uint32_t i = 0; i < t.size; ++i)
    if (t.slots[i]->flat[step % team_slot::flat_lines].step.load(std::memory_order_relaxed) == (t.sign | step))
      __builtin_prefetch(board_of(t, i, step, bytes));
}

// All members, this one included, have shown theirs at `step`: folds part `p` of each, in the order of the members, into `to`.
void fold_boards(team_record& t, std::uint64_t step, std::byte* to, const part& p, const array_fold& how, std::size_t bytes,
                 const char* what) {
  move_bytes(to, await_board(t, 0, step, bytes, what) + p.at, p.bytes);
  for (std::uint32_t i = 1; i < t.size; ++i) how.fold(how.op, to, await_board(t, i, step, bytes, what) + p.at, p.bytes, false);
}

void reduce_on_boards(team_record& t, std::byte* data, std::size_t bytes, const array_fold& how, std::uint32_t root) {
  const char* what = name_of(collective::reduce);
  // What is read where it lies need not be on the board.
  const bool mine_needed = t.rank != root || root != 0;
  const std::uint64_t step = mine_needed ? post_on_board(t, data, bytes, what) : post(t, nullptr, 0, what);
  if (t.rank != root) return;
  fetch_boards(t, step, bytes);
  if (root == 0)
    for (std::uint32_t i = 1; i < t.size; ++i) how.fold(how.op, data, await_board(t, i, step, bytes, what), bytes, false);
  else
    fold_boards(t, step, data, {0, bytes}, how, bytes, what);
  t.known = step;
}

void all_reduce_on_boards(team_record& t, std::byte* data, std::size_t bytes, const array_fold& how) {
  const char* what = name_of(collective::all_reduce);
  const std::uint64_t step = post_on_board(t, data, bytes, what);
  if (t.size <= 2 || bytes < parts_from) {
    fold_boards(t, step, data, {0, bytes}, how, bytes, what);
    t.known = step;
    return;
  }
  const part mine = part_of(bytes, how.element, t.rank, t.size);
  fold_boards(t, step, data + mine.at, mine, how, bytes, what);
  t.known = step;
  const std::uint64_t second = post_on_board(t, data + mine.at, mine.bytes, what);
  for (std::uint32_t i = 0; i < t.size; ++i) {
    const part theirs = part_of(bytes, how.element, i, t.size);
    if (i != t.rank) move_bytes(data + theirs.at, await_board(t, i, second, theirs.bytes, what), theirs.bytes);
  }
  t.known = second;
}

// Folds what comes from the members into this one's array, in their order: `transfer` gives the pieces of one place in that
// order.
class folding {
 public:
  folding(team_record& t, std::byte* mine, std::size_t bytes, const array_fold& how)
      : me_(t.rank), mine_(mine), bytes_(bytes), how_(how) {
    if (me_ > 1) before_ = make_aligned_bytes(bytes);
  }
  std::size_t bytes() const { return bytes_; }

  static void take(void* self, std::uint32_t member, std::uint64_t at, const std::byte* from, std::uint64_t bytes) {
    static_cast<folding*>(self)->fold(member, at, from, bytes);
  }

 private:
  void fold(std::uint32_t member, std::uint64_t at, const std::byte* from, std::uint64_t bytes) {
    if (member > me_) return how_.fold(how_.op, mine_ + at, from, bytes, false);
    if (me_ == 1) return how_.fold(how_.op, mine_ + at, from, bytes, true);
    if (member == 0)
      std::memcpy(before_.get() + at, from, bytes);
    else
      how_.fold(how_.op, before_.get() + at, from, bytes, false);
    if (member + 1 == me_) how_.fold(how_.op, mine_ + at, before_.get() + at, bytes, true);
  }

  std::uint32_t me_;
  std::byte* mine_;
  std::size_t bytes_;
  const array_fold& how_;
  aligned_bytes before_;  // the fold of the members before this one
};

void fold_all(member_transfer& moves, const team_record& t, folding& into) {
  for (std::uint32_t i = 0; i < t.size; ++i)
    if (i != t.rank) moves.fold(i, folding::take, &into, into.bytes());
}

void reduce_by_transfer(team_record& t, std::byte* data, std::size_t bytes, const array_fold& how, std::uint32_t root) {
  member_transfer moves(t, collective::reduce);
  moves.in_pieces_of(how.element);
  folding into(t, data, t.rank == root ? bytes : 0, how);
  if (t.rank == root)
    fold_all(moves, t, into);
  else
    moves.send(root, data, bytes);
  moves.run();
}

void all_reduce_by_transfers(team_record& t, std::byte* data, std::size_t bytes, const array_fold& how) {
  const part mine = part_of(bytes, how.element, t.rank, t.size);
  folding into(t, data + mine.at, mine.bytes, how);
  {
    member_transfer moves(t, collective::all_reduce);
    moves.in_pieces_of(how.element);
    for (std::uint32_t k = 1; k < t.size; ++k) {
      const std::uint32_t i = (t.rank + k) % t.size;
      const part theirs = part_of(bytes, how.element, i, t.size);
      moves.send(i, data + theirs.at, theirs.bytes);
    }
    fold_all(moves, t, into);
    moves.run();
  }
  std::vector<known_place> places;
  for (std::uint32_t i = 0; i < t.size; ++i) {
    const part theirs = part_of(bytes, how.element, i, t.size);
    places.push_back({data + theirs.at, theirs.bytes});
  }
  member_transfer moves(t, collective::all_reduce);
  moves.send_to_others(data + mine.at, mine.bytes);
  for (std::uint32_t i = 0; i < t.size; ++i)
    if (i != t.rank) moves.receive(i, known_place::find, &places[i]);
  moves.run();
}

// Elements that are longer than a line do not come apart where pieces do: all arrays whole, then the fold.
void reduce_whole(team_record& t, collective kind, std::byte* data, std::size_t bytes, const array_fold& how,
                  std::uint32_t root) {
  const bool all = kind == collective::all_reduce, takes = all || t.rank == root;
  const aligned_bytes memory = make_aligned_bytes(takes ? bytes * t.size : 0);
  std::vector<known_place> places;
  for (std::uint32_t i = 0; i < t.size; ++i) places.push_back({memory.get() + (takes ? i * bytes : 0), bytes});
  member_transfer moves(t, kind);
  if (all)
    moves.send_to_others(data, bytes);
  else if (!takes)
    moves.send(root, data, bytes);
  for (std::uint32_t i = 0; takes && i < t.size; ++i)
    if (i != t.rank) moves.receive(i, known_place::find, &places[i]);
  moves.run();
  if (!takes) return;
  move_bytes(places[t.rank].to, data, bytes);
  move_bytes(data, places[0].to, bytes);
  for (std::uint32_t i = 1; i < t.size; ++i) how.fold(how.op, data, places[i].to, bytes, false);
}

// Between many hosts, unless the order of the operands is to be kept to the letter.
bool by_pairs(const team_record& t, std::size_t bytes, const array_fold& how) { return t.by_pairs(bytes) && !how.in_order; }

void require_room(const team_record* t, collective kind, std::size_t bytes, std::size_t all_bytes, rank_t root = 0) {
  if (t == nullptr || all_bytes == bytes * t->size) return;
  throw_arguments(t, kind, root,
                  fmt::format("{} bytes go out and room for {} is there; it must be {} times as much, the size of the team",
                              bytes, all_bytes, t->size));
}

void require_parts_of(const team_record* t, collective kind, std::size_t all_bytes, std::size_t bytes, rank_t root = 0) {
  if (t == nullptr || all_bytes == bytes * t->size) return;
  throw_arguments(t, kind, root,
                  fmt::format("{} bytes are there for parts of {} bytes; there must be {} parts, the size of the team", all_bytes,
                              bytes, t->size));
}

bool is_member(const team_record* t, rank_t number) { return t != nullptr && t->rank == std::uint32_t(number); }

// Part i of `all` to member i.
void send_parts(member_transfer& moves, const team_record& t, const std::byte* all, std::size_t bytes) {
  for (std::uint32_t k = 1; k < t.size; ++k) {
    const std::uint32_t i = (t.rank + k) % t.size;
    moves.send(i, all + i * bytes, bytes);
  }
}

bool overlap(const std::byte* a, std::size_t a_bytes, const std::byte* b, std::size_t b_bytes) {
  const std::less<> before;  // also of parts of different arrays
  return before(a, b + b_bytes) && before(b, a + a_bytes);
}

// Elements that do not come apart where pieces do: all parts whole, then the fold.
void reduce_scatter_whole(team_record& t, const std::byte* all, std::byte* mine, std::size_t bytes, const array_fold& how) {
  const aligned_bytes memory = make_aligned_bytes(bytes * t.size);
  std::vector<known_place> places;
  for (std::uint32_t i = 0; i < t.size; ++i) places.push_back({memory.get() + i * bytes, bytes});
  member_transfer moves(t, collective::reduce_scatter);
  send_parts(moves, t, all, bytes);
  for (std::uint32_t i = 0; i < t.size; ++i)
    if (i != t.rank) moves.receive(i, known_place::find, &places[i]);
  moves.run();
  move_bytes(places[t.rank].to, all + t.rank * bytes, bytes);
  move_bytes(mine, places[0].to, bytes);
  for (std::uint32_t i = 1; i < t.size; ++i) how.fold(how.op, mine, places[i].to, bytes, false);
}

}  // namespace

void reduce_array(team_record* team, std::byte* data, std::size_t bytes, type_mark type, const array_fold& how, rank_t root) {
  team_record& t = enter_arrays(team, {collective::reduce, root, bytes, type.in(type_form::array)});
  if (t.size == 1 || bytes == 0) return;
  if (by_pairs(t, bytes, how)) return reduce_by_pairs(t, data, bytes, how, std::uint32_t(root));
  if (on_board(t, bytes)) return reduce_on_boards(t, data, bytes, how, std::uint32_t(root));
  if (!can_be_split(how)) return reduce_whole(t, collective::reduce, data, bytes, how, std::uint32_t(root));
  reduce_by_transfer(t, data, bytes, how, std::uint32_t(root));
}

void all_reduce_array(team_record* team, std::byte* data, std::size_t bytes, type_mark type, const array_fold& how) {
  team_record& t = enter_arrays(team, {collective::all_reduce, 0, bytes, type.in(type_form::array)});
  if (t.size == 1 || bytes == 0) return;
  if (by_pairs(t, bytes, how)) return all_reduce_by_pairs(t, data, bytes, how);
  if (on_board(t, bytes)) return all_reduce_on_boards(t, data, bytes, how);
  if (!can_be_split(how)) return reduce_whole(t, collective::all_reduce, data, bytes, how, 0);
  all_reduce_by_transfers(t, data, bytes, how);
}

void gather_array(team_record* team, const std::byte* mine, std::size_t bytes, std::byte* all, std::size_t all_bytes,
                  type_mark type, rank_t root) {
  const bool is_root = is_member(team, root);
  if (is_root) require_room(team, collective::gather, bytes, all_bytes, root);
  team_record& t = enter_arrays(team, {collective::gather, root, bytes, type.in(type_form::array)});
  const char* what = name_of(collective::gather);
  if (t.by_pairs(0) && bytes <= longest_by_pairs && bytes != 0)
    return gather_by_pairs(t, mine, bytes, is_root ? all : nullptr, std::uint32_t(root));
  if (on_board(t, bytes)) {
    const std::uint64_t step = post_on_board(t, mine, bytes, what);
    if (is_root) move_bytes(all + t.rank * bytes, mine, bytes);  // first: it may lie where another part goes
    for (std::uint32_t i = 0; is_root && i < t.size; ++i)
      if (i != t.rank) move_bytes(all + i * bytes, await_board(t, i, step, bytes, what), bytes);
    return;
  }
  std::vector<known_place> places;
  for (std::uint32_t i = 0; i < t.size; ++i) places.push_back({is_root ? all + i * bytes : nullptr, bytes});
  member_transfer moves(t, collective::gather);
  if (is_root) move_bytes(all + t.rank * bytes, mine, bytes);
  for (std::uint32_t i = 0; is_root && i < t.size; ++i)
    if (i != t.rank) moves.receive(i, known_place::find, &places[i]);
  if (!is_root) moves.send(std::uint32_t(root), mine, bytes);
  moves.run();
}

void all_gather_array(team_record* team, const std::byte* mine, std::size_t bytes, std::byte* all, std::size_t all_bytes,
                      type_mark type) {
  require_room(team, collective::all_gather, bytes, all_bytes);
  team_record& t = enter_arrays(team, {collective::all_gather, 0, bytes, type.in(type_form::array)});
  const char* what = name_of(collective::all_gather);
  if (t.by_pairs(0) && bytes != 0 && bytes < longest_block_by_pairs(t)) return all_gather_by_pairs(t, mine, bytes, all);
  if (on_board(t, bytes)) {
    const std::uint64_t step = post_on_board(t, mine, bytes, what);
    move_bytes(all + t.rank * bytes, mine, bytes);  // first: it may lie where another part goes
    for (std::uint32_t i = 0; i < t.size; ++i)
      if (i != t.rank) move_bytes(all + i * bytes, await_board(t, i, step, bytes, what), bytes);
    t.known = step;
    return;
  }
  std::vector<known_place> places;
  for (std::uint32_t i = 0; i < t.size; ++i) places.push_back({all + i * bytes, bytes});
  member_transfer moves(t, collective::all_gather);
  move_bytes(all + t.rank * bytes, mine, bytes);
  moves.send_to_others(all + t.rank * bytes, bytes);
  for (std::uint32_t i = 0; i < t.size; ++i)
    if (i != t.rank) moves.receive(i, known_place::find, &places[i]);
  moves.run();
}

void scatter_array(team_record* team, const std::byte* all, std::size_t all_bytes, std::byte* mine, std::size_t bytes,
                   type_mark type, rank_t root) {
  const bool is_root = is_member(team, root);
  if (is_root) require_parts_of(team, collective::scatter, all_bytes, bytes, root);
  team_record& t = enter_arrays(team, {collective::scatter, root, bytes, type.in(type_form::array)});
  const char* what = name_of(collective::scatter);
  if (t.by_pairs(0) && bytes <= longest_by_pairs && bytes != 0) return scatter_by_pairs(t, all, bytes, mine, std::uint32_t(root));
  // The root's own part comes last: `mine` may lie in the part of another member.
  if (const std::size_t whole = bytes * t.size; on_board(t, whole)) {
    const std::uint64_t step = is_root ? post_on_board(t, all, whole, what) : post(t, nullptr, 0, what);
    const std::byte* const from = is_root ? all : await_board(t, std::uint32_t(root), step, whole, what);
    return move_bytes(mine, from + t.rank * bytes, bytes);
  }
  known_place place{mine, bytes};
  member_transfer moves(t, collective::scatter);
  for (std::uint32_t i = 0; is_root && i < t.size; ++i)
    if (i != t.rank) moves.send(i, all + i * bytes, bytes);
  if (!is_root) moves.receive(std::uint32_t(root), known_place::find, &place);
  moves.run();
  if (is_root) move_bytes(mine, all + t.rank * bytes, bytes);
}

void reduce_scatter_array(team_record* team, const std::byte* all, std::size_t all_bytes, std::byte* mine, std::size_t bytes,
                          type_mark type, const array_fold& how) {
  require_parts_of(team, collective::reduce_scatter, all_bytes, bytes);
  team_record& t = enter_arrays(team, {collective::reduce_scatter, 0, bytes, type.in(type_form::array)});
  const char* what = name_of(collective::reduce_scatter);
  if (on_board(t, all_bytes)) {
    const std::uint64_t step = post_on_board(t, all, all_bytes, what);
    fold_boards(t, step, mine, {t.rank * bytes, bytes}, how, all_bytes, what);
    t.known = step;
    return;
  }
  if (!can_be_split(how)) return reduce_scatter_whole(t, all, mine, bytes, how);
  member_transfer moves(t, collective::reduce_scatter);
  moves.in_pieces_of(how.element);
  const std::byte* own = all + t.rank * bytes;
  aligned_bytes apart;  // where the output lies in parts of the input, which others read meanwhile
  if (mine != own && overlap(mine, bytes, all, all_bytes)) apart = make_aligned_bytes(bytes);
  std::byte* const to = apart ? apart.get() : mine;
  move_bytes(to, own, bytes);
  folding into(t, to, bytes, how);
  send_parts(moves, t, all, bytes);
  fold_all(moves, t, into);
  moves.run();
  move_bytes(mine, to, bytes);
}

all_gather_parts::all_gather_parts(team_record* team, const std::byte* mine, std::size_t bytes, std::span<std::size_t> counts,
                                   std::size_t element, type_mark type)
    : t_(team), mine_(mine), bytes_(bytes), counts_(counts), element_(element) {
  require_one_each(team, collective::all_gather_v, counts.size());
  team_record& t = enter_arrays(team, {collective::all_gather_v, 0, 0, type.in(type_form::list)});
  const char* what = name_of(collective::all_gather_v);
  step_ = post_on_board(t, mine, bytes, what);
  for (std::uint32_t i = 0; i < t.size; ++i) {
    counts[i] = std::size_t(await_size(t, i, step_, what)) / element;
    total_ += counts[i];
  }
  t.known = step_;
  part_.emplace(t);
}

void all_gather_parts::run(std::byte* all) {
  team_record& t = *t_;
  member_transfer moves(t, collective::all_gather_v);
  if (bytes_ > most_on_board) moves.send_to_others(mine_, bytes_);
  std::vector<known_place> places(t.size);
  for (std::uint32_t i = 0; i < t.size; ++i) {
    const std::size_t bytes = counts_[i] * element_;
    places[i] = {all, bytes};
    if (i == t.rank)
      move_bytes(all, mine_, bytes);
    else if (bytes <= most_on_board)
      move_bytes(all, board_of(t, i, step_, bytes), bytes);
    else
      moves.receive(i, known_place::find, &places[i]);
    all += bytes;
  }
  if (std::ranges::any_of(places, [](const known_place& p) { return p.bytes > most_on_board; })) moves.run();
  part_->end();
}

}  // namespace armilla::detail
