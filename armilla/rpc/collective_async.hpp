// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/fiber/mutex.hpp"
#include "armilla/fiber/spawn.hpp"
#include "armilla/rpc/future.hpp"
#include "armilla/team/collectives.hpp"

/// Collectives that a rank starts and asks for later. What they give is a future: `get`, `then`, `when_all` and `co_await` work.
///
///     am::future<double> sum = am::all_reduce_async(mine, std::plus<>{});
///     compute();                                  // the others see `mine` already
///     use(sum.get());
///
/// Each is a fiber that enters the collective in a twin of the team: so they never mix with collectives that the rank waits in,
/// nor with those of other teams. A team's own run one after the other, in the order in which they were started. They make
/// progress in any wait, poll or yield of the rank.
///
/// All members start them in the same order, as for all collectives of a team; the two kinds are counted apart. Bodies may start
/// them, too, and a fence then waits for them. Errors arrive at `get`, and at the next fence as a statement's if the
/// future is dropped (not where a `then` or `when_all` has taken it over: its future alone has the error then); usage_error at
/// once for the empty team. The job does not end before they have. Cost: that of the collective, a fiber (some 50 ns), and no
/// allocation for small values; the first of a team makes its twin.
namespace armilla {

/// Runs `f(t)`, where `t` is the twin of `members`, and gives a future of what it returns: any collectives, one after the other.
///
///     auto both = am::collective_async(half, [x](const am::team& t) { return std::pair(t.inclusive_scan(x, plus),
///     t.all_reduce(x, plus));
///     });
///
/// `t` is meant for `f` only. It has no fence and no split.
template <class F>
auto collective_async(const team& members, F f) -> future<std::invoke_result_t<F&, const team&>> {
  using R = std::invoke_result_t<F&, const team&>;
  team twin = detail::twin_of(members);
  const auto promised = detail::promise<R>::make("collective_async");
  promised.target->tells = true;
  future<R> result = promised.get_future();
  detail::start_detached(
      [twin = std::move(twin), to = detail::late_cell(promised.target), f = std::move(f)]() mutable {
        const std::lock_guard turn(detail::turn_of(twin));
        detail::fill(to, [&]() -> R { return f(twin); }, true);
      },
      "collective_async");
  return result;
}

/// Ready when all members have started it.
inline future<void> barrier_async(const team& members) {
  return collective_async(members, [](const team& t) { t.barrier(); });
}
inline future<void> barrier_async() { return barrier_async(world()); }

/// `members.all_reduce(value, op)`, later.
template <sendable_value T, combines<T> Op>
future<T> all_reduce_async(const team& members, T value, Op op) {
  return collective_async(members,
                          [value = std::move(value), op = std::move(op)](const team& t) { return t.all_reduce(value, op); });
}
template <sendable_value T, combines<T> Op>
future<T> all_reduce_async(T value, Op op) {
  return all_reduce_async(world(), std::move(value), std::move(op));
}

/// `members.broadcast(value, root)`, later.
template <sendable_value T>
future<T> broadcast_async(const team& members, T value, rank_t root = 0) {
  return collective_async(members, [value = std::move(value), root](const team& t) { return t.broadcast(value, root); });
}

/// `members.all_gather(value)`, later.
template <sendable_value T>
future<std::vector<T>> all_gather_async(const team& members, T value) {
  return collective_async(members, [value = std::move(value)](const team& t) { return t.all_gather(value); });
}
template <sendable_value T>
future<std::vector<T>> all_gather_async(T value) {
  return all_gather_async(world(), std::move(value));
}

/// `members.all_to_all_v(parts)`, later.
template <sendable_value T>
future<std::vector<std::vector<T>>> all_to_all_v_async(const team& members, std::vector<std::vector<T>> parts) {
  return collective_async(members, [parts = std::move(parts)](const team& t) { return t.all_to_all_v(parts); });
}

}  // namespace armilla
