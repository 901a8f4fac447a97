// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <utility>

#include "armilla/future.hpp"
#include "armilla/rpc/await_inline.hpp"

namespace armilla {

/// Awaits a future in a coroutine: continues with its value when it has arrived, or throws what the called function threw. The
/// future is empty afterwards. See armilla/task.hpp.
template <class T>
auto operator co_await(future<T>&& f) noexcept {
  return detail::future_awaiter<T>(std::move(f));
}
template <class T>
auto operator co_await(future<T>& f) noexcept {
  return detail::future_awaiter<T>(std::move(f));
}

}  // namespace armilla
