// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/base/values/types.hpp"
#include "armilla/each.hpp"
#include "armilla/sendable.hpp"
#include "armilla/team/core/team_inline.hpp"

namespace armilla {

/// What a combining function of a reduction must be: `op(a, b)` gives a T. It is associative; it need not be commutative, for
/// operands keep the order of the members. Between which of them it is applied first depends on the length, the team, its ranks
/// and their hosts alone: sums of floating-point numbers are the same bits on all members, and in every run with the same ranks
/// and hosts. On one host and on two that is from the first member to the last, ((v0 op v1) op v2) ..., with `in_order(op)`
/// everywhere. What `op` throws is thrown where it was applied. A member whose value depends on that throws a usage_error; of an
/// array the elements are then of no use.
template <class Op, class T>
concept combines = requires(Op op, const T& a, const T& b) { T(op(a, b)); };

/// For an operation of a reduction or scan that is not associative, or whose result must not depend on the hosts: always applied
/// from the first member to the last.
///
///     double alike_everywhere = am::all_reduce(x, am::in_order(std::plus<>{}));
///
/// Cost: on many hosts linear in the size of the team, where it is logarithmic without.
template <class Op>
detail::in_order_op<Op> in_order(Op op) {
  return {static_cast<Op&&>(op)};
}

/// An ordered subset of the job's ranks: a small value, cheap to copy. `world()` holds all ranks; `split` makes others.
///
/// Members are numbered from 0 to size()-1 in the team; roots of collectives are such numbers, not ranks of the job. A
/// team lives as long as any of its values; a rank may belong to 15 teams beside world at a time.
///
/// Collectives are called by all members, in the same order on each; another order, root, size or type is a usage_error that
/// names ranks and operations. In a checked job (`ARMILLA_CHECKED` builds) all members get it before anything has happened;
/// otherwise those that see it do (docs/guide/teams.md), and the team is invalid. A member that an exception takes out
/// of the middle of a collective (no memory, a type that cannot be written) gives the others a usage_error that names it; what
/// has failed so on a rank refuses later collectives there, and a new team is whole. Members answer calls of other ranks while
/// they wait. Each may, but need not, wait for all members; `barrier` does. A member that is 32 of them ahead of the
/// slowest waits for it (4, where values of 513 bytes to 4 KiB move).
///
/// Fibers may call them, too, bodies only if they are fibers from their beginning (`as_fiber`, function instances of MPC++);
/// another body gets a usage_error. `fence`, `all_store_sync` and `split` are for the rank's own code and the fibers that it
/// starts: no body may call them, nor a fiber that a body left behind. One fiber of a rank at a time is in a collective of a team
/// (usage_error): fibers that may come in different orders use a `dup` each.
///
/// Values are any `sendable_value`. What is trivially copyable and at most 56 bytes long moves in one cache line a rank; up to
/// 4 KiB it takes one look as well; what is longer moves in pieces, with as few copies as the system allows.
///
/// Paper: MPC++, section 3.1 (slave threads that reduce and meet).
class team {
 public:
  /// No team. Rank and size are -1 and 0, and every collective on it is a usage_error.
  team() noexcept = default;
  team(const team& o) noexcept : record_(o.record_) { detail::hold(record_); }
  team(team&& o) noexcept : record_(o.record_) { o.record_ = nullptr; }
  team& operator=(team o) noexcept {
    detail::team_record* r = record_;
    record_ = o.record_;
    o.record_ = r;
    return *this;
  }
  ~team() {
    if (record_ != nullptr) detail::let_go(record_);
  }

  explicit operator bool() const noexcept { return record_ != nullptr; }
  /// My number in the team; -1 in the empty one, and in `world()` on a rank that has joined later.
  rank_t rank() const noexcept;
  rank_t size() const noexcept;
  /// Rank in the job of member `member`. Throws usage_error if there is no such member.
  rank_t world_rank(rank_t member) const;
  /// Number in the team of the job's rank `r`; -1 if it is no member.
  rank_t rank_of(rank_t r) const noexcept;
  /// The same on all members, and no other team of the job, past or future, has it. 0: the empty team.
  std::uint64_t id() const noexcept;
  friend bool operator==(const team& a, const team& b) noexcept { return a.record_ == b.record_; }

  /// Members with the same `color` form a new team, ordered by `key`, then by their number here. A negative color: no
  /// team. Throws limit_error on all members if one of them belongs to too many teams. Cost: one or two barriers.
  team split(int color, int key = 0) const;

