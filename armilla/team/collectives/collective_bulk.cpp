// SPDX-License-Identifier: Apache-2.0
#include "armilla/team/collectives/collective_bulk.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "armilla/base/values/extents.hpp"
#include "armilla/error.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/team/collectives/groups.hpp"
#include "armilla/team/collectives/packet.hpp"
#include "armilla/team/core/member_transfer.hpp"
#include "armilla/team/core/replicate.hpp"
#include "armilla/team/core/team_state.hpp"

namespace armilla::detail {
namespace {

// Where parts land, and the first that has another length than expected: it is read and dropped, so that all stay in step.
struct parts {
  std::byte* to;
  std::uint64_t bytes;
  std::int64_t wrong = -1;
  std::uint64_t wrong_bytes = 0;

  static std::byte* place(void* self, std::uint32_t member, std::uint64_t bytes) {
    parts& p = *static_cast<parts*>(self);
    if (bytes == p.bytes) return p.to + member * p.bytes;
    if (p.wrong < 0) p.wrong = member, p.wrong_bytes = bytes;
    return nullptr;
  }
};

// What comes from one member.
struct piece {
  std::byte* to;
  std::uint64_t bytes;
  bool wrong = false;

  static std::byte* place(void* self, std::uint32_t, std::uint64_t bytes) {
    piece& p = *static_cast<piece*>(self);
    p.wrong = bytes != p.bytes;
    return p.wrong ? nullptr : p.to;
  }
};

// The parts of each member for all members, in one line.
void all_to_all_lines(team_record& t, const std::byte* in, std::byte* out, std::size_t part, const char* what) {
  const std::uint64_t step = post(t, in, part * t.size, what);
  for (std::uint32_t i = 0; i < t.size; ++i) move_bytes(out + i * part, await_post(t, i, step, what) + t.rank * part, part);
  t.known = step;
}

// Short parts: a few lines for each peer, each with its own flag, so that all lines of a part fly at once. Two sets are enough:
// a peer that posts exchange n + 1 has finished with n.
class short_exchange {
 public:
  short_exchange(team_record& t, std::size_t part, const char* what) : t_(t), part_(part), what_(what) {}

  static std::size_t longest(const team_record& t) { return t.owner->layout.exchange_lines() * flag_line::payload_bytes; }

  void post(std::uint32_t member, const std::byte* data) {
    exchange_state& e = with(member);
    const std::uint64_t number = ++e.count;
    flag_line* line = e.mine + set(number);
    const rank_t to = t_.members[member];
    const bool far = t_.self->host->far[std::size_t(to)];
    for (std::size_t at = 0; at < part_; at += flag_line::payload_bytes, ++line) {
      copy_line(line->payload, data + at, part_ - at);
      line->step.store(t_.sign | number, std::memory_order_release);  // pairs with the acquire in await_step
      if (far) [[unlikely]]
        replicate(*t_.self, to, line, sizeof *line);
    }
    if (!far) t_.self->out->notify(to);
  }

  void await(std::uint32_t member, std::byte* data) {
    const exchange_state& e = with(member);
    const flag_line* line = e.theirs + set(e.count);
    for (std::size_t at = 0; at < part_; at += flag_line::payload_bytes, ++line) {
      await_step(t_, line->step, e.count, what_);
      copy_line(data + at, line->payload, part_ - at);
    }
  }

 private:
  // Numbers begin beyond those of teams that had the slot before: lines that they left, or that are on their way still, are
  // lower.
  exchange_state& with(std::uint32_t member) {
    exchange_state& e = t_.owner->area(t_.slot).exchange[std::size_t(t_.members[member])];
    e.count = std::max(e.count, t_.first_step);
    return e;
  }
  std::size_t set(std::uint64_t number) const { return number % 2 * t_.owner->layout.exchange_lines(); }
  static void copy_line(std::byte* to, const std::byte* from, std::size_t left) {
    if (left >= flag_line::payload_bytes) [[likely]]
      std::memcpy(to, from, flag_line::payload_bytes);
    else
      std::memcpy(to, from, left);
  }

