// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <exception>
#include <tuple>
#include <utility>
#include <vector>

#include "armilla/future.hpp"
#include "armilla/rpc/when_all_inline.hpp"

namespace armilla {

/// Returns a future of all values, in the order of `futures`. It is ready when the last one is.
///
///     std::vector<am::future<int>> asked;
///     for (am::rank_t r = 0; r < am::ranks(); ++r) asked.push_back(am::call(r, [] { return am::rank(); }));
///     const std::vector<int> all = am::when_all(std::move(asked)).get();
///
/// If futures fail, it fails with the error that came first, when the last one is ready. Values are default constructible. Cost:
/// one allocation, and one for each future that is not ready yet.
template <class T>
  requires(!std::is_void_v<T>)
future<std::vector<T>> when_all(std::vector<future<T>> futures);

/// Returns a future that is ready when all of `futures` are. Errors and cost are as above.
inline future<void> when_all(std::vector<future<void>> futures) {
  auto promised = detail::promise<void>::make("when_all");
  future<void> result = promised.get_future();
  auto* all = new detail::countdown{futures.size() + 1, nullptr, detail::late_op(promised.target)};
  struct sink {
    detail::countdown* all;
    void fail(std::exception_ptr reason) {
      if (all->error == nullptr) all->error = std::move(reason);
      all->arrived();
    }
    void take(detail::no_value&&) { all->arrived(); }
  };
  for (const future<void>& f : futures) promised.waits_for(f);
  for (auto& f : futures)
    detail::when_filled(std::move(f), [all](detail::pending_op* filled) { detail::consume<void>(filled, sink{all}); });
  all->arrived();
  return result;
}

/// Returns a future of a tuple of all values, for futures of several types. Errors and cost are as above.
template <class... T>
  requires((!std::is_void_v<T> && ...) && sizeof...(T) > 0)
future<std::tuple<T...>> when_all(future<T>... futures);

/// Returns a future of the first of `futures` that is ready: its index and its value. It fails if that one has failed.
///
/// The others are discarded: their functions run, but their results are not waited for. Throws `usage_error` if there are no
/// futures. Cost: as `when_all`.
template <class T>
  requires(!std::is_void_v<T>)
future<std::pair<std::size_t, T>> when_any(std::vector<future<T>> futures);

// ---- Implementation only below ----

template <class T>
  requires(!std::is_void_v<T>)
future<std::vector<T>> when_all(std::vector<future<T>> futures) {
  using values = std::vector<T>;
  auto promised = detail::promise<values>::make("when_all");
  future<values> result = promised.get_future();
  auto* all = new detail::gathering<values, values>{values(futures.size()), futures.size() + 1, nullptr,
                                                    detail::late_op(promised.target)};
  for (const future<T>& f : futures) promised.waits_for(f);
  for (std::size_t i = 0; i < futures.size(); ++i)
    detail::gather_into(std::move(futures[i]), all, [i](values& to, T&& value) { to[i] = std::move(value); });
  all->arrived();
  return result;
}

template <class... T>
  requires((!std::is_void_v<T> && ...) && sizeof...(T) > 0)
future<std::tuple<T...>> when_all(future<T>... futures) {
  using values = std::tuple<T...>;
  auto promised = detail::promise<values>::make("when_all");
  future<values> result = promised.get_future();
  auto* all = new detail::gathering<values, values>{values(), sizeof...(T) + 1, nullptr, detail::late_op(promised.target)};
  (promised.waits_for(futures), ...);
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (detail::gather_into(std::move(futures), all, [](values& to, T&& value) { std::get<I>(to) = std::move(value); }), ...);
  }(std::index_sequence_for<T...>{});
  all->arrived();
  return result;
}

template <class T>
  requires(!std::is_void_v<T>)
future<std::pair<std::size_t, T>> when_any(std::vector<future<T>> futures) {
  using first = std::pair<std::size_t, T>;
  if (futures.empty()) detail::throw_empty_future("when_any");
  auto promised = detail::promise<first>::make("when_any");
  future<first> result = promised.get_future();
  for (const future<T>& f : futures) promised.waits_for(f);
  for (std::size_t i = 0; i < futures.size(); ++i) {
    struct sink {
      std::size_t i;
      detail::late_op to;
      void fail(std::exception_ptr reason) {
        if (detail::pending_op* c = to.find()) c->fail(std::move(reason));
      }
      void take(T&& value) {
        if (detail::pending_op* c = to.find()) detail::forward_to<first>{c}.take({i, std::move(value)});
      }
    };
    detail::when_filled(std::move(futures[i]), [i, to = detail::late_op(promised.target)](detail::pending_op* filled) {
      detail::consume<T>(filled, sink{i, to});
    });
  }
  return result;
}

}  // namespace armilla