  /// The same members in the same order, as a team of its own: for what runs beside this one's collectives, in another fiber or
  /// in a library. Errors and cost as `split`.
  team dup() const { return split(0, rank()); }

  /// The members that are not lost, in the order that they have here, as a team of its own; ranks of the job stay as they are.
  /// All of them call it, before or after they have heard of the loss, and all get the same members: one that dies meanwhile is
  /// left out on all, or is lost to the new team, whose next collective says so. Also where nothing is lost. The counters and
  /// waits that any loss ends (docs/guide/death.md) work again after it. Members on several hosts need `armilla-run --hosts` with
  /// ARMILLA_ON_LOSS=continue (else usage_error). Throws limit_error as `split`. Cost: two barriers.
  team survivors() const { return team(detail::run_survivors(record_)); }

  /// The same, and behind them, in the order of their ranks, up to eight newcomers that wait in `await_team`: successors of
  /// lost ranks (ARMILLA_ON_LOSS=replace), and ranks that have joined (armilla-run --join). It waits for none of them: a program
  /// that wants all calls it again, between two of its steps. What the others know the newcomers get from them: by a broadcast,
  /// or when they ask. Errors and cost as `survivors`.
  team grow() const { return team(detail::run_grow(record_)); }

  /// Returns when all members have entered. See armilla/barrier.hpp.
  void barrier() const { detail::run_barrier(record_); }
  /// Completes the statements that members sent to members, and what these caused among members. A statement to a rank outside is
  /// not waited for, nor is what it causes there. See armilla/fence.hpp.
  void fence() const { detail::run_fence(record_); }
  /// Returns when every `store` of every member is complete. See armilla/transfer.hpp.
  void all_store_sync() const;

  /// The root's value, on all members; the others' is ignored. The root reads nothing of the others: of members that each name
  /// themselves, each returns its own value, and the next collective of the team in which they read something throws.
  template <sendable_value T>
  T broadcast(const T& value, rank_t root = 0) const;
  /// Fills `data`, of the same length on all members, with the root's. T is trivially copyable.
  template <class T>
    requires trivially_sendable<T>
  void broadcast(std::span<T> data, rank_t root = 0) const;
  /// One of the root's `values` to each member, by number. `values` is read on the root only, and has size() elements there.
  template <sendable_value T>
  T scatter(const std::vector<T>& values, rank_t root = 0) const;
  /// Arrays of one length: part i of the root's `all` is copied to member i's `mine`. `all` is read on the root only, and has
  /// size() parts there (else usage_error). `mine` may lie anywhere in `all`. T is trivially copyable.
  template <class T>
    requires trivially_sendable<T>
  void scatter(std::span<const std::type_identity_t<T>> all, std::span<T> mine, rank_t root = 0) const;

  /// value of 0 op value of 1 op ..., on the root; nothing on the others.
  template <sendable_value T, combines<T> Op>
  std::optional<T> reduce(const T& value, Op op, rank_t root = 0) const;
  /// The same on all members, to the bit.
  template <sendable_value T, combines<T> Op>
  T all_reduce(const T& value, Op op) const;
  /// Element by element and in place: element k of the root's `data` becomes the fold of all members' elements k. The others'
  /// stay as they are. `data` has one length on all members. T is trivially copyable. If `op` throws, the result is of no
  /// use, and the exception is thrown when all is done.
  template <class T, combines<T> Op>
    requires trivially_sendable<T>
  void reduce(std::span<T> data, Op op, rank_t root = 0) const;
  /// The same on all members, to the bit. Cost: up to 4 KiB one look at each member's, or two; beyond, each folds a part, and
  /// an array moves about twice.
  template <class T, combines<T> Op>
    requires trivially_sendable<T>
  void all_reduce(std::span<T> data, Op op) const;
  /// Element i of all members' `values`, of which each has size(), combined in the order of the members, on member i.
  template <sendable_value T, combines<T> Op>
  T reduce_scatter(const std::vector<T>& values, Op op) const;
  /// Part i of all members' `all`, combined element by element, becomes member i's `mine`. `all` holds size() parts of `mine`'s
  /// length (else usage_error). `mine` may lie anywhere in `all`: then other parts of `all` change where it lies in them. Cost:
  /// each member reads its part of each other's array; a copy where `mine` overlaps other parts than its own.
  template <class T, combines<T> Op>
    requires trivially_sendable<T>
  void reduce_scatter(std::span<const std::type_identity_t<T>> all, std::span<T> mine, Op op) const;
  /// The same element by element, `all_reduce(each(values), op)`. See armilla/each.hpp.
  template <class V, class Op>
  std::optional<V> reduce(detail::each_of<V> all, Op op, rank_t root = 0) const {
    auto both = reduce(detail::each_value<V>{all.values}, detail::each_combined<Op>{std::move(op)}, root);
    return both ? std::optional<V>(detail::require_alike(std::move(*both))) : std::nullopt;
  }
  template <class V, class Op>
  V all_reduce(detail::each_of<V> all, Op op) const {
    return detail::require_alike(all_reduce(detail::each_value<V>{all.values}, detail::each_combined<Op>{std::move(op)}));
  }
  /// value of 0 op ... op value of this member.
  template <sendable_value T, combines<T> Op>
  T inclusive_scan(const T& value, Op op) const;
  /// `first` op value of 0 op ... op value of the member before this one; `first` on member 0.
  template <sendable_value T, combines<T> Op>
  T exclusive_scan(const T& value, T first, Op op) const;
  /// The same element by element and in place. `data` has one length on all members. T is trivially copyable. Cost: each member
  /// reads the arrays of all before it.
  template <class T, combines<T> Op>
    requires trivially_sendable<T>
  void inclusive_scan(std::span<T> data, Op op) const;
  template <class T, combines<T> Op>
    requires trivially_sendable<T>
  void exclusive_scan(std::span<T> data, std::type_identity_t<T> first, Op op) const;