  team_record& t_;
  std::size_t part_;
  const char* what_;
};

void all_to_all_short(team_record& t, const std::byte* in, std::byte* out, std::size_t part, const char* what) {
  short_exchange moves(t, part, what);
  for (std::uint32_t k = 1; k < t.size; ++k) {
    const std::uint32_t i = (t.rank + k) % t.size;
    moves.post(i, in + i * part);
  }
  move_bytes(out + t.rank * part, in + t.rank * part, part);
  for (std::uint32_t k = 1; k < t.size; ++k) {
    const std::uint32_t i = (t.rank + t.size - k) % t.size;
    moves.await(i, out + i * part);
  }
}

void all_to_all_parts(team_record& t, const std::byte* in, std::byte* out, std::size_t part, collective kind) {
  member_transfer moves(t, kind);
  parts places{out, part};
  for (std::uint32_t k = 1; k < t.size; ++k) {
    const std::uint32_t i = (t.rank + k) % t.size;
    moves.send(i, in + i * part, part);
    moves.receive((t.rank + t.size - k) % t.size, parts::place, &places);
  }
  moves.run();
  move_bytes(out + t.rank * part, in + t.rank * part, part);
  if (places.wrong >= 0) throw_other_length(name_of(kind), t.members[std::size_t(places.wrong)], places.wrong_bytes, part);
}

void exchange_parts(team_record& t, collective kind, const std::byte* in, std::byte* out, std::size_t part) {
  if (t.by_pairs(0) && part <= longest_by_pairs && part != 0) return all_to_all_by_pairs(t, kind, in, out, part);
  if (part * t.size <= flag_line::payload_bytes) return all_to_all_lines(t, in, out, part, name_of(kind));
  if (part <= short_exchange::longest(t)) return all_to_all_short(t, in, out, part, name_of(kind));
  all_to_all_parts(t, in, out, part, kind);
}

void require_parts(const team_record* t, std::size_t in_bytes, std::size_t out_bytes, std::size_t element) {
  if (t == nullptr || (in_bytes == out_bytes && in_bytes / element % t->size == 0)) return;
  throw_arguments(
      t, collective::all_to_all, 0,
      fmt::format("{} elements go out and room for {} is there; both must be the same multiple of the team's size, {}",
                  in_bytes / element, out_bytes / element, t->size));
}

}  // namespace

void broadcast_bytes(team_record* team, std::byte* data, std::size_t bytes, type_mark type, rank_t root) {
  ++enter(team, {collective::broadcast, root, bytes, type}).count->collectives;
  team_record& t = *team;
  const char* what = name_of(collective::broadcast);
  const bool is_root = t.rank == std::uint32_t(root);
  if (t.by_pairs(bytes) && bytes != 0) return broadcast_by_pairs(t, collective::broadcast, data, bytes, std::uint32_t(root));
  if (bytes <= flag_line::payload_bytes) {
    const std::uint64_t step = post(t, data, is_root ? bytes : 0, what);
    if (!is_root) move_bytes(data, await_post(t, std::uint32_t(root), step, what), bytes);
    return;
  }
  member_transfer moves(t, collective::broadcast);
  piece all{data, bytes};
  if (is_root)
    moves.send_to_others(data, bytes);
  else
    moves.receive(std::uint32_t(root), piece::place, &all);
  moves.run();
  if (all.wrong)
    throw_usage(what, fmt::format("the root's data are not {} bytes long; all members must give the same length", bytes));
}

void all_to_all_bytes(team_record* team, const std::byte* in, std::size_t in_bytes, std::byte* out, std::size_t out_bytes,
                      std::size_t element, type_mark type) {
  const collective kind = collective::all_to_all;
  require_parts(team, in_bytes, out_bytes, element);
  ++enter(team, {kind, 0, in_bytes, type}).count->collectives;
  team_record& t = *team;
  exchange_parts(t, kind, in, out, in_bytes / t.size);
}

void all_to_all_each(team_record* team, collective kind, const std::byte* in, std::byte* out, std::size_t values,
                     std::size_t element, type_mark type) {
  require_one_each(team, kind, values);
  ++enter(team, {kind, 0, element, type}).count->collectives;
  exchange_parts(*team, kind, in, out, element);
}

void throw_arguments(const team_record* t, collective kind, rank_t root, const std::string& text) {
  require_entry(t, kind, root);  // what else is wrong comes first
  note_refusal(t, {kind, root});
  throw_usage(name_of(kind), text);
}

void refuse_operation(const team_record* t, collective kind, rank_t root) {
  require_entry(t, kind, root);
  note_refusal(t, {kind, root});
  throw_no_function(name_of(kind));
}

void require_one_each(const team_record* t, collective kind, std::size_t size, rank_t root) {
  if (t == nullptr || size == t->size) return;
  throw_arguments(t, kind, root, fmt::format("{} values for a team of {}; give one for each member, by number", size, t->size));
}

flat_all_to_all_v::flat_all_to_all_v(team_record* team, std::size_t in_size, std::span<const std::size_t> in_counts,
                                     std::span<std::size_t> out_counts, std::size_t element, type_mark type)
    : t_(team), in_counts_(in_counts), out_counts_(out_counts), element_(element) {
  const collective kind = collective::all_to_all_v;
  require_one_each(team, kind, in_counts.size());
  require_one_each(team, kind, out_counts.size());
  const std::size_t sum = std::accumulate(in_counts.begin(), in_counts.end(), std::uint64_t{0}, &bounded_sum);
  if (sum != in_size)
    throw_arguments(team, kind, 0, fmt::format("the counts add up to {}, but there are {} elements", sum, in_size));
  ++enter(team, {kind, 0, 0, type}).count->collectives;
  team_record& t = *team;
  const auto* counts = reinterpret_cast<const std::byte*>(in_counts.data());
  auto* theirs = reinterpret_cast<std::byte*>(out_counts.data());
  if (t.by_pairs(0))
    all_to_all_by_pairs(t, kind, counts, theirs, sizeof(std::size_t));
  else if (in_counts.size_bytes() <= flag_line::payload_bytes)
    all_to_all_lines(t, counts, theirs, sizeof(std::size_t), name_of(kind));
  else if (sizeof(std::size_t) <= short_exchange::longest(t))
    all_to_all_short(t, counts, theirs, sizeof(std::size_t), name_of(kind));
  else
    all_to_all_parts(t, counts, theirs, sizeof(std::size_t), kind);
  for (const std::size_t n : out_counts) total_ += n;
  part_.emplace(t);
}

void flat_all_to_all_v::run(const std::byte* in, std::byte* out) {
  member_transfer moves(*t_, collective::all_to_all_v);
  std::vector<piece> pieces;
  for (const std::size_t n : out_counts_) {
    pieces.push_back({out, n * element_});
    out += n * element_;
  }
  for (std::uint32_t i = 0; i < t_->size; ++i) {
    const std::size_t bytes = in_counts_[i] * element_;
    if (i == t_->rank) {
      move_bytes(pieces[i].to, in, bytes);
    } else {
      moves.send(i, in, bytes);
      moves.receive(i, piece::place, &pieces[i]);
    }
    in += bytes;
  }
  moves.run();
  part_->end();
}

void throw_other_length(const char* what, rank_t from, std::uint64_t bytes, std::uint64_t expected) {
  throw_usage(
      what,
      fmt::format("rank {} sent {} bytes where this rank expects {} (or a multiple); all members must call it with the same "
                  "type and length",
                  from, bytes, expected));
}

}  // namespace armilla::detail
