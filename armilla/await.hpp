// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <utility>

#include "armilla/future.hpp"
#include "armilla/rpc/await_inline.hpp"

namespace armilla {

/// Goes on with the value when the reply is there, or throws what the body threw; the future is empty afterwards.
template <class T>
auto operator co_await(future<T>&& f) noexcept {
  return detail::future_awaiter<T>(std::move(f));
}
template <class T>
auto operator co_await(future<T>& f) noexcept {
  return detail::future_awaiter<T>(std::move(f));
}

}  // namespace armilla
