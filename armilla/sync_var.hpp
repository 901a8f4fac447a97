// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <new>
#include <type_traits>
#include <utility>

#include "armilla/fiber/sync_var_inline.hpp"

namespace armilla {

/// A variable that is written once; a read before that waits for it. For fibers of one rank; other ranks reach it by a
/// call.
///
///     am::sync_var<int> v;
///     am::spawn([&] { v = compute(); });
///     use(v);                        // waits
///
/// Any number of readers may wait, and go on in the order in which they came. Cost: some 2 ns to write and read when no fiber
/// waits, no allocation ever; one switch for each that waits. It must outlive those that wait.
/// Paper: CC++ (sync); MRPC, section 2; MPC++, section 2 (synchronising structures).
template <class T>
class sync_var : public detail::sync_state {
  static_assert(std::is_object_v<T> && !std::is_const_v<T>, "armilla: a sync_var holds a value; use std::decay_t of the type");

 public:
  using value_type = T;

  constexpr sync_var() noexcept {}
  /// Written from the start.
  explicit sync_var(T value) { write(std::move(value)); }
  ~sync_var() {
    if (ready()) value_.~T();
  }
  sync_var(const sync_var&) = delete;

  /// Gives it its value and wakes the fibers that wait for it; they run when their turn comes. Errors: usage_error at a second
  /// write.
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

  /// Waits until it is written; other fibers run meanwhile.
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

/// Only that it has been written: an event that happens once.
template <>
class sync_var<void> : public detail::sync_state {
 public:
  using value_type = void;

  /// Errors: usage_error at a second write.
  void write() {
    require_unwritten();
    publish();
  }
  void read() const { await(); }
  void get() const { await(); }
};

}  // namespace armilla
