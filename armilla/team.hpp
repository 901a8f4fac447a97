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
#include "armilla/named.hpp"
#include "armilla/sendable.hpp"
#include "armilla/team/core/team_inline.hpp"

namespace armilla {

/// The requirement on the `op` of a reduction: `op(a, b)` is convertible to the type of the values, and `op` is associative.
///
/// `op` need not be commutative: operands are combined in the order of the members. The grouping depends only on the number of
/// elements, the members of the team and their hosts. So sums of floating-point numbers have the same bits on all members, and in
/// every run with the same ranks and hosts. On one host and on two the result is ((v0 op v1) op v2) ..., and with `in_order(op)`
/// everywhere.
///
/// What `op` throws is thrown on the rank that applied it. A member whose value depends on that throws `usage_error`; in an
/// array, the elements then have undefined values.
template <class Op, class T>
concept combines = requires(Op op, const T& a, const T& b) { T(op(a, b)); };

/// Makes a reduction or scan apply `op` from the first member to the last, whatever the hosts are.
///
/// For operations that are not associative, and for results that must not depend on the hosts.
///
///     const double alike_everywhere = am::all_reduce(x, am::in_order(std::plus<>{}));
///
/// Cost: on many hosts, linear in the size of the team; without `in_order` it is logarithmic.
template <class Op>
detail::in_order_op<Op> in_order(Op op) {
  return {static_cast<Op&&>(op)};
}

/// An ordered subset of the job's ranks, whose members call collectives together. A small value that is cheap to copy.
///
/// `world()` is the team of all ranks; `split` makes others. Use a team for each part of a program that works by itself, and for
/// containers that only some ranks store. Most collectives also have a free function for all ranks: `am::all_reduce(x, op)` is
/// `am::world().all_reduce(x, op)`. See armilla/collectives.hpp.
///
///     const am::team half = am::world().split(am::rank() % 2);        // collective: ranks of one color, in their order
///     const double sum = half.all_reduce(x, std::plus<>{});           // collective of the half
///     half.fence();                                                   // one-way calls between its members are complete
///
/// **Members** are numbered from 0 to `size() - 1`. Roots of collectives are such numbers, not ranks of the job. A team lives as
/// long as any of its copies. A rank may belong to 15 teams in addition to `world()` at a time.
///
/// **Rules of collectives.**
/// - All members call them, in the same order, with the same root, size and type.
/// - If members call different collectives, or the same one with different arguments, `usage_error` names the ranks and the
///   operations. With the checked library (docs/guide/debugging.md), all members throw before any data moves. Otherwise the
///   members that detect the mismatch throw, and the team is then invalid (docs/guide/teams.md).
/// - If a member leaves a collective by an exception (out of memory, a type that cannot be serialized), the other members get a
///   `usage_error` that names it. Later collectives of that team fail on that rank; a new team works.
/// - Members receive calls of other ranks while they wait.
/// - A collective may, but need not, wait for all members; `barrier` does. A member can be at most 32 collectives ahead of the
///   slowest one (4 for values of 513 bytes to 4 KiB). Then it waits.
/// - Fibers may call them, including called functions that were sent with `as_fiber`. Other called functions get a `usage_error`.
///   `fence`, `all_store_sync`, `split` and `dup` are for the rank's own code and the fibers that it starts.
/// - Only one fiber of a rank at a time may be in a collective of a team; otherwise it throws `usage_error`. Fibers that may come
///   in any order use a `dup` each.
///
/// **Cost.** Values are of any sendable type. Trivially copyable values of up to 56 bytes move in one cache line for each rank;
/// up to 4 KiB they take one step, too; longer ones move in pieces, with as few copies as the system allows. On three or more
/// hosts, members exchange in log2(hosts) rounds.
///
/// Paper: MPC++, section 3.1 (slave threads that reduce and meet).
class team {
 public:
  // ---- Construction ----

  /// Creates the empty team. Its rank is -1, its size 0, and every collective of it throws `usage_error`. `world()`, `living()`
  /// and `await_team()` return others, and so do `split`, `dup`, `survivors` and `grow`.
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

  // ---- Members (no message) ----

  /// Returns true unless this is the empty team.
  explicit operator bool() const noexcept { return record_ != nullptr; }
  /// Returns this rank's number in the team: -1 in the empty team, and in `world()` on a rank that has joined later.
  rank_t rank() const noexcept;
  /// Returns the number of members.
  rank_t size() const noexcept;
  /// Returns the rank in the job of member number `member`. Throws `usage_error` if there is no such member.
  rank_t world_rank(rank_t member) const;
  /// Returns the member number of the job's rank `r`, or -1 if `r` is not a member.
  rank_t rank_of(rank_t r) const noexcept;
  /// Returns a number that is the same on all members, and that no other team of the job, past or future, has. 0: the empty team.
  std::uint64_t id() const noexcept;
  /// Returns whether both are copies of one team.
  friend bool operator==(const team& a, const team& b) noexcept { return a.record_ == b.record_; }

