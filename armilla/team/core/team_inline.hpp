// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <type_traits>

#include "armilla/base/values/types.hpp"
#include "armilla/named.hpp"
#include "armilla/team/core/each_inline.hpp"

/// What a team and its collectives are made of.
namespace armilla {

class team;
template <class T>
class future;

namespace detail {

team twin_of(const team& t);
bool has_lost(const team& t, rank_t member) noexcept;
class twin_turn;
struct call_of_twin;
bool has_turn(const team& t) noexcept;
call_of_twin call_begins(const team& twin) noexcept;
void leave_call(const team& twin, const call_of_twin& before) noexcept;
struct context;
struct launch;
struct team_record;
void hold(team_record* t) noexcept;
void let_go(team_record* t) noexcept;
void run_barrier(team_record* t);
void run_fence(team_record* t);
void run_world_barrier();
team_record* run_survivors(team_record* t, const made_at& at);
team_record* run_grow(team_record* t, const made_at& at);
team_record* run_await_team();
void run_world_fence();
enum class pattern;
/// A fence that all members ask to be of this pattern. Another than theirs: usage_error where it is seen.
void run_fence_in(const team& t, pattern how);
struct type_mark;
/// All members make a container with elements of this type, or an algorithm goes through such. If one has another type, the next
/// collective of the team finds it. No message; where a job checks, the members meet here if they may.
void note_elements(const team& t, const type_mark& type, bool may_meet = true);
/// Whether names of types are the same on all members.
bool runs_one_program(const team& t) noexcept;
/// What ends with the fence of all ranks that stands there.
enum class ending_of { function, session, objects };
void run_end_fence(ending_of which);

/// What `in_order` gives.
template <class Op>
struct in_order_op {
  Op op;
  template <class T>
  T operator()(const T& a, const T& b) {
    return T(op(a, b));
  }
};

template <class Op>
inline constexpr bool keeps_order = false;
template <class Op>
inline constexpr bool keeps_order<in_order_op<Op>> = true;
template <class Op>
inline constexpr bool keeps_order<each_combined<Op>> = keeps_order<Op>;

/// What cannot have been meant as the number of a root.
template <class T>
concept no_root = !std::is_convertible_v<T, rank_t> || std::is_floating_point_v<T>;

}  // namespace detail
}  // namespace armilla
