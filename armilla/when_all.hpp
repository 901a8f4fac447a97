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

/// A future of all values, in the order of the futures. Ready when the last is; fails, then, with the error that came
/// first. One allocation, and one for each future that is not there yet. Values are default constructible.
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

/// Ready when all are; errors and cost as above.
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

/// The same for futures of several types: a future of a tuple.
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

/// A future of the position of the first of `futures` that is ready, and of its value; fails if that one has failed. The others
/// are dropped: their bodies run on, and their replies are not waited for. Errors: usage_error for no futures. Cost as of
/// `when_all`.
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
