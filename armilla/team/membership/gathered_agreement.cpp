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

gathered_choice gather_members(team_record& t, std::uint64_t step, const char* operation) {
  const survivor_board::request wanted = slots_here(*t.owner);
  const gathered all = gather(*t.self, row_of(t), step, t.members, {reinterpret_cast<const char*>(&wanted), sizeof wanted},
                              operation, gathering_head::word::ask_unended, newest_life_in(t));
  gathered_choice chosen;
  chosen.over = all.over;
  chosen.passed = all.passed;
  for (std::size_t i = 0; i < all.ranks.size(); ++i) {
    const auto one = all.part<survivor_board::request>(i);
    chosen.members.push_back(std::uint32_t(t.number_of(all.ranks[i])));
    chosen.common.highest_step = std::max(chosen.common.highest_step, one.highest_step);
    chosen.common.free_slots &= one.free_slots;
    chosen.common.unsettled |= one.unsettled;
  }
  std::ranges::sort(chosen.members);
  return chosen;
}

bool gather_ready(team_record& t, const gathered_choice& chosen, std::uint64_t step, const char* operation) {
  std::vector<rank_t> members;
  for (const std::uint32_t i : chosen.members) members.push_back(t.members[i]);
  const gathered all = gather(*t.self, row_of(t), step, members, {}, operation, gathering_head::word::ask, newest_life_in(t));
  return all.ranks.size() == members.size();
}

bool another_asks(const team_record& t, std::uint64_t asked) {
  return t.owner->left != nullptr && t.owner->left->asked(row_of(t)) > asked;
}

}  // namespace armilla::detail
