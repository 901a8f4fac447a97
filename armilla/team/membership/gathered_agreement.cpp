// SPDX-License-Identifier: Apache-2.0
#include "armilla/team/membership/gathered_agreement.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "armilla/am/endpoint/endpoint.hpp"
#include "armilla/team/membership/survivors.hpp"

namespace armilla::detail {

gathering_row row_of(const team_record& t) {
  using kind = gathering_row::kind;
  return {&t == t.owner->ending ? kind::living : kind::survivors, t.id};
}

// Those that follow its members have greater numbers.
static std::uint64_t newest_life_in(const team_record& t) noexcept {
  return t.lives.empty() ? 0 : *std::ranges::max_element(t.lives);
}

gathered gather(context& c, const gathering_row& row, std::uint64_t step, const std::vector<rank_t>& members,
                std::string_view part, const char* operation, gathering_head::word what, std::uint64_t newest_life) {
  gatherings& left = *c.teams->left;
  left.ask(row, step, members, part, what, c.teams->end_stage, newest_life);
  std::optional<gathered> answer;
  c.messages->waits.wait_until([&] { return answer || (answer = left.take_answer(row)); }, operation);
  c.messages->lost.hear();  // what armilla-run has told before it answered
  return std::move(*answer);
}

namespace {

/// What one gives that asks for what is left of a team, or seeks one.
struct asking_part {
  survivor_board::request wanted;
  std::uint64_t life;  ///< of one that seeks; 0: of a member

  std::string_view text() const noexcept { return {reinterpret_cast<const char*>(this), sizeof *this}; }
};

}  // namespace

gathered_choice gather_members(team_record& t, std::uint64_t step, const char* operation, bool grows) {
  const asking_part mine{slots_here(*t.owner), 0};
  const gathered all = gather(*t.self, row_of(t), step, t.members, mine.text(), operation,
                              grows ? gathering_head::word::ask_grown : gathering_head::word::ask_unended, newest_life_in(t));
  gathered_choice what;
  what.over = all.over;
  what.passed = all.passed;
  for (std::size_t i = 0; i < all.ranks.size(); ++i) {
    const auto one = all.part<asking_part>(i);
    if (one.life != 0)
      what.chosen.new_ranks.push_back({all.ranks[i], std::uint32_t(one.life)});
    else
      what.chosen.members.push_back(std::uint32_t(t.number_of(all.ranks[i])));
    what.common.highest_step = std::max(what.common.highest_step, one.wanted.highest_step);
    what.common.free_slots &= one.wanted.free_slots;
    what.common.unsettled |= one.wanted.unsettled;
  }
  std::ranges::sort(what.chosen.members);
  return what;
}

bool gather_ready(team_record& made, const gathering_row& row, std::uint64_t step, const char* operation) {
  const gathered all =
      gather(*made.self, row, step, made.members, {}, operation, gathering_head::word::ask, newest_life_in(made));
  return all.ranks.size() == made.members.size();
}

void seek_team(team_state& s) { s.left->seek(asking_part{slots_here(s), s.self.out->life(s.self.rank)}.text()); }

bool another_asks(const team_record& t, std::uint64_t asked) {
  return t.owner->left != nullptr && t.owner->left->asked(row_of(t)) > asked;
}

}  // namespace armilla::detail