  // ---- Other teams (collective) ----

  /// Returns the team of the members with the same `color`, ordered by `key`, then by their number here. A negative color: the
  /// empty team.
  ///
  /// Throws `limit_error` on all members if one of them belongs to too many teams. Cost: one or two barriers.
  team split(int color, int key = 0, const made_at& at = std::source_location::current()) const;
  /// Does the same with a name: `t.split(row, am::named("rows"))`. See armilla/named.hpp.
  team split(int color, const made_at& at) const { return split(color, 0, at); }

  /// Returns a new team with the same members in the same order. Use it for collectives that may overlap those of this team, in
  /// another fiber or in a library. Errors and cost are those of `split`.
  team dup(const made_at& at = std::source_location::current()) const { return split(0, rank(), at); }

  /// Returns a new team of the members that are not lost, in their order in this team. Ranks of the job remain as they are.
  ///
  /// All of these members call it, before or after they have noticed the loss, and also if nothing is lost. All get the same
  /// members: a member that dies during the call is either left out on all of them, or counts as lost in the new team, whose next
  /// collective throws. The counters and waits that any loss ends (docs/guide/death.md) work again afterwards. Members on several
  /// hosts need `armilla-run --hosts` with ARMILLA_ON_LOSS=continue or replace (else `usage_error`). Throws `limit_error` as
  /// `split` does. Cost: two barriers.
  team survivors(const made_at& at = std::source_location::current()) const { return team(detail::run_survivors(record_, at)); }

  /// Returns the survivors and, after them, up to eight new ranks that wait in `await_team`, in the order of their ranks.
  ///
  /// New ranks are replacements of lost ones (ARMILLA_ON_LOSS=replace), and ranks that have joined (armilla-run --join). It does
  /// not wait for them: a program that wants all of them calls it again, between two of its steps. Send to the new ranks whatever
  /// state they need, for example by a broadcast. Errors and cost are those of `survivors`.
  /// Also throws `usage_error` in a job of several hosts that replaces lost ranks.
  team grow(const made_at& at = std::source_location::current()) const { return team(detail::run_grow(record_, at)); }

  // ---- Barrier and fence (collective) ----

  /// Returns when all members have entered. See armilla/barrier.hpp.
  void barrier() const { detail::run_barrier(record_); }

  /// Completes the one-way calls that members sent to members, and all calls among members that these caused. See
  /// armilla/fence.hpp.
  ///
  /// It does not wait for a one-way call to a rank outside of the team, nor for what that causes there.
  void fence() const { detail::run_fence(record_); }

  /// Returns when every `store` of every member is complete. See armilla/transfer.hpp.
  void all_store_sync() const;

  // ---- From one member to all (collective) ----

  /// Returns the root's `value` on all members. The `value` of the others is ignored.
  ///
  /// A wrong root is not always detected, since the root reads nothing from the others. If every member passes itself as the
  /// root, each returns its own value, and a later collective of the team throws.
  ///
  ///     const std::string name = t.broadcast("from " + std::to_string(t.rank()));    // "from 0" on all members
  template <sendable_value T>
  T broadcast(const T& value, rank_t root = 0) const;
  /// Copies the root's `data` to `data` on all other members. It has the same length on all members. `T` is trivially copyable.
  template <class T>
    requires trivially_sendable<T>
  void broadcast(std::span<T> data, rank_t root = 0) const;

  /// Returns element i of the root's `values` on member i. `values` is read on the root only, and has `size()` elements there.
  template <sendable_value T>
  T scatter(const std::vector<T>& values, rank_t root = 0) const;
  /// Copies slice i of the root's `all` to `mine` of member i. The slices have one length. `T` is trivially copyable.
  ///
  /// `all` is read on the root only, and has `size()` slices there (else `usage_error`). `mine` may be anywhere in `all`.
  template <class T>
    requires trivially_sendable<T>
  void scatter(std::span<const std::type_identity_t<T>> all, std::span<T> mine, rank_t root = 0) const;

  // ---- Reductions (collective) ----

