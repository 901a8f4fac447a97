// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/base/core/required_function.hpp"
#include "armilla/collectives.hpp"
#include "armilla/future.hpp"
#include "armilla/mutex.hpp"
#include "armilla/spawn.hpp"

/// Collectives with a future: a rank starts one now, and takes its result later.
///
/// Use them to overlap communication with computation. If you need the result at once, the collective without `_async` is faster.
///
///     am::future<double> sum = am::all_reduce_async(mine, std::plus<>{});
///     compute();                                  // the others have `mine` already
///     use(sum.get());
///
/// **Which.** Every collective of `team` has an `_async` form with the same arguments: it returns a future of what the collective
/// returns. `collective_async(f)` runs any collectives, one after the other. Those that have a free function for all ranks also
/// have one with `_async`.
///
/// **How they run.** Each is a fiber that enters the collective on a duplicate of the team. So they do not mix with collectives
/// in which the rank waits, nor with those of other teams. Those of one team run one after the other, in the order in which they
/// were started. They make progress in any wait, poll or yield of the rank.
///
/// **Rules.** All members start them in the same order; collectives without `_async` are counted separately. Values are copied;
/// memory that is passed as a span must stay valid and unchanged until the future is ready. Called functions may start them; a
/// fence then waits for them. The job does not end before they have ended.
///
/// **Inside a function.** A function of `collective_async` may start others of its team, and so may the fibers that it starts:
/// each runs at once, and its future is ready. Of such fibers one at a time may be in a collective.
///
/// **Errors.** `get()` throws the errors of the collective. If the future is destroyed, the next fence throws them, as it throws
/// errors of one-way calls; after a `then` or `when_all`, its future has them. Throws `usage_error` at once for the empty team.
///
/// If a function throws on one member only, the members that wait for it in a collective get a `usage_error` when that member
/// enters a collective of another team, or starts the next function of this one.
///
/// **Cost.** That of the collective, and a fiber (about 50 ns). No allocation for small values; the first one of a team makes the
/// duplicate.
namespace armilla {

// ---- For all ranks of the job ----

/// `world().collective_async(f)`.
template <class F>
auto collective_async(F f) {
  return world().collective_async(std::move(f));
}

/// `world().barrier_async()`.
inline future<void> barrier_async() { return world().barrier_async(); }
/// `world().broadcast_async(value, root)`.
template <class T>
auto broadcast_async(T value, rank_t root = 0) {
  return world().broadcast_async(std::move(value), root);
}

/// `world().all_reduce_async(value, op)`.
template <class T, class Op>
auto all_reduce_async(T value, Op op) {
  return world().all_reduce_async(std::move(value), std::move(op));
}

/// `world().all_gather_async(value)`, `world().all_gather_async(mine, all)`.
template <class... A>
  requires requires(A&&... a) { world().all_gather_async(std::forward<A>(a)...); }
auto all_gather_async(A&&... arguments) {
  return world().all_gather_async(std::forward<A>(arguments)...);
}

/// `world().all_gather_v_async(mine)`, `world().all_gather_v_async(mine, counts)`.
template <class... A>
  requires requires(A&&... a) { world().all_gather_v_async(std::forward<A>(a)...); }
auto all_gather_v_async(A&&... arguments) {
  return world().all_gather_v_async(std::forward<A>(arguments)...);
}

/// `world().all_to_all_async(values)`, `world().all_to_all_async(in, out)`.
template <class... A>
  requires requires(A&&... a) { world().all_to_all_async(std::forward<A>(a)...); }
auto all_to_all_async(A&&... arguments) {
  return world().all_to_all_async(std::forward<A>(arguments)...);
}

/// `world().all_to_all_v_async(parts)`, `world().all_to_all_v_async(in, in_counts, out_counts)`.
template <class... A>
  requires requires(A&&... a) { world().all_to_all_v_async(std::forward<A>(a)...); }
auto all_to_all_v_async(A&&... arguments) {
  return world().all_to_all_v_async(std::forward<A>(arguments)...);
}

/// `world().reduce_scatter_async(values, op)`, `world().reduce_scatter_async(all, mine, op)`.
template <class... A>
  requires requires(A&&... a) { world().reduce_scatter_async(std::forward<A>(a)...); }
auto reduce_scatter_async(A&&... arguments) {
  return world().reduce_scatter_async(std::forward<A>(arguments)...);
}

// ---- Implementation of the members of `team` only below ----

namespace detail {

template <class F>
decltype(auto) call_in_twin(F& f, const team& twin) {
  const call_of_twin before = call_begins(twin);
  try {
    return f(twin);
  } catch (const detail::passing&) { throw; } catch (...) {
    leave_call(twin, before);
    throw;
  }
}

}  // namespace detail

template <class F>
auto team::collective_async(F f) const -> future<std::invoke_result_t<F&, const team&>> {
  using R = std::invoke_result_t<F&, const team&>;
  detail::require_function(f, "collective_async");
  team twin = detail::twin_of(*this);
  const auto promised = detail::promise<R>::make("collective_async");
  future<R> result = promised.get_future();
  detail::late_op to(promised.target);
  if (detail::has_turn(twin)) {  // inside of such a function: it comes next, and waits for no other
    detail::fill(to, [&]() -> R { return detail::call_in_twin(f, twin); });
    return result;
  }
  detail::start_detached(
      [twin = std::move(twin), to = std::move(to), f = std::move(f)]() mutable {
        detail::fill(to, [&]() -> R {
          const detail::twin_turn turn(twin);
          return detail::call_in_twin(f, twin);
        });
      },
      "collective_async");
  return result;
}

template <class T>
auto team::broadcast_async(T value, rank_t root) const {
  return collective_async([value = std::move(value), root](const team& t) { return t.broadcast(value, root); });
}
template <class V>
auto team::scatter_async(V values, rank_t root) const {
  return collective_async([values = std::move(values), root](const team& t) { return t.scatter(values, root); });
}
template <class T>
auto team::scatter_async(std::span<const std::type_identity_t<T>> all, std::span<T> mine, rank_t root) const {
  return collective_async([all, mine, root](const team& t) { t.scatter(all, mine, root); });
}

template <class T, class Op>
auto team::reduce_async(T value, Op op, rank_t root) const {
  return collective_async(
      [value = std::move(value), op = std::move(op), root](const team& t) { return t.reduce(value, op, root); });
}
template <class T, class Op>
auto team::all_reduce_async(T value, Op op) const {
  return collective_async([value = std::move(value), op = std::move(op)](const team& t) { return t.all_reduce(value, op); });
}
template <class V, class Op>
auto team::reduce_scatter_async(V values, Op op) const {
  return collective_async(
      [values = std::move(values), op = std::move(op)](const team& t) { return t.reduce_scatter(values, op); });
}
template <class T, class Op>
auto team::reduce_scatter_async(std::span<const std::type_identity_t<T>> all, std::span<T> mine, Op op) const {
  return collective_async([all, mine, op = std::move(op)](const team& t) { t.reduce_scatter(all, mine, op); });
}
template <class T, class Op>
auto team::inclusive_scan_async(T value, Op op) const {
  return collective_async([value = std::move(value), op = std::move(op)](const team& t) { return t.inclusive_scan(value, op); });
}
template <class T, class U, class Op>
auto team::exclusive_scan_async(T value, U first, Op op) const {
  return collective_async([value = std::move(value), first = std::move(first), op = std::move(op)](const team& t) {
    return t.exclusive_scan(value, first, op);
  });
}

template <class T>
auto team::gather_async(T value, rank_t root) const {
  return collective_async([value = std::move(value), root](const team& t) { return t.gather(value, root); });
}
template <class T>
auto team::gather_async(std::span<const std::type_identity_t<T>> mine, std::span<T> all, rank_t root) const {
  return collective_async([mine, all, root](const team& t) { t.gather(mine, all, root); });
}
template <class T>
auto team::all_gather_async(T value) const {
  return collective_async([value = std::move(value)](const team& t) { return t.all_gather(value); });
}
template <class T>
auto team::all_gather_async(std::span<const std::type_identity_t<T>> mine, std::span<T> all) const {
  return collective_async([mine, all](const team& t) { t.all_gather(mine, all); });
}
template <class V>
auto team::all_gather_v_async(V mine) const {
  return collective_async([mine = std::move(mine)](const team& t) { return t.all_gather_v(mine); });
}
template <class T>
auto team::all_gather_v_async(std::span<const T> mine, std::span<std::size_t> counts) const {
  return collective_async([mine, counts](const team& t) { return t.all_gather_v(mine, counts); });
}

template <class V>
auto team::all_to_all_async(V values) const {
  return collective_async([values = std::move(values)](const team& t) { return t.all_to_all(values); });
}
template <class T>
auto team::all_to_all_async(std::span<const std::type_identity_t<T>> in, std::span<T> out) const {
  return collective_async([in, out](const team& t) { t.all_to_all(in, out); });
}
template <class V>
auto team::all_to_all_v_async(V parts) const {
  return collective_async([parts = std::move(parts)](const team& t) { return t.all_to_all_v(parts); });
}
template <class T>
auto team::all_to_all_v_async(std::span<const T> in, std::span<const std::size_t> in_counts,
                              std::span<std::size_t> out_counts) const {
  return collective_async([in, in_counts, out_counts](const team& t) { return t.all_to_all_v(in, in_counts, out_counts); });
}

}  // namespace armilla
