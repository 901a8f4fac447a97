// SPDX-License-Identifier: Apache-2.0
#include "examples/kv/linearisable.hpp"

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <stdexcept>
#include <utility>

namespace kv {
namespace {

using kind = operation::kind;

bool ended(const operation& o) { return o.end != operation::never; }

/// What the key holds behind `o`, if it holds `before`; none: `o` cannot happen then.
std::optional<content> behind(const operation& o, const content& before) {
  if (ended(o) && o.what != kind::put && o.found != before) return std::nullopt;
  if (o.what == kind::get || (o.what == kind::exchange && o.expected != before)) return before;
  return o.written;
}

bool reads_only(const operation& o) {
  return o.what == kind::get || (ended(o) && o.what == kind::exchange && o.found != o.expected);
}

/// Follows the begins and ends of operations in time, with all states in which the key may be (Lowe, Testing for linearizability,
/// 2017).
class search {
 public:
  /// The operation that nothing explains, or null.
  const operation* first_unexplained(std::span<const operation> all);

 private:
  struct state {
    content held;
    std::uint64_t done = 0;  // those of `under_way_` that have happened
    auto operator<=>(const state&) const = default;
  };
  void begin(const operation& o);
  void end(const operation& o);
  void forget_the_past();
  state with_reads(state s) const;

  std::array<const operation*, 64> under_way_{};
  std::vector<state> possible_{state{}};
};

const operation* search::first_unexplained(std::span<const operation> all) {
  struct event {
    std::uint64_t time;
    bool is_end;
    const operation* which;
    auto operator<=>(const event&) const = default;
  };
  std::vector<event> events;
  for (const operation& o : all) {
    events.push_back({o.begin, false, &o});
    if (ended(o)) events.push_back({o.end, true, &o});
  }
  std::ranges::sort(events);
  for (const auto& [time, is_end, which] : events) {
    if (is_end)
      end(*which);
    else
      begin(*which);
    if (possible_.empty()) return which;
  }
  return nullptr;
}

void search::begin(const operation& o) {
  const auto free = std::ranges::find(under_way_, nullptr);
  if (free == under_way_.end()) throw std::length_error("more than 64 operations on one key at a time");
  *free = &o;
}

// Each state in which `o` has not happened becomes all those in which it has, behind any others under way.
void search::end(const operation& o) {
  const auto place = std::ranges::find(under_way_, &o);
  const std::uint64_t bit = std::uint64_t{1} << (place - under_way_.begin());
  std::set<state> seen, result;
  std::vector<state> open = std::move(possible_);
  while (!open.empty()) {
    const state s = with_reads(open.back());
    open.pop_back();
    if (!seen.insert(s).second) continue;
    if ((s.done & bit) != 0) {
      result.insert({s.held, s.done & ~bit});
      continue;
    }
    for (std::size_t i = 0; i < under_way_.size(); ++i) {
      if (under_way_[i] == nullptr || (s.done >> i & 1) != 0) continue;
      if (const auto held = behind(*under_way_[i], s.held)) open.push_back({*held, s.done | std::uint64_t{1} << i});
    }
  }
  *place = nullptr;
  possible_.assign(result.begin(), result.end());
  forget_the_past();
}

// What has happened in all states need not be followed any more, though its end is unknown.
void search::forget_the_past() {
  std::uint64_t past = ~std::uint64_t{0};
  for (const state& s : possible_) past &= s.done;
  for (std::size_t i = 0; i < under_way_.size(); ++i)
    if (under_way_[i] == nullptr || ended(*under_way_[i]))
      past &= ~(std::uint64_t{1} << i);
    else if ((past >> i & 1) != 0)
      under_way_[i] = nullptr;
  for (state& s : possible_) s.done &= ~past;
}

// What only reads happens as soon as it can: that leaves all that is possible without it.
search::state search::with_reads(state s) const {
  for (std::size_t i = 0; i < under_way_.size(); ++i)
    if (const operation* const o = under_way_[i]; o != nullptr && reads_only(*o) && behind(*o, s.held))
      s.done |= std::uint64_t{1} << i;
  return s;
}

// A write of unknown end explains something only if its value was seen, and a read of unknown end nothing.
void drop_unseen(std::vector<operation>& all) {
  std::set<content> seen;
  for (const operation& o : all) {
    if (o.what != kind::put && ended(o)) seen.insert(o.found);
    if (o.what == kind::exchange) seen.insert(o.expected);
  }
  std::erase_if(all, [&](const operation& o) { return !ended(o) && (o.what == kind::get || !seen.contains(o.written)); });
}

}  // namespace

std::optional<operation> first_unexplained(std::vector<operation> history) {
  std::map<long, std::vector<operation>> by_key;
  for (const operation& o : history) by_key[o.key].push_back(o);
  for (auto& [key, all] : by_key) {
    drop_unseen(all);
    if (const operation* const found = search().first_unexplained(all)) return *found;
  }
  return std::nullopt;
}

}  // namespace kv
