// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <new>
#include <type_traits>
#include <utility>

#include "armilla/fiber/sync_var_inline.hpp"

namespace armilla {

/// A variable that is written once; a read before that waits for the write. For fibers of one rank.
///
///     am::sync_var<int> v;
///     am::fiber<void> f = am::spawn([&] { v = compute(); });
///     use(v);                        // waits
///     f.join();
///
/// Any number of readers may wait, and continue in the order in which they came. Other ranks reach it by a call
/// (armilla/remote_sync.hpp). It must outlive the fibers that wait. Cost: about 2 ns to write and read if no fiber waits, no
/// allocation; one switch for each fiber that waits.
///
/// Paper: CC++ (sync); MRPC, section 2; MPC++, section 2 (synchronizing structures).
template <class T>
class sync_var : public detail::sync_state {
  static_assert(std::is_object_v<T> && !std::is_const_v<T>, "armilla: a sync_var holds a value; use std::decay_t of the type");

 public:
  using value_type = T;

  constexpr sync_var() noexcept {}
  /// Creates a variable that is written already.
  explicit sync_var(T value) { write(std::move(value)); }
  ~sync_var() {
    if (ready()) value_.~T();
  }
  sync_var(const sync_var&) = delete;

  /// Writes the value and wakes the fibers that wait for it; they run when their turn comes. `usage_error` at a second write.
  template <class U = T>
    requires std::is_constructible_v<T, U&&>
  void write(U&& value) {
    require_unwritten();
    ::new (static_cast<void*>(&value_)) T(std::forward<U>(value));
    publish();
  }
  template <class U = T>
    requires(std::is_constructible_v<T, U &&> && !std::is_same_v<std::remove_cvref_t<U>, sync_var>)
  sync_var& operator=(U&& value) {
    write(std::forward<U>(value));
    return *this;
  }
  sync_var& operator=(const sync_var&) = delete;

  /// Waits until the variable is written, and returns its value. Other fibers run meanwhile.
  const T& read() const {
    await();
    return value_;
  }
  const T& get() const { return read(); }
  operator const T&() const { return read(); }

 private:
  union {
    T value_;
  };
};

/// An event that happens once: a sync_var without a value.
///
///     am::sync_var<void> ready;
///     am::spawn([&] { ready.write(); }).detach();
///     ready.read();                  // waits
template <>
class sync_var<void> : public detail::sync_state {
 public:
  using value_type = void;

  /// Marks the event as happened, and wakes the fibers that wait. `usage_error` at a second call.
  void write() {
    require_unwritten();
    publish();
  }
  /// Waits until the event has happened.
  void read() const { await(); }
  void get() const { await(); }
};

}  // namespace armilla
