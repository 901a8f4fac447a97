// SPDX-License-Identifier: Apache-2.0
#include "armilla/team/core/pattern.hpp"

#include <bit>

#include "armilla/team/core/hypercube.hpp"
#include "armilla/team/core/replicate.hpp"

// Model: tests/models/order/flags.rs
// Model: tests/models/protocols/fence.pml
namespace armilla::detail {
namespace {

constexpr std::uint32_t flat_up_to = 8;
constexpr std::uint32_t fold_in = team_slot::rounds - 2;
constexpr std::uint32_t fold_out = team_slot::rounds - 1;

// One meeting. Two lines a round, taken in turn, are enough: a member of the meeting after next has left the next one, which
// all had entered, so all have left this one.
class meeting {
 public:
  meeting(team_record& t, const fold_value& v, const char* what) : t_(t), v_(v), what_(what), step_(next_meeting(t)) {
    ++t.pattern_step;
  }

  void tree() {
    const std::uint32_t children[2] = {2 * t_.rank + 1, 2 * t_.rank + 2};
    for (const std::uint32_t child : children)
      if (child < t_.size) fold_above(wait(child, 0));
    if (t_.rank != 0) {
      const std::uint32_t parent = (t_.rank - 1) / 2;
      post_to(parent, 0);
      take(wait(parent, 1));
    }
    const flag_line& line = post(1);
    for (const std::uint32_t child : children)
      if (child < t_.size) detail::post_to(*t_.self, t_.members[child], &line, posted_bytes());
  }

  void dissemination() {
    std::uint32_t round = 0;
    for (std::uint32_t distance = 1; distance < t_.size; distance *= 2, ++round) {
      post_to((t_.rank + distance) % t_.size, round);
      fold_above(wait((t_.rank + t_.size - distance) % t_.size, round));
    }
  }

  void double_up() {
    const hypercube cube(t_.size);
    if (cube.is_represented(t_.rank)) {
      post_to(t_.rank - 1, fold_in);
      take(wait(t_.rank - 1, fold_out));
      return;
    }
    const bool shared = cube.is_shared(t_.rank);
    if (shared) fold_above(wait(t_.rank + 1, fold_in));
    double_up_from(cube.corner_of(t_.rank), cube);
    if (shared) post_to(t_.rank + 1, fold_out);
  }

 private:
  void double_up_from(std::uint32_t corner, const hypercube& cube) {
    std::uint32_t round = 0;
    for (std::uint32_t bit = 1; bit < cube.corners; bit *= 2, ++round) {
      const std::uint32_t other = corner ^ bit;
      const std::uint32_t peer = cube.place_at(other);
      post_to(peer, round);
      const std::byte* theirs = wait(peer, round);
      if (other < corner)
        fold_below(theirs);
      else
        fold_above(theirs);
    }
  }

  const flag_line& post(std::uint32_t round) {
    flag_line& line = t_.my_slot().pattern[step_ % 2][round];
    if (v_.bytes != 0) std::memcpy(line.payload, v_.value, v_.bytes);
    line.step.store(t_.sign | step_, std::memory_order_release);
    return line;
  }
  void post_to(std::uint32_t member, std::uint32_t round) {
    const flag_line& line = post(round);
    detail::post_to(*t_.self, t_.members[member], &line, posted_bytes());
  }
  // What counts of a line: to another host no more travels.
  std::size_t posted_bytes() const { return sizeof(flag_line::step) + align_up(v_.bytes, 8); }
  const std::byte* wait(std::uint32_t member, std::uint32_t round) {
    const flag_line& line = t_.slots[member]->pattern[step_ % 2][round];
    await_step(t_, line.step, step_, what_);
    return line.payload;
  }

  void take(const std::byte* theirs) {
    if (v_.bytes != 0) std::memcpy(v_.value, theirs, v_.bytes);
  }
  void fold_above(const std::byte* theirs) {
    if (v_.bytes != 0) v_.combine(v_.op, v_.value, v_.value, theirs);
  }
  void fold_below(const std::byte* theirs) {
    if (v_.bytes != 0) v_.combine(v_.op, v_.value, theirs, v_.value);
  }

  team_record& t_;
  const fold_value& v_;
  const char* what_;
  std::uint64_t step_;
};

}  // namespace

void meet(team_record& t, pattern how, const fold_value& v, const char* what) {
  meeting m(t, v, what);
  if (how == pattern::tree) return m.tree();
  const bool counts_once = v.bytes == 0 || std::has_single_bit(t.size);
  if (how == pattern::dissemination && counts_once) return m.dissemination();
  m.double_up();
}

// A line that no pattern takes: where the members are as many as a power of two none is folded in, and else the last round is one
// that only 65,536 have.
flag_line& call_line(const team_record& t, std::uint32_t i) noexcept {
  return t.slots[i]->pattern[0][std::has_single_bit(t.size) ? fold_in : fold_in - 1];
}

namespace {

// All looking at all needs each rank to run once; where ranks outnumber cores that is what counts. But with other
// hosts a look is a message, and what one host lacks the others do not know.
bool all_look_at_all(const team_record& t, bool oversubscribed) {
  return t.size <= flat_up_to || (oversubscribed && t.host_leaders.empty());
}

}  // namespace

pattern choose_barrier(pattern asked, const team_record& t, bool oversubscribed) {
  if (asked != pattern::automatic) return asked;
  return all_look_at_all(t, oversubscribed) ? pattern::flat : pattern::dissemination;
}

pattern choose_fence(pattern asked, const team_record& t, bool oversubscribed) {
  if (asked != pattern::automatic) return asked;
  return all_look_at_all(t, oversubscribed) ? pattern::flat : pattern::hypercube;
}

void set_fence_pattern(team_record& t, pattern how) {
  t.fence_pattern = how;
  t.flat_fence = how == pattern::flat;
  // With each of the others alone on its host, what a rank shows goes where its one-way calls go.
  const bool each_alone = t.flat_fence && t.host_leaders.size() + 1 == t.size;
  t.fence_piggybacks = each_alone && t.size == std::uint32_t(t.self->places) && t.size > 1;
}

}  // namespace armilla::detail