  /// Returns value of 0 `op` value of 1 `op` ... on the root, and `nullopt` on the others. See `combines` for `op`.
  template <sendable_value T, combines<T> Op>
  std::optional<T> reduce(const T& value, Op op, rank_t root = 0) const;
  /// Returns the reduction of all members' values, bitwise identical on all members. See `combines` for `op`.
  ///
  ///     const double largest = t.all_reduce(x, [](double a, double b) { return a > b ? a : b; });
  template <sendable_value T, combines<T> Op>
  T all_reduce(const T& value, Op op) const;

  /// Reduces arrays element by element, in place: element k of the root's `data` becomes the reduction of all members' elements
  /// k.
  ///
  /// The others' elements remain. `data` has one length on all members. `T` is trivially copyable. If `op` throws, the exception
  /// is thrown at the end, and the result is undefined.
  template <class T, combines<T> Op>
    requires trivially_sendable<T>
  void reduce(std::span<T> data, Op op, rank_t root = 0) const;
  /// Reduces arrays element by element, in place, bitwise identical on all members.
  ///
  /// Cost: up to 4 KiB one step or two; beyond, each member reduces a slice, and an array moves about twice.
  template <class T, combines<T> Op>
    requires trivially_sendable<T>
  void all_reduce(std::span<T> data, Op op) const;

  /// Reduces vectors or arrays element by element: `reduce(each(values), op)`. See armilla/each.hpp.
  template <class V, class Op>
  std::optional<V> reduce(detail::each_of<V> all, Op op, rank_t root = 0) const {
    auto both = reduce(detail::each_value<V>{all.values, rank()}, detail::each_combined<Op>{std::move(op)}, root);
    return both ? std::optional<V>(detail::require_alike(*this, std::move(*both))) : std::nullopt;
  }
  /// Reduces vectors or arrays element by element, on all members: `all_reduce(each(values), op)`.
  template <class V, class Op>
  V all_reduce(detail::each_of<V> all, Op op) const {
    return detail::require_alike(*this,
                                 all_reduce(detail::each_value<V>{all.values, rank()}, detail::each_combined<Op>{std::move(op)}));
  }

  /// Returns on member i the reduction of element i of all members' `values`. `values` has `size()` elements.
  template <sendable_value T, combines<T> Op>
  T reduce_scatter(const std::vector<T>& values, Op op) const;
  /// Reduces slice i of all members' `all`, element by element, into `mine` of member i. `T` is trivially copyable.
  ///
  /// `all` has `size()` slices of `mine`'s length (else `usage_error`). `mine` may be anywhere in `all`; then other slices
  /// change where it overlaps them. Cost: each member reads its slice of each other's array; a copy if `mine` overlaps slices
  /// of others.
  template <class T, combines<T> Op>
    requires trivially_sendable<T>
  void reduce_scatter(std::span<const std::type_identity_t<T>> all, std::span<T> mine, Op op) const;

  /// Returns value of 0 `op` ... `op` value of this member.
  template <sendable_value T, combines<T> Op>
  T inclusive_scan(const T& value, Op op) const;
  /// Returns `first` `op` value of 0 `op` ... `op` value of the member before this one: `first` on member 0.
  ///
  ///     const std::size_t mine = 10, before = t.exclusive_scan(mine, std::size_t(0), std::plus<>{});
  template <sendable_value T, combines<T> Op>
  T exclusive_scan(const T& value, T first, Op op) const;
  /// Scans arrays element by element, in place. `data` has one length on all members. `T` is trivially copyable. Cost: each
  /// member reads the arrays of all members before it.
  template <class T, combines<T> Op>
    requires trivially_sendable<T>
  void inclusive_scan(std::span<T> data, Op op) const;
  /// Scans arrays element by element, in place, as `exclusive_scan` of values.
  template <class T, combines<T> Op>
    requires trivially_sendable<T>
  void exclusive_scan(std::span<T> data, std::type_identity_t<T> first, Op op) const;

  // ---- From all members (collective) ----

  /// Returns all members' values, by number, on the root, and an empty vector on the others.
  template <sendable_value T>
  std::vector<T> gather(const T& value, rank_t root = 0) const;
  /// Returns all members' values, by number, on all members.
  template <sendable_value T>
  std::vector<T> all_gather(const T& value) const;

  /// Copies `mine` of member i to slice i of the root's `all`. The arrays have one length. `T` is trivially copyable.
  ///
  /// `all` has `size()` slices on the root (else `usage_error`), and is not touched on the others. The root's `mine` may be
  /// anywhere in `all`. Returns on a member when its `mine` may change, on the root when `all` is filled.
  template <class T>
    requires trivially_sendable<T>
  void gather(std::span<const std::type_identity_t<T>> mine, std::span<T> all, rank_t root = 0) const;
  /// Copies `mine` of member i to slice i of `all` on all members. `mine` may be in `all`.
  template <class T>
    requires trivially_sendable<T>
  void all_gather(std::span<const std::type_identity_t<T>> mine, std::span<T> all) const;

