// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/unordered_map.hpp"
#include "armilla/vector.hpp"
#include "armilla/work_queue.hpp"

/// How containers go over to a team of more ranks. Those that have one push its elements: the others do not know where these lie.
namespace armilla::detail {

struct rebalance_needs {
  bool needs_functions = false;  ///< members call each other's functions: they run one program
};
/// Collective of `t`, of which some ranks have the same container and give its team; the others give none. Fences
/// that team. The first of those ranks, or all throw.
rank_t require_given(const team& t, const team& old, rebalance_needs needs);

/// What the others learn of a sequence.
struct dealt_sequence {
  std::uint64_t elements = 0;
  std::uint64_t block = 0;  ///< 0: one block a member
  std::int32_t copies = 0;  ///< that are kept
};
dealt_sequence deal_of(const placement& p, const kept_parts* kept);
placement deal_to(const team& t, const dealt_sequence& how);

/// Sends this rank's elements to where they lie in `to`: complete when all have called it and `t` has fenced.
template <class T>
void send_elements(const element_state<T>& from, const element_state<T>& to) {
  constexpr std::size_t most = 1024;  // in one statement
  const T* const mine = first_of<T>(from);
  std::size_t place = 0;  // elements of a member lie in the order of their indices
  for (std::size_t i = from.where.next_on(from.me, 0); i < from.where.size();) {
    std::size_t n = std::min(from.where.run_at(i).end, to.where.run_at(i).end) - i;
    if constexpr (lies_in_segments<T>) {
      put(global_ptr<T>(to.address(i, sizeof(T))), std::span<const T>(mine + place, n));
    } else {
      n = std::min(n, most);
      const auto there = to.where.locate(i);
      async(to.members.world_rank(there.member), &write_run<T>, to.name(there.member), there.place,
            std::vector<T>(mine + place, mine + place + n));
    }
    place += n;
    i = from.where.next_on(from.me, i + n);
  }
  if constexpr (lies_in_segments<T>) sync_memory();
}

/// Makes a container over `t` of what members gave; `old` is null on those that have none. A friend of the containers.
struct rebalancer {
  template <class Container>
  static Container sequence(const team& t, Container* old) {
    using T = typename Container::value_type;
    const team had = old != nullptr ? old->members() : team();  // none: also of one that was moved from
    const rank_t first = require_given(t, had, {.needs_functions = !lies_in_segments<T>});
    const dealt_sequence how = t.broadcast(had ? deal_of(old->placement(), old->kept_.copies.get()) : dealt_sequence{}, first);
    Container made(make_container<T>(t, deal_to(t, how)));
    if (had) send_elements<T>(old->state_, made.state_);
    t.fence();
    if (how.copies != 0) made.keep(how.copies);
    return made;
  }

  template <class Container>
  static Container keys(const team& t, Container* old) {
    const bool has = old != nullptr && old->core_;  // not moved from
    const rank_t first = require_given(t, has ? old->members() : team(), {.needs_functions = true});
    const hash_options how = t.broadcast(has ? old->core_->options() : hash_options{}, first);
    const int copies = t.broadcast(has && old->kept_.copies != nullptr ? old->kept_.copies->wish() : 0, first);
    Container made(t, how);
    if (has) insert_all(*old, made);
    t.fence();
    if constexpr (requires { made.keep(copies); })
      if (copies != 0) made.keep(copies);
    return made;
  }

  template <class T>
  static work_queue<T> items(const team& t, work_queue<T>* old) {
    require_given(t, old != nullptr ? old->members() : team(), {.needs_functions = true});
    work_queue<T> made(t);
    if (old != nullptr)
      for (T& item : old->mine().take_all()) made.push(std::move(item));
    return made;
  }

 private:
  template <class Container>
  static void insert_all(Container& old, Container& made) {
    using core = std::remove_reference_t<decltype(*old.core_)>;
    using kept = kept_for_key<typename core::part>;
    const hash_loop<typename core::part> statements_wait(old.core_->mine());
    for (const auto& slot : old.core_->mine().table.by_key())
      if constexpr (std::is_void_v<kept>)
        insert_slot(made, slot);
      else
        insert_slot(made, slot.first, slot.second);
  }
};

template <class T>
array<T> rebalanced_on(const team& t, array<T>* old) {
  return rebalancer::sequence(t, old);
}
template <class T>
vector<T> rebalanced_on(const team& t, vector<T>* old) {
  return rebalancer::sequence(t, old);
}
template <class T>
work_queue<T> rebalanced_on(const team& t, work_queue<T>* old) {
  return rebalancer::items(t, old);
}
template <class Container>
  requires std::is_constructible_v<Container, const team&, const hash_options&>
Container rebalanced_on(const team& t, Container* old) {
  return rebalancer::keys(t, old);
}

}  // namespace armilla::detail
