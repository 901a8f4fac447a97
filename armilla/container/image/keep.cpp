// SPDX-License-Identifier: Apache-2.0
#include "armilla/container/image/keep.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "armilla/base/core/options.hpp"
#include "armilla/error.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/team/collectives/named_algorithm.hpp"
#include "armilla/team/membership/survivors.hpp"

namespace armilla::detail {
namespace {

constexpr std::uint64_t aligned(std::uint64_t bytes) noexcept { return (bytes + 63) / 64 * 64; }

bool shares_memory(const team& t) { return members_a_host(t) == t.size(); }

// First those that lead to other hosts, then by nearness: 0, w, 2w ..., 1, 2 ... where a host has w members.
std::vector<rank_t> distances(const team& t) {
  const rank_t w = members_a_host(t);
  std::vector<rank_t> all;
  for (rank_t d = 0; d < t.size(); d += w) all.push_back(d);
  for (rank_t d = 1; d < t.size(); ++d)
    if (d % w != 0) all.push_back(d);
  return all;
}

/// What each member shows of a checkpoint.
struct shown {
  std::uint64_t bytes, mark, vote;
};

}  // namespace

rank_t require_copies(const team& members, int copies) {
  if (!members) throw_usage("keep", "the container has been moved from, and has no ranks; keep the one that it was moved to");
  if (copies < 1) throw_usage("keep", fmt::format("{} copies; give 1 or more (a team of n ranks makes at most n - 1)", copies));
  return std::max<rank_t>(1, std::min<rank_t>(copies, members.size() - 1));
}

kept_parts::kept_parts(const team& members, int copies)
    : members_(members),
      first_(shares_memory(members) && !memory_of_lost_goes() ? 1 : 0),
      copies_(require_copies(members, copies)),
      wish_(copies),
      distance_(distances(members)) {
  for (rank_t m = 0; m < members.size(); ++m) lives_.push_back(life_now(members.world_rank(m)));
}

bool kept_parts::fits(const generation& g, const std::vector<std::uint64_t>& bytes) noexcept {
  return g.room.size() == bytes.size() && std::ranges::equal(bytes, g.room, [](auto need, auto room) { return need <= room; });
}

void kept_parts::make_room(generation& g, const std::vector<std::uint64_t>& bytes) {
  const bool again = !g.room.empty();  // it grows
  const std::vector<std::uint64_t> before = std::exchange(g.room, {});
  g.blocks = {};
  std::vector<std::uint64_t> room(bytes.size());
  std::uint64_t what = std::uint64_t(copies_);
  for (std::size_t m = 0; m < bytes.size(); ++m) {
    const bool larger = again && bytes[m] > before[m];
    room[m] = aligned(larger ? bytes[m] + bytes[m] / 2 : again ? before[m] : bytes[m]);
    what = (what ^ room[m]) * 0x9e3779b97f4a7c15ULL;
  }
  g.room = room;
  const std::uint64_t mine = offset(g, members_.rank(), copies_ + 1);
  g.room.clear();
  g.blocks = block_storage::make(members_, mine, 64, {what}, unfilled());
  g.room = std::move(room);
}

std::uint64_t kept_parts::offset(const generation& g, rank_t holder, rank_t k) const noexcept {
  const rank_t n = members_.size();
  std::uint64_t at = 0;
  for (rank_t j = first_; j < k; ++j) at += g.room[std::size_t((holder + n - distance(j)) % n)];
  return at;
}

global_address kept_parts::copy(const generation& g, rank_t owner, rank_t k) const {
  const rank_t there = holder(owner, k);
  return g.blocks.at(there).plus(std::int64_t(offset(g, there, k)));
}

void kept_parts::write(const void* part, std::uint64_t bytes, std::uint64_t mark, std::shared_ptr<const void> shape,
                       failure& why) {
  std::vector<shown> all;
  {
    const meeting here(members_);
    all = members_.all_gather(shown{bytes, mark, vote_of(members_, why)});
  }
  std::uint64_t loser = no_loser;
  std::vector<std::uint64_t> sizes;
  for (const shown& each : all) {
    loser = std::min(loser, each.vote);
    sizes.push_back(each.bytes);
  }
  if (loser != no_loser) throw_failure_of(members_, "checkpoint", loser, why);
  for (std::size_t m = 0; m < all.size(); ++m)
    if (all[m].mark != all[0].mark)
      throw_usage(algorithm_here("checkpoint"),
                  fmt::format("mark {} on rank {} and {} on rank {}; all members give the same", all[0].mark,
                              members_.world_rank(0), all[m].mark, members_.world_rank(rank_t(m))));
  generation& g = of_[(whole_ + 1) % 2];
  g.number = 0;
  if (!fits(g, sizes)) make_room(g, sizes);
  g.bytes = std::move(sizes);
  g.mark = mark;
  g.shape = std::move(shape);
  g.number = whole_ + 1;
  if (bytes == 0) return;
  remote_copies copies;
  for (rank_t k = first_; k <= copies_; ++k) {
    const rank_t to = holder(members_.rank(), k);
    require_same_life(members_.world_rank(to), lives_[std::size_t(to)], "checkpoint");
    copies.write(copy(g, members_.rank(), k), part, bytes);
  }
  copies.finish();
}

kept_part kept_parts::kept_of(const generation& g, rank_t owner, const team& t) const {
  const auto is_left = [&](rank_t member) { return t.rank_of(members_.world_rank(member)) >= 0; };
  const std::uint64_t bytes = g.bytes[std::size_t(owner)];
  const auto kept_by = [&](rank_t member, rank_t k) { return kept_part(copy(g, owner, k), bytes, lives_[std::size_t(member)]); };
  for (rank_t k = first_; k <= copies_; ++k)
    if (const rank_t there = holder(owner, k); is_left(there)) return kept_by(there, k);
  return is_left(owner) && first_ == 1 ? kept_by(holder(owner, 1), 1) : kept_part();
}

found_checkpoint kept_parts::newest(const team& t) const {
  struct seen {
    std::uint64_t whole, least, most;
  };
  const auto [number, least, most] = t.all_reduce(seen{whole_, members_.id(), members_.id()}, [](const seen& a, const seen& b) {
    return seen{std::max(a.whole, b.whole), std::min(a.least, b.least), std::max(a.most, b.most)};
  });
  if (number == 0)
    throw_usage(algorithm_here("recover"),
                "no checkpoint of the container was whole before a rank was lost; make it anew, or call checkpoint() "
                "behind keep(), before there is something to lose");
  if (least != most)
    throw_usage(algorithm_here("recover"),
                "some ranks recover another container than others; all take what an earlier recover gave before they do anything "
                "that may meet a loss: x = std::move(x.recover(t).container)");
  const generation& g = of_[number % 2];
  if (g.number != number)
    throw_usage(algorithm_here("recover"),
                "the ranks that are left have made different checkpoints of the container; all members call checkpoint");
  found_checkpoint found{g.mark, g.shape, {}, g.bytes};
  for (rank_t m = 0; m < members_.size(); ++m) found.parts.push_back(kept_of(g, m, t));
  return found;
}

void require_recoverable(const team& t, const team& old) {
  const context& c = here("recover");
  if (!old)
    throw_usage(algorithm_here("recover"),
                "the container has been moved from, and has no ranks; recover the one that it was moved to");
  if (c.settings->on_loss == loss_use::end)
    throw_usage(algorithm_here("recover"),
                "this job ends with the first rank that is lost; start it with ARMILLA_ON_LOSS=continue, or write files by "
                "save(path), and load(path) them in another job");
  if (!is_left_of(t, old))
    throw_usage(
        algorithm_here("recover"),
        "the team does not hold those that are left of the container's; give x.members().survivors(), or survivors() of a "
        "team that this gave");
}

kept_parts& require_kept(const std::unique_ptr<kept_parts>& kept, const team& members, const char* operation) {
  if (kept == nullptr)
    throw_usage(operation, "no copies of the container are kept; call x.keep(1) on all members when it is made");
  if (kept->members() != members)
    throw_usage(operation, "the container lies on another team than when keep was called; call keep again");
  return *kept;
}

void throw_damaged_copy() {
  throw_usage(algorithm_here("recover"),
              "a copy of a part is not what was written: memory of a rank was written over; recover an earlier state "
              "from a file (load)");
}

bool must_follow(const team& t, std::uint64_t times, bool can) {
  struct range {
    std::uint64_t most, least_reached;
  };
  const range all = t.all_reduce(range{times, can ? times + 1 : times}, [](const range& a, const range& b) {
    return range{std::max(a.most, b.most), std::min(a.least_reached, b.least_reached)};
  });
  if (all.least_reached < all.most)
    throw_usage(algorithm_here("recover"),
                "some ranks recover another container than others; all take what an earlier recover gave before they do anything "
                "that may meet a loss: x = std::move(x.recover(t).container)");
  return times < all.most;
}

void require_alike(const team& t, std::uint64_t mark) {
  struct marks {
    std::uint64_t least, most;
  };
  const marks all = t.all_reduce(marks{mark, mark}, [](const marks& a, const marks& b) {
    return marks{std::min(a.least, b.least), std::max(a.most, b.most)};
  });
  if (all.least != all.most)
    throw_usage(algorithm_here("recover"),
                "a rank was lost while the elements were moved (resize, redistribute, growth), so that ranks hold the "
                "container differently now; recover it from a checkpoint");
}

void require_memory_stays(const team& members) {
  if (members && !shares_memory(members))
    throw_usage(
        algorithm_here("recover"),
        "the container has members that do not share this rank's memory, and memory of a lost rank can be read on its own "
        "host only; recover a checkpoint: keep(1), checkpoint(), recover(t) without am::raw");
  if (here("recover").host->job().takes_new_ranks())
    throw_usage(algorithm_here("recover"),
                "the memory of a lost rank is cleared for the one that comes into its place (ARMILLA_ON_LOSS=replace, "
                "ARMILLA_MAX_RANKS); recover a checkpoint: keep(1), checkpoint(), recover(t) without am::raw");
}

std::vector<kept_part> present_parts(const block_storage& blocks, const team& members) {
  std::vector<kept_part> parts;
  for (rank_t m = 0; m < members.size(); ++m) parts.emplace_back(blocks.at(m), 0, life_now(members.world_rank(m)));
  return parts;
}

std::uint64_t mark_of_blocks(const block_storage& blocks, const team& members, std::uint64_t mark) noexcept {
  std::uint64_t hash = mark ^ members.id();
  for (rank_t m = 0; m < members.size(); ++m) hash = (hash ^ blocks.at(m).offset) * 0x9e3779b97f4a7c15ULL;
  return hash;
}

}  // namespace armilla::detail