  /// All values by number, on the root; nothing on the others.
  template <sendable_value T>
  std::vector<T> gather(const T& value, rank_t root = 0) const;
  /// The same on all members.
  template <sendable_value T>
  std::vector<T> all_gather(const T& value) const;

  /// Arrays of one length: member i's `mine` is copied to part i of the root's `all`. `all` holds size() parts on the root (else
  /// usage_error), and is not touched on the others. The root's `mine` may lie anywhere in `all`. T is trivially copyable.
  /// Complete on a member when its `mine` may change, on the root when `all` is filled.
  template <class T>
    requires trivially_sendable<T>
  void gather(std::span<const std::type_identity_t<T>> mine, std::span<T> all, rank_t root = 0) const;
  /// The same on all members, each of whose `mine` may lie in its `all`.
  template <class T>
    requires trivially_sendable<T>
  void all_gather(std::span<const std::type_identity_t<T>> mine, std::span<T> all) const;
  /// Arrays of any length, in the order of the members, on all members. `counts` has size() elements (else usage_error), and
  /// receives how many elements are each member's.
  template <class T>
    requires trivially_sendable<T>
  std::vector<T> all_gather_v(std::span<const T> mine, std::span<std::size_t> counts) const;
  /// The same for vectors of any sendable type: one behind the other. `all_gather` of vectors keeps them apart.
  template <sendable_value T>
  std::vector<T> all_gather_v(const std::vector<T>& mine) const;

  /// Part i of `in` to member i; part i of `out` is from member i. Both hold size() parts of one length, the same on all
  /// members, and must not overlap. T is trivially copyable. A part that does not fit is a usage_error.
  template <class T>
    requires trivially_sendable<T>
  void all_to_all(std::span<const std::type_identity_t<T>> in, std::span<T> out) const;
  /// Element i of `values`, of which there are size(), to member i; returns what each member had for this one.
  template <sendable_value T>
  std::vector<T> all_to_all(const std::vector<T>& values) const;
  /// Element i of `parts`, of any length, to member i; returns what each member had for this one.
  template <sendable_value T>
  std::vector<std::vector<T>> all_to_all_v(const std::vector<std::vector<T>>& parts) const;
  /// The same over flat memory: the next `in_counts[i]` elements of `in` go to member i. Returns what came, in the order of
  /// the members, and sets `out_counts[i]` to how many came from member i.
  template <class T>
    requires trivially_sendable<T>
  std::vector<T> all_to_all_v(std::span<const T> in, std::span<const std::size_t> in_counts,
                              std::span<std::size_t> out_counts) const;

  // ---- the same as futures: armilla/collective_async.hpp ----

