// SPDX-License-Identifier: Apache-2.0
#include "armilla/container/place/failure_agreement.hpp"

#include <algorithm>
#include <new>
#include <ranges>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "armilla/am/endpoint/outbox.hpp"
#include "armilla/base/core/call_stack.hpp"
#include "armilla/base/core/options.hpp"
#include "armilla/container/place/broken_rule.hpp"
#include "armilla/container/place/in_functions.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/global/retire.hpp"
#include "armilla/memory.hpp"
#include "armilla/per_rank.hpp"
#include "armilla/team/collectives/named_algorithm.hpp"
#include "armilla/team/core/fence_hooks.hpp"

namespace armilla::detail {

/// The parts of a failure, for what follows here.
struct failures {
  static failure::record& of(failure& f) { return *f.what_; }
  static std::unique_ptr<failure::record>& owner(failure& f) { return f.what_; }
};

namespace {

/// What a container leaves that is gone here.
struct retained_part {
  global_address block;  ///< null: `part` is it
  std::shared_ptr<void> part;
  std::vector<rank_t> members;       ///< that may read it; empty: all ranks
  std::vector<std::uint32_t> lives;  ///< of all ranks then, where lost ones are replaced
  std::uint64_t number;              ///< in the order in which they were put aside
  std::unique_ptr<call_stack> end;   ///< of a block in the checked library: where its container ended
};

struct kept_failure {
  std::uint64_t team;
  const char* operation;
  failure what;
};

/// What this layer keeps for a rank.
struct container_state_of_rank {
  std::vector<retained_part> retained;
  std::uint64_t next_number = 0;  ///< of a retained part
  std::vector<kept_failure> kept;
};
per_rank<container_state_of_rank> mine;

std::vector<rank_t> members_of(const team& t) {
  std::vector<rank_t> all;
  if (t.size() == current->places) return all;
  for (rank_t m = 0; m < t.size(); ++m) all.push_back(t.world_rank(m));
  return all;
}

std::vector<std::uint32_t> lives_now() {
  std::vector<std::uint32_t> all;
  if (!current->host->job().takes_new_ranks()) return all;
  for (rank_t r = 0; r < current->places; ++r) all.push_back(current->out->life(r));
  return all;
}

retained_part retained_for(const team& t, global_address block, std::shared_ptr<void> part) {
  auto end = checked && !block.null() ? std::make_unique<call_stack>(take_call_stack()) : nullptr;
  return {block, std::move(part), members_of(t), lives_now(), mine->next_number++, std::move(end)};
}

// A lost rank reads nothing any more, nor does another one in its place.
bool has_all(const team& t, const retained_part& s) {
  if (t.size() == current->places) return true;
  const auto is_here = [&](rank_t r) {
    const bool replaced = !s.lives.empty() && current->out->life(r) != s.lives[std::size_t(r)];
    return t.rank_of(r) >= 0 || current->out->is_lost(r) || replaced;
  };
  return s.members.empty() ? std::ranges::all_of(std::views::iota(rank_t{0}, current->places), is_here)
                           : std::ranges::all_of(s.members, is_here);
}

const kept_failure* kept_for(const team& t) {
  const auto found = std::ranges::find(mine->kept, t.id(), &kept_failure::team);
  return found == mine->kept.end() ? nullptr : &*found;
}

// A fence of other members leaves it for one of its own.
bool is_of(const kept_failure& k, const std::uint64_t* part) noexcept { return part == nullptr || k.team == *part; }

std::uint64_t count_kept(context&, const std::uint64_t* part) {
  return std::uint64_t(std::ranges::count_if(mine->kept, [part](const kept_failure& k) { return is_of(k, part); }));
}

std::string with_element(const std::string& text, std::size_t index) {
  return index == npos ? text : fmt::format("element {}: {}", index, text);
}

// The first; the others of that team, or of all, are forgotten with it.
bool take_kept(context&, const std::uint64_t* part, exception_text& what) {
  const auto first = std::ranges::find_if(mine->kept, [part](const kept_failure& k) { return is_of(k, part); });
  if (first == mine->kept.end()) return false;
  const auto& r = failures::of(first->what);
  what.type_name = r.type.empty() ? "armilla::usage_error" : r.type;
  what.from = r.from;
  what.text = fmt::format("{} (in {} that did not wait)", with_element(r.text, r.index), first->operation);
  std::erase_if(mine->kept, [part](const kept_failure& k) { return is_of(k, part); });
  return true;
}

/// The failure of an earlier algorithm that did not wait comes before that of this one.
failure take_first(const team& t, failure& now) {
  const auto found = std::ranges::find(mine->kept, t.id(), &kept_failure::team);
  if (found == mine->kept.end()) return std::move(now);
  failure first = std::move(found->what);
  mine->kept.erase(found);
  return first;
}

}  // namespace

void failure::note(std::size_t index) {
  try {
    throw;
  } catch (const rank_lost&) { throw; } catch (const broken_rule& broken) {
    if (what_ == nullptr) what_ = std::make_unique<record>(record{"", broken.rule(), npos, {}});  // no type: a usage_error
  } catch (...) {
    if (what_ != nullptr) return;
    const exception_text thrown = describe_current_exception();
    what_ = std::make_unique<record>(record{thrown.type_name, thrown.text, index, thrown.from});
    try {
      throw;
    } catch (const std::bad_alloc&) {
      what_->text = "this rank has no more memory; ask for fewer elements, or take more ranks";
    } catch (...) {}
  }
}

std::uint64_t vote_of(const team& t, const failure& now) {
  return now.happened() || kept_for(t) != nullptr ? std::uint64_t(t.rank()) : no_loser;
}

void throw_failure_of(const team& t, const char* operation, std::uint64_t loser, failure& now) {
  failure first = take_first(t, now);
  std::tuple<std::string, std::string, throw_place> said;
  if (std::uint64_t(t.rank()) == loser) {
    const auto& r = failures::of(first);
    said = {r.type, with_element(r.text, r.index), r.from};
  }
  const auto& [type, text, from] = said = t.broadcast(said, rank_t(loser));
  if (type.empty()) throw_usage(algorithm_here(operation), text);
  throw remote_error(t.world_rank(rank_t(loser)), algorithm_here(operation), type, text, from);
}

void keep_failure(const team& t, const char* operation, failure& now) {
  if (!now.happened() || kept_for(t) != nullptr) return;
  add_kept_errors(*current, {&count_kept, &take_kept});
  mine->kept.push_back({t.id(), operation, std::move(now)});
}

void retain(const team& t, global_address block) { mine->retained.push_back(retained_for(t, block, nullptr)); }
void retain(const team& t, std::shared_ptr<void> part) { mine->retained.push_back(retained_for(t, {}, std::move(part))); }

meeting::meeting(const team& t) : t_(t), before_(mine->next_number) {
  if (!t) [[unlikely]]
    throw_no_ranks("container");
  if (t.size() > 1) refuse_in_functions();
}

meeting::~meeting() {
  auto& retained = mine->retained;
  if (retained.empty() || std::uncaught_exceptions() > 0) return;
  // By number, not by place: meanwhile other fibers may have met, and have put parts aside. Each out of the list first: its end
  // may let other fibers run.
  const auto is_over = [&](const retained_part& s) { return s.number < before_ && has_all(t_, s); };
  for (auto at = std::ranges::find_if(retained, is_over); at != retained.end(); at = std::ranges::find_if(retained, is_over)) {
    const retained_part ending = std::move(*at);
    retained.erase(at);
    if (ending.block.null()) continue;
    ending.end != nullptr ? retire_bytes(ending.block, *ending.end, "deallocate") : deallocate_bytes(ending.block, "deallocate");
  }
}

void require_same_argument(const team& t, const char* operation, const char* argument, std::uint64_t mine) {
  struct limits {
    std::uint64_t least, most;
  };
  const meeting here(t);
  const limits all = t.all_reduce(limits{mine, mine}, [](const limits& a, const limits& b) {
    return limits{std::min(a.least, b.least), std::max(a.most, b.most)};
  });
  if (all.least != all.most)
    throw_usage(operation, fmt::format("{} {} on one rank and {} on another; all members must give the same", argument, all.least,
                                       all.most));
}

void note_type(const team& t, const type_mark& type) {
  if (!t || t.size() == 1) return;
  refuse_in_functions();
  note_elements(t, type);
}

void meet(const team& t) {
  const meeting here(t);
  t.barrier();
}

void agree(const team& t, const char* operation, failure& now) {
  std::uint64_t loser = no_loser;
  {
    const meeting here(t);
    loser = t.all_reduce(vote_of(t, now), [](std::uint64_t a, std::uint64_t b) { return a < b ? a : b; });
  }
  if (loser != no_loser) [[unlikely]]
    throw_failure_of(t, operation, loser, now);
}

}  // namespace armilla::detail
