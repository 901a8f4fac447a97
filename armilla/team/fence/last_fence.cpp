// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "armilla/am/endpoint/endpoint.hpp"
#include "armilla/base/values/clock.hpp"
#include "armilla/error.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/fence.hpp"
#include "armilla/team/core/team_state.hpp"
#include "armilla/team/fence/run_fence.hpp"
#include "armilla/team/membership/gathered_agreement.hpp"

/// The fences at the end of functions and sessions, among the ranks that are left.
///
/// They are no collectives of a team: the ranks that are left need not know of each other's losses at the same time, and one may
/// be past such a fence when another hears in the middle of it that a rank is lost. So each rank posts on a board of its own
/// which of the last fences it is in, and what it counts in each round of it. All ranks come to these fences in the same order.
///
/// A round is over when each rank that is not lost has posted its counts, and which ranks they are about. The fence is over when
/// all posted are about the same ranks, in this round and the one before, and as much had been processed in the round before
/// as is created now: Mattern's four counters. What a rank posted before it was lost stays there, so all that
/// are left see the same and come to the same end; but one that hears of a loss earlier goes on to another round.
///
/// A rank that has passed a fence says so first. Those that are still in it need not count any more: it was over.
///
/// Where the ranks are on several hosts, armilla-run gathers what they count in a round, and gives all the same: so all come to
/// the same end in the same round.
///
/// New ranks (boot/wire_up/new_rank.hpp) may come until a rank is about to pass the first of these fences. That rank refuses all
/// others first, and waits for one that it may have let in. A new rank is in the fence like all others. It begins in the round of
/// the rank that is furthest. A rank that is behind goes to that round, too, and forgets its counts.
namespace armilla::detail {
namespace {

constexpr const char* what_it_is = "the last fence of the ranks that are left";
constexpr unsigned round_bits = end_board::round_bits;
constexpr std::uint64_t first_round = 2;  // 1: has come, and posted nothing yet
constexpr int rounds_without_nap = 8;
constexpr std::uint64_t last_nap_ns = 1'000'000;

/// Of one round: what this rank posts, or the sums of all.
struct round_counts {
  std::uint64_t ranks_hash = 0;  // a hash of the ranks that are left, in all bits but the lowest
  std::uint64_t created = 0, processed = 0;
  bool busy = false;   // something has not ended
  bool whole = false;  // all ranks that are left have posted theirs, about the same ranks
};

class last_fence {
 public:
  explicit last_fence(context& c) : c_(c), s_(*c.teams), stage_(s_.end_stage) {}

  void run() {
    round_counts before;
    for (std::uint64_t round = first_round;; ++round) {
      settle();
      if (const std::uint64_t furthest = furthest_round(); furthest > round) {
        round = furthest;
        before = {};
      }
      const round_counts sums = s_.left != nullptr ? gather_counts(round) : post_and_add_up(round);
      const bool counts_agree =
          sums.whole && before.whole && sums.ranks_hash == before.ranks_hash && !before.busy && sums.created == before.processed;
      if (passed_) return refuse_new_ranks();
      if (counts_agree && !one_more_has_come()) return;
      before = sums;
      if (round % rounds_without_nap == 0)
        c_.messages->waits.wait_until_deadline([] { return false; }, now_ns() + last_nap_ns, what_it_is);
    }
  }

 private:
  std::uint64_t word_of(std::uint64_t round) const noexcept { return stage_ << round_bits | round; }
  end_board& board(rank_t r) const noexcept { return s_.boards(r, 0).end; }

  // What is open leaves, and what has come is taken in.
  void settle() {
    do {
      settle_participants(s_);
      c_.messages->out.flush();
    } while (c_.messages->waits.poll());
    living_.clear();
    for (rank_t r = 0; r < c_.places; ++r)
      if (!c_.out->is_lost(r)) living_.push_back(r);
  }

  bool busy() const {
    return c_.messages->sums.deferred() != 0 || !c_.messages->out.nothing_to_send() || any_held_back(s_) ||
           (s_.hooks.accesses_done != nullptr && !s_.hooks.accesses_done(c_, nullptr));
  }

  // Of the living, where they are in this fence.
  std::uint64_t furthest_round() const noexcept {
    std::uint64_t furthest = 0;
    for (const rank_t r : living_)
      if (const std::uint64_t word = board(r).word.load(std::memory_order_acquire); word >> round_bits == stage_)
        furthest = std::max(furthest, word & end_board::round_mask);
    return furthest;
  }

  void refuse_new_ranks() {
    if (c_.host->job().takes_new_ranks()) c_.messages->lost.let_no_more_come();
  }
  // That this round has not counted. None comes behind it.
  bool one_more_has_come() {
    refuse_new_ranks();
    for (rank_t r = 0; r < c_.places; ++r)
      if (!c_.out->is_lost(r) && std::ranges::find(living_, r) == living_.end()) return true;
    return false;
  }

  round_counts post_and_add_up(std::uint64_t round) {
    const std::uint64_t ranks_hash = post(round);
    await(round);
    return add_up(round, ranks_hash);
  }

  round_counts count() const {
    round_counts mine;
    for (const rank_t r : living_) {
      mine.created += c_.messages->sums.created_for(r);
      mine.processed += c_.messages->sums.processed_from(r);
      mine.ranks_hash = (mine.ranks_hash ^ std::uint64_t(r + 1)) * 0x9e3779b97f4a7c15u;
    }
    mine.ranks_hash &= ~std::uint64_t{1};
    mine.busy = busy();
    return mine;
  }