  /// Runs `f(t)`, where `t` is a twin of this team, and gives a future of what it returns: any collectives, one after the other.
  ///
  ///     auto both = t.collective_async([x](const am::team& twin) {
  ///       return std::pair(twin.inclusive_scan(x, plus), twin.all_reduce(x, plus));
  ///     });
  ///
  /// The twin is for `f` only, and has no fence and no split. What `f` throws comes at `get`. All members start their
  /// asynchronous collectives of a team in one order. Cost: a fiber; the first call of a team makes the twin.
  template <class F>
  auto collective_async(F f) const -> future<std::invoke_result_t<F&, const team&>>;
  /// Ready when all members have started it.
  future<void> barrier_async() const;
  /// `broadcast(value, root)`, later; of a span: ready when `data` is filled. Likewise the others: what the collective without
  /// `_async` returns is the future's value, and memory that a span names must stay until it is ready.
  template <class T>
  auto broadcast_async(T value, rank_t root = 0) const;
  template <class V>
  auto scatter_async(V values, rank_t root = 0) const;
  template <class T>
  auto scatter_async(std::span<const std::type_identity_t<T>> all, std::span<T> mine, rank_t root = 0) const;
  template <class T, class Op>
  auto reduce_async(T value, Op op, rank_t root = 0) const;
  template <class T, class Op>
  auto all_reduce_async(T value, Op op) const;
  template <class V, class Op>
  auto reduce_scatter_async(V values, Op op) const;
  template <class T, class Op>
  auto reduce_scatter_async(std::span<const std::type_identity_t<T>> all, std::span<T> mine, Op op) const;
  template <class T, class Op>
  auto inclusive_scan_async(T value, Op op) const;
  template <class T, class U, class Op>
  auto exclusive_scan_async(T value, U first, Op op) const;
  template <class T>
  auto gather_async(T value, rank_t root = 0) const;
  template <class T>
  auto gather_async(std::span<const std::type_identity_t<T>> mine, std::span<T> all, rank_t root = 0) const;
  template <class T>
  auto all_gather_async(T value) const;
  template <class T>
  auto all_gather_async(std::span<const std::type_identity_t<T>> mine, std::span<T> all) const;
  template <class V>
  auto all_gather_v_async(V mine) const;
  template <class T>
  auto all_gather_v_async(std::span<const T> mine, std::span<std::size_t> counts) const;
  template <class V>
  auto all_to_all_async(V values) const;
  template <class T>
  auto all_to_all_async(std::span<const std::type_identity_t<T>> in, std::span<T> out) const;
  template <class V>
  auto all_to_all_v_async(V parts) const;
  template <class T>
  auto all_to_all_v_async(std::span<const T> in, std::span<const std::size_t> in_counts, std::span<std::size_t> out_counts) const;

  // What is easily written otherwise says how it is written.
  template <detail::no_root T>
  T broadcast(rank_t, const T& value) const {
    static_assert(detail::dependent_false<T>, "armilla: the value comes first, then the root: broadcast(value, root)");
    return value;
  }
  template <class T>
  T scatter(rank_t, const std::vector<T>& values) const {
    static_assert(detail::dependent_false<T>, "armilla: the values come first, then the root: scatter(values, root)");
    return values[0];
  }
  template <detail::no_root T>
  std::vector<T> gather(rank_t, const T&) const {
    static_assert(detail::dependent_false<T>, "armilla: the value comes first, then the root: gather(value, root)");
    return {};
  }
  template <detail::no_root T, class Op>
    requires detail::reduces<Op, T>
  std::optional<T> reduce(rank_t, const T&, Op) const {
    static_assert(detail::dependent_false<T>, "armilla: the root comes last: reduce(value, op, root)");
    return {};
  }
  template <class T, detail::no_root Op>
    requires detail::reduces<Op, T>
  std::optional<T> reduce(const T&, rank_t, Op) const {
    static_assert(detail::dependent_false<T>, "armilla: the root comes last: reduce(value, op, root)");
    return {};
  }
  template <class V, class Op>
    requires detail::combines_elements_only<Op, V>
  V all_reduce(const V& values, Op) const {
    static_assert(detail::dependent_false<V>, "armilla: the operation combines elements: all_reduce(each(values), op)");
    return values;
  }
  template <class V, class Op>
    requires detail::combines_elements_only<Op, V>
  std::optional<V> reduce(const V& values, Op, rank_t = 0) const {
    static_assert(detail::dependent_false<V>, "armilla: the operation combines elements: reduce(each(values), op, root)");
    return values;
  }