  /// Returns the arrays of all members, of any length, one after the other, on all members. `T` is trivially copyable.
  ///
  /// `counts` has `size()` elements (else `usage_error`), and receives the length of each member's array.
  template <class T>
    requires trivially_sendable<T>
  std::vector<T> all_gather_v(std::span<const T> mine, std::span<std::size_t> counts) const;
  /// Returns the vectors of all members, of any sendable type, one after the other. `all_gather` of vectors keeps them separate.
  template <sendable_value T>
  std::vector<T> all_gather_v(const std::vector<T>& mine) const;

  // ---- From all members to all (collective) ----

  /// Sends element i of `values` to member i; element i of the result is from member i. `values` has `size()` elements.
  template <sendable_value T>
  std::vector<T> all_to_all(const std::vector<T>& values) const;
  /// Sends slice i of `in` to member i; slice i of `out` is from member i. `T` is trivially copyable.
  ///
  /// Both have `size()` slices of one length, the same on all members (else `usage_error`), and must not overlap.
  template <class T>
    requires trivially_sendable<T>
  void all_to_all(std::span<const std::type_identity_t<T>> in, std::span<T> out) const;

  /// Sends `parts[i]`, of any length, to member i; element i of the result is from member i.
  template <sendable_value T>
  std::vector<std::vector<T>> all_to_all_v(const std::vector<std::vector<T>>& parts) const;
  /// Sends the next `in_counts[i]` elements of `in` to member i, for each i in order. `T` is trivially copyable.
  ///
  /// Returns the elements that came, in the order of the members, and sets `out_counts[i]` to the number from member i.
  template <class T>
    requires trivially_sendable<T>
  std::vector<T> all_to_all_v(std::span<const T> in, std::span<const std::size_t> in_counts,
                              std::span<std::size_t> out_counts) const;

  // ---- With a future (collective): see armilla/collective_async.hpp, which defines them ----

  /// Runs `f(d)` in a fiber, where `d` is a duplicate of this team, and returns a future of its result. `f` may call any sequence
  /// of collectives on `d`.
  ///
  ///     auto both = t.collective_async([](const am::team& d) {
  ///       return std::pair(d.inclusive_scan(x, plus), d.all_reduce(x, plus));
  ///     });
  ///
  /// The duplicate is for `f` only, and has no fence and no split. `get()` throws what `f` throws. All members start their
  /// asynchronous collectives of a team in one order. Cost: a fiber; the first call of a team makes the duplicate.
  template <class F>
  auto collective_async(F f) const -> future<std::invoke_result_t<F&, const team&>>;
  /// Returns a future that is ready when all members have started it.
  future<void> barrier_async() const;
  /// Each function below starts the collective of the same name and returns a future of its result. Values are copied. Memory
  /// that is passed as a span must stay valid and unchanged until the future is ready.
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

  // ---- Mistakes: these do not compile, and say what to write instead ----

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

/// Returns the team of all ranks with which the job started, 0 to `ranks() - 1`. Ranks that join the running job are not members.
team world();

/// Returns the ranks of `world()` for which fences and barriers wait, in their order.
///
/// These are all ranks, until a fence or barrier throws `rank_lost` (ARMILLA_ON_LOSS=continue); from then on those that were left
/// at that moment, the same on all of them. Waits for no other rank.
team living();

/// Waits, on a rank that came into the running job (`joined()`), until other ranks include it in their team by `grow`, and
/// returns that team.
///
/// Returns the empty team if the others have come to the end of their functions. Throws `rank_lost` if all of them are lost;
/// `usage_error` on other ranks, on a rank that is already in such a team, and in a job of several hosts.
team await_team();

// ---- Implementation only below ----

namespace detail {
template <>
inline constexpr refusal refused_class<team> = refusal::team;

/// How many members there are; usage_error that names `operation` if it is the empty team.
rank_t require_members(const team& t, const char* operation);

/// The same members as a team of its own that needs no message to be made: for collectives that are asked for later.
team twin_of(const team& t);

/// Returns whether a member is lost, even if a replacement has its number.
bool has_lost(const team& t, rank_t member) noexcept;

/// A fiber's turn to use the twin `t`. Fibers get it in the order in which they were started.
class twin_turn {
 public:
  explicit twin_turn(const team& t);
  ~twin_turn();
  twin_turn(const twin_turn&) = delete;

 private:
  team_record& keeper_;
  std::uint64_t before_;
};
/// Whether it is the turn of the running fiber, or of one that has started it.
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