  // On several hosts.
  round_counts gather_counts(std::uint64_t round) {
    const round_counts mine = count();
    const gathered all = gather(c_, {gathering_row::kind::end, stage_}, round, s_.world->members,
                                {reinterpret_cast<const char*>(&mine), sizeof mine}, what_it_is);
    passed_ = all.passed;
    round_counts sums{.whole = !all.over};
    for (std::size_t i = 0; i < all.ranks.size(); ++i) {
      const auto one = all.part<round_counts>(i);
      if (i == 0) sums.ranks_hash = one.ranks_hash;
      sums.whole &= one.ranks_hash == sums.ranks_hash;
      sums.created += one.created;
      sums.processed += one.processed;
      sums.busy |= one.busy;
    }
    return sums;
  }

  std::uint64_t post(std::uint64_t round) {
    const round_counts mine = count();
    end_board& at = board(c_.rank);
    end_board::counts& to = at.of[round % 2];
    to.ranks_hash.store(mine.ranks_hash | std::uint64_t(mine.busy), std::memory_order_release);
    to.created.store(mine.created, std::memory_order_release);
    to.processed.store(mine.processed, std::memory_order_release);
    at.word.store(word_of(round), std::memory_order_release);
    for (const rank_t r : living_) c_.out->notify(r);
    return mine.ranks_hash;
  }

  void await(std::uint64_t round) {
    const auto all = [&] {
      for (const rank_t r : living_)
        if (board(r).word.load(std::memory_order_acquire) < word_of(round) && !c_.out->is_lost(r)) return false;
      return true;
    };
    c_.messages->waits.wait_until(all, what_it_is);
  }

  // The word is read once more behind the counts: a rank that has passed posts others.
  round_counts add_up(std::uint64_t round, std::uint64_t ranks_hash) {
    round_counts sums{.ranks_hash = ranks_hash, .whole = true};
    for (const rank_t r : living_) {
      const end_board& at = board(r);
      const end_board::counts& posted = at.of[round % 2];
      const std::uint64_t theirs = posted.ranks_hash.load(std::memory_order_acquire);
      sums.created += posted.created.load(std::memory_order_acquire);
      sums.processed += posted.processed.load(std::memory_order_acquire);
      sums.busy |= (theirs & 1) != 0;
      const std::uint64_t word = at.word.load(std::memory_order_acquire);
      passed_ |= word >> round_bits > stage_;
      sums.whole &= word >= word_of(round) && (theirs & ~std::uint64_t{1}) == ranks_hash;
    }
    return sums;
  }

  context& c_;
  team_state& s_;
  const std::uint64_t stage_;
  std::vector<rank_t> living_;
  bool passed_ = false;
};

// What other ranks caused here and no fence has told. That a body met a lost rank is no news any more.
void tell_errors(context& c) {
  error_record first{};
  if (!c.teams->hooks.take_any_error(c, nullptr, first) || std::string_view(first.type) == "armilla::rank_lost") return;
  throw remote_error(first.rank, "fence", first.type, first.text, first.from);
}

void post_word(context& c, std::uint64_t word) {
  c.teams->boards(c.rank, 0).end.word.store(word, std::memory_order_release);
  c.host->locals().each([&](rank_t r) { c.out->notify(r); });
}

// None has come or been lost. Where none comes any more it is the same on all, or a fence of all ends by a loss.
bool is_as_at_the_start(const context& c) {
  for (rank_t r = 0; r < c.places; ++r)
    if (c.host->job().life(r).number != 0 || (r < c.world_size && c.out->is_lost(r))) return false;
  return true;
}

bool ended_with_all(team_record* team, const intention& what) {
  try {
    run_fence_as(team, what);
  } catch (const rank_lost&) { return false; }
  return true;
}

// One of the fences of `team`, all ranks, with which functions and sessions end. Where ranks go on when one is lost
// (ARMILLA_ON_LOSS=continue), it is one of those that are left, and loses no more than they do.
void end_among_living(team_record* team, const intention& what) {
  context& c = *team->self;
  if (c.host->job().goes_on == 0) return run_fence_as(team, what);
  team_state& s = *c.teams;
  tell_refusals(s, nullptr);
  post_word(c, ++s.end_stage << round_bits | 1);
  if (s.left != nullptr) s.left->tell_ended(s.end_stage);
  const bool open = c.host->job().takes_new_ranks();  // a new rank is in no collective of the others: the boards come first
  if (open) last_fence(c).run();
  if ((open && !is_as_at_the_start(c)) || !ended_with_all(team, what)) {
    if (!open) last_fence(c).run();
    std::exchange(s.retired, {}).clear();
    tell_errors(c);
  }
  post_word(c, (s.end_stage + 1) << round_bits);
  if (s.left == nullptr) return;
  s.left->tell_passed({gathering_row::kind::end, s.end_stage}, ~std::uint64_t{0});
  s.left->tell_ended(0);
}

}  // namespace

void run_ending_fence(context& c) { end_among_living(c.teams->ending, {collective::end}); }

void run_end_fence(ending_of which) { end_among_living(here("fence").teams->world, {collective::end, rank_t(which)}); }

}  // namespace armilla::detail