  // So does a value that cannot be sent.
  template <detail::unsendable T, class... A>
  T broadcast(const T&, const A&...) const {
    detail::refuse_value<T>();
  }
  template <detail::unsendable T, class... A>
  T scatter(const std::vector<T>&, const A&...) const {
    detail::refuse_value<T>();
  }
  template <detail::unsendable T, class Op>
  std::optional<T> reduce(const T&, Op, rank_t = 0) const {
    detail::refuse_value<T>();
  }
  template <detail::unsendable T, class Op>
  T all_reduce(const T&, Op) const {
    detail::refuse_value<T>();
  }
  template <detail::unsendable T, class Op>
  T reduce_scatter(const std::vector<T>&, Op) const {
    detail::refuse_value<T>();
  }
  template <detail::unsendable T, class Op>
  T inclusive_scan(const T&, Op) const {
    detail::refuse_value<T>();
  }
  template <detail::unsendable T, class Op>
  T exclusive_scan(const T&, T, Op) const {
    detail::refuse_value<T>();
  }
  template <detail::unsendable T, class... A>
  std::vector<T> gather(const T&, const A&...) const {
    detail::refuse_value<T>();
  }
  template <detail::unsendable T>
  std::vector<T> all_gather(const T&) const {
    detail::refuse_value<T>();
  }
  template <detail::unsendable T>
  std::vector<T> all_gather_v(const std::vector<T>&) const {
    detail::refuse_value<T>();
  }
  template <detail::unsendable T>
  std::vector<T> all_to_all(const std::vector<T>&) const {
    detail::refuse_value<T>();
  }
  template <detail::unsendable T>
  std::vector<std::vector<T>> all_to_all_v(const std::vector<std::vector<T>>&) const {
    detail::refuse_value<T>();
  }
  // And a reduction without an operation.
  template <class T>
  T all_reduce(const T& value) const {
    static_assert(detail::dependent_false<T>, "armilla: the operation is missing: all_reduce(value, std::plus<>{})");
    return value;
  }
  template <sendable_value T, detail::no_operation_on<T> Op>
  T all_reduce(const T& value, const Op&) const {
    static_assert(detail::dependent_false<T>,
                  "armilla: the operation is a function object of two values: all_reduce(value, std::plus<>{})");
    return value;
  }

 private:
  friend team world();
  friend team living();
  friend team await_team();
  friend team detail::twin_of(const team& t);
  friend class detail::twin_turn;
  friend bool detail::has_turn(const team& t) noexcept;
  friend detail::call_of_twin detail::call_begins(const team& twin) noexcept;
  friend void detail::leave_call(const team& twin, const detail::call_of_twin& before) noexcept;
  friend bool detail::has_lost(const team& t, rank_t member) noexcept;
  friend void detail::run_fence_in(const team& t, detail::pattern how);
  friend void detail::note_elements(const team& t, const detail::type_mark& type, bool may_meet);
  friend bool detail::runs_one_program(const team& t) noexcept;
  explicit team(detail::team_record* r) noexcept : record_(r) { detail::hold(r); }

  detail::team_record* record_ = nullptr;
};

/// The team of all ranks of the start: 0 .. ranks()-1. A rank that joins the running job is in none.
team world();
/// The ranks of `world()` for which fences and barriers wait, in their order: all, until one of these throws `rank_lost`
/// (ARMILLA_ON_LOSS=continue); then those that were left at that moment, the same on all of them. Waits for no other rank.
team living();
/// On a rank that came into the running job (`joined()`): waits until others take it into their team by `grow`, and returns that.
/// The empty team: the others have come to the end of their functions. Errors: rank_lost if all of them are lost; usage_error on
/// other ranks, and in a rank that is in such a team already.
team await_team();

namespace detail {
template <>
inline constexpr refusal refused_class<team> = refusal::team;

/// How many members there are; usage_error that names `operation` if it is the empty team.
rank_t require_members(const team& t, const char* operation);
/// The same members as a team of its own that needs no message to be made: for collectives that are asked for later.
team twin_of(const team& t);
/// Whether a member is lost, though another rank may have its place by now.
bool has_lost(const team& t, rank_t member) noexcept;
/// A fiber's turn to use the twin `t`. Fibers get it in the order in which they were started.
class twin_turn {
 public:
  explicit twin_turn(const team& t);
  ~twin_turn();
  twin_turn(const twin_turn&) = delete;

 private:
  team_record& keeper_;
};
/// Whether it is the running fiber's turn.
bool has_turn(const team& t) noexcept;
/// What a twin has entered and refused before a function runs in it.
struct call_of_twin {
  std::uint64_t number;
  std::uint32_t refusals;
};
call_of_twin call_begins(const team& twin) noexcept;
/// The function has thrown, perhaps before a collective that others are in: they hear of it when this rank goes elsewhere, and as
/// a mismatch when it starts the next function. If all members' have thrown there, all is well.
[[gnu::cold]] void leave_call(const team& twin, const call_of_twin& before) noexcept;
[[noreturn, gnu::cold]] void throw_no_member(const team& t, rank_t r, const char* operation);
void start_teams(context& self, const launch& how);
void stop_teams(context& self);
}  // namespace detail
}  // namespace armilla
