// SPDX-License-Identifier: Apache-2.0
#include "gathering_desk.hpp"

#include <algorithm>
#include <iterator>

#include "armilla/base/values/limits.hpp"

// Model: tests/models/protocols/growth.pml
namespace armilla::run {

using namespace armilla::detail;

void gathering_desk::take(rank_t from, std::string_view text) {
  const auto m = gathering_message::from(text, rank_t(lost_.size()));
  if (!m || is_lost(from)) return;
  switch (m->head.what) {
    case head::word::ask:
    case head::word::ask_unended:
    case head::word::ask_grown: return take_part(from, *m);
    case head::word::seeks: return seek(from, *m);
    case head::word::passed: return pass(m->row(), m->head.step);
    case head::word::ended: return end(from, m->head.stage);
    case head::word::gives_up: {
      if (given_up_) return;
      given_up_ = true;
      send_(detail::no_rank, std::string(text));
      for (const auto& [which, all] : rows_)
        if (which.what == row::kind::living) end_open(which, ~std::uint64_t{0});
      return;
    }
    default: return;
  }
}

void gathering_desk::take_part(rank_t from, const gathering_message& m) {
  const row which = m.row();
  steps& all = rows_[which];
  const auto step = m.head.step;
  // Others have gone on without it: it was at the end of its function, or has come since.
  const bool may_be_late = which.what == row::kind::survivors || which.what == row::kind::end;
  const bool late = may_be_late && step <= all.answered && !all.open.contains(step);
  if (late || step <= all.passed || (given_up_ && which.what == row::kind::living)) return tell_over(which, step, from);
  gathering& g = all.open[m.head.step];
  if (g.parts.empty()) {
    g.members = m.ranks();
    g.unended = m.head.what != head::word::ask;
    g.newest_life = m.head.newest_life;
    if (which.what == row::kind::survivors || which.what == row::kind::living)
      send_(detail::no_rank,
            gathering_text({.what = head::word::asked, .row = which.what, .id = which.id, .step = m.head.step}, {}, {}));
  }
  g.grows |= m.head.what == head::word::ask_grown;
  g.stage = std::max(g.stage, m.head.stage);
  g.parts[from] = std::string(m.parts);
  look_at_all();
}

void gathering_desk::pass(const row& which, std::uint64_t step) {
  rows_[which].passed = std::max(rows_[which].passed, step);
  end_open(which, step);
}

void gathering_desk::end_open(const row& which, std::uint64_t step) {
  steps& all = rows_[which];
  while (!all.open.empty() && all.open.begin()->first <= step) {
    for (const auto& [from, part] : all.open.begin()->second.parts) tell_over(which, all.open.begin()->first, from);
    all.open.erase(all.open.begin());
  }
}

void gathering_desk::end(rank_t r, std::uint64_t stage) {
  all_ended_ += rank_t(stage != 0) - rank_t(ended_[std::size_t(r)] != 0);
  ended_[std::size_t(r)] = stage;
  look_at_all();
}

void gathering_desk::lose(rank_t r) {
  if (!is_lost(r)) ++all_lost_;
  lost_[std::size_t(r)] = true;
  seekers_.erase(r);
  // What it gave is no part of another one's that comes in its place.
  for (auto& [which, all] : rows_)
    for (auto one = all.open.begin(); one != all.open.end();)
      one = one->second.parts.erase(r) != 0 && one->second.parts.empty() ? all.open.erase(one) : std::next(one);
  look_at_all();
}

void gathering_desk::come(rank_t r, std::uint32_t life) {
  if (!is_lost(r)) return;
  --all_lost_;
  ++all_came_;
  lost_[std::size_t(r)] = false;
  life_[std::size_t(r)] = life;
  end(r, 0);
}

bool gathering_desk::is_left(rank_t r, std::uint64_t newest_life) const {
  return !lost_[std::size_t(r)] && life_[std::size_t(r)] <= newest_life;
}

// The first test is for large jobs, in which it is mostly enough.
bool gathering_desk::is_complete(const gathering& g) const {
  if (g.parts.size() + std::size_t(all_lost_ + all_ended_ + all_came_) < g.members.size()) return false;
  return std::ranges::all_of(g.members, [&](rank_t r) {
    return g.parts.contains(r) || !is_left(r, g.newest_life) || (g.unended && ended_[std::size_t(r)] > g.stage);
  });
}

void gathering_desk::look_at_all() {
  for (auto& [which, all] : rows_)
    std::erase_if(all.open, [&](const auto& one) {
      if (!is_complete(one.second)) return false;
      answer(which, one.first, one.second);
      all.answered = std::max(all.answered, one.first);
      return true;
    });
  tell_seekers_if_alone();
}

// Ranks that have died since they gave their part are left out: those that are left hear of the loss first, and need not try
// again.
void gathering_desk::answer(const row& which, std::uint64_t step, const gathering& g) {
  std::vector<rank_t> ranks;
  std::string parts;
  for (const auto& [from, part] : g.parts)
    if (!is_lost(from)) ranks.push_back(from), parts += part;
  end_promises(which, step, ranks.size() == g.members.size());
  if (ranks.empty()) return;
  if (g.grows)
    for (const rank_t r : take_seekers(which, step, g)) ranks.push_back(r), parts += seekers_[r].part;
  const std::string text = gathering_text({.what = head::word::answer,
                                           .row = which.what,
                                           .id = which.id,
                                           .step = step,
                                           .part_bytes = std::uint32_t(parts.size() / ranks.size())},
                                          ranks, parts);
  send_(detail::no_rank, text);
}

// ---- ranks that seek a team ----

void gathering_desk::seek(rank_t from, const gathering_message& m) {
  seekers_[from].part = m.parts;  // what is promised to it stays so, if it seeks once more
  tell_seekers_if_alone();
}

// Those of which no other gathering decides.
std::vector<rank_t> gathering_desk::take_seekers(const row& which, std::uint64_t step, const gathering& g) {
  std::vector<rank_t> taken;
  for (auto& [r, one] : seekers_) {
    if (taken.size() == most_new_ranks) break;
    const auto decides = [&](rank_t member) { return is_left(member, one.newest_life); };
    if (one.part.size() != g.parts.begin()->second.size() || (one.promised && std::ranges::any_of(one.by, decides))) continue;
    one.promised = {which, step + 1};
    one.by.clear();
    for (const auto& [member, part] : g.parts) one.by.push_back(member);
    one.newest_life = g.newest_life;
    taken.push_back(r);
  }
  return taken;
}

// Those that an earlier step has named: its members may have had no place for a team, and have left it at that.
void gathering_desk::end_promises(const row& which, std::uint64_t step, bool kept) {
  for (auto one = seekers_.begin(); one != seekers_.end();) {
    const auto promised = one->second.promised;
    const bool ends = promised && promised->first == which && promised->second <= step;
    if (ends) one->second.promised.reset();
    one = ends && kept && promised->second == step ? seekers_.erase(one) : std::next(one);
  }
}

void gathering_desk::tell_seekers_if_alone() {
  if (seekers_.empty()) return;
  bool some_ended = false;
  for (rank_t r = 0; r < rank_t(lost_.size()); ++r) {
    if (is_lost(r) || seekers_.contains(r)) continue;
    if (ended_[std::size_t(r)] == 0) return;
    some_ended = true;
  }
  for (const auto& [r, one] : seekers_)
    send_(r, gathering_text({.what = head::word::no_team, .stage = some_ended ? 1u : 0u}, {}, {}));
  seekers_.clear();
}

void gathering_desk::tell_over(const row& which, std::uint64_t step, rank_t to) const {
  const std::uint64_t passed = step <= rows_.at(which).passed ? 1 : 0;
  send_(to, gathering_text({.what = head::word::over, .row = which.what, .id = which.id, .step = step, .stage = passed}, {}, {}));
}

}  // namespace armilla::run
