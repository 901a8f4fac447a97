// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <type_traits>
#include <utility>

#include "armilla/call.hpp"
#include "armilla/future.hpp"
#include "armilla/object/remote_sync_inline.hpp"

namespace armilla {

/// Returns a future of the value of a sync_var on any rank of this program, which is ready when the variable has been written.
///
///     int x = am::read_sync_var(p).get();
///
/// The wait is at the owner, which continues with everything else meanwhile. The sync_var must live until the reply has arrived.
/// Errors are those of a call. Cost: a call; a stack at the owner while it is not written.
///
/// Paper: CC++ (sync variables behind global pointers); MPC++ (synchronizing structures).
template <class T>
[[nodiscard]] future<T> read_sync_var(const global_ptr<sync_var<T>>& p) {
  return call(p.rank(), [](global_ptr<sync_var<T>> at) -> T { return detail::own_sync_var(at, "read_sync_var").read(); }, p);
}

/// Writes a sync_var on any rank of this program. The future is ready when it has been written; after a second write `get()`
/// throws.
template <class T, class U>
  requires std::is_constructible_v<T, U&&>
[[nodiscard]] future<void> write_sync_var(const global_ptr<sync_var<T>>& p, U&& value) {
  return call(
      p.rank(), [](global_ptr<sync_var<T>> at, T v) { detail::own_sync_var(at, "write_sync_var").write(std::move(v)); }, p,
      T(std::forward<U>(value)));
}
template <class T>
  requires std::is_void_v<T>
[[nodiscard]] future<void> write_sync_var(const global_ptr<sync_var<T>>& p) {
  return call(p.rank(), [](global_ptr<sync_var<T>> at) { detail::own_sync_var(at, "write_sync_var").write(); }, p);
}

}  // namespace armilla
