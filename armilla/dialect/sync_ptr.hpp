// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "armilla/global_ptr.hpp"
#include "armilla/remote_sync.hpp"
#include "armilla/sync_var.hpp"

/// CC++'s sync variables, and global pointers to them.
namespace armilla::ccpp {

/// CC++'s `sync T v`: an `armilla::sync_var`, of any type that C++ can copy or move, which may be copied as well. A copy waits
/// for the value and has it: `sync_var<int> b = a;`, a parameter by value, `b = a;` of a `b` that is not written yet. Later
/// writes to either are errors.
///
///     sync_var<std::vector<int>> v;     spawn([&] { v = {1, 2, 3}; });
///     sync_var<const int> k = 3;        // has its value from the start: `sync const int k = 3`
///     sync_var<int> row[10];            // `sync int row[10]`: each is written by itself
///
/// Cost: as `armilla::sync_var`.
/// Paper: MRPC, section 2 ("write-once sync variables").
template <class T>
class sync_var : public armilla::sync_var<std::remove_const_t<T>> {
  using base = armilla::sync_var<std::remove_const_t<T>>;

 public:
  using typename base::value_type;

  constexpr sync_var() noexcept
    requires(!std::is_const_v<T>)
  {}
  template <class U>
    requires(!std::is_same_v<std::remove_cvref_t<U>, sync_var> && std::is_convertible_v<U &&, value_type>)
  sync_var(U&& value) {  // NOLINT(google-explicit-constructor,bugprone-forwarding-reference-overload): `sync int v = 3`
    base::write(std::forward<U>(value));
  }
  sync_var(const sync_var& other)
    requires std::copy_constructible<value_type>
      : base(other.read()) {}

  template <class U>
    requires(!std::is_const_v<T> && !std::is_same_v<std::remove_cvref_t<U>, sync_var> && std::is_convertible_v<U &&, value_type>)
  sync_var& operator=(U&& value) {
    base::write(std::forward<U>(value));
    return *this;
  }
  sync_var& operator=(value_type value)  // in braces
    requires(!std::is_const_v<T>)
  {
    base::write(std::move(value));
    return *this;
  }
  sync_var& operator=(const sync_var& other)
    requires(!std::is_const_v<T> && std::copy_constructible<value_type>)
  {
    base::write(other.read());
    return *this;
  }
};
/// Only that it has been written.
template <>
class sync_var<void> : public armilla::sync_var<void> {};

template <class T>
sync_var(T) -> sync_var<T>;

namespace detail {

/// The type of a sync variable's value: const if it cannot be written through a pointer. void: it is not a sync variable.
template <class S>
struct sync_value {};
template <class T>
struct sync_value<armilla::sync_var<T>> : std::type_identity<T> {};
template <class T>
struct sync_value<sync_var<T>> : std::type_identity<T> {};
template <class S>
  requires requires { typename sync_value<S>::type; }
struct sync_value<const S> : std::type_identity<const typename sync_value<S>::type> {};

template <class S>
concept sync_variable = requires { typename sync_value<S>::type; };
template <class S, class T>
concept sync_variable_of =
    sync_variable<S> && std::is_same_v<std::remove_const_t<typename sync_value<S>::type>, std::remove_const_t<T>> &&
    std::is_convertible_v<typename sync_value<S>::type*, T*>;

template <class T>
using sync_target = std::conditional_t<std::is_const_v<T>, const armilla::sync_var<std::remove_const_t<T>>, armilla::sync_var<T>>;

}  // namespace detail

/// The result of `*p` for a pointer to a sync variable: a read waits until it has been written, a write waits until it is
/// done. Errors: usage_error at a second write, as remote_error if it is on another rank.
template <class T>
class sync_ref {
 public:
  using value_type = std::remove_const_t<T>;

  explicit sync_ref(const global_ptr<armilla::sync_var<value_type>>& at) noexcept : at_(at) {}
  sync_ref(const sync_ref&) = delete;

  value_type get() const { return read_sync_var(at_).get(); }
  operator value_type() const { return get(); }  // NOLINT(google-explicit-constructor): reading is what it is for

  // NOLINTBEGIN(cppcoreguidelines-c-copy-assignment-signature,misc-unconventional-assign-operator): assigned through
  const sync_ref& operator=(value_type value) const
    requires(!std::is_const_v<T>)
  {
    write_sync_var(at_, std::move(value)).get();
    return *this;
  }
  const sync_ref& operator=(const sync_ref& from) const
    requires(!std::is_const_v<T>)
  {
    return *this = from.get();
  }
  const sync_ref& operator=(const sync_ref& from)
    requires(!std::is_const_v<T>)
  {
    return std::as_const(*this) = from.get();
  }
  // NOLINTEND(cppcoreguidelines-c-copy-assignment-signature,misc-unconventional-assign-operator)

 private:
  global_ptr<armilla::sync_var<value_type>> at_;
};

/// A pointer to a sync variable on any rank of this program; made from `to_global(&v)`. `sync_ptr<const T>` only reads. Cost of
/// an access: a two-way call, while it is not written a stack at the owner. The variable must outlive the waits for it. Paper:
/// MRPC, section 2 (sync variables).
template <class T>
class sync_ptr : public global_ptr<detail::sync_target<T>> {
  using target = detail::sync_target<T>;

 public:
  sync_ptr() noexcept = default;
  sync_ptr(std::nullptr_t) noexcept {}  // NOLINT(google-explicit-constructor): as for a plain pointer
  template <class S>
    requires detail::sync_variable_of<S, T>
  sync_ptr(const global_ptr<S>& p) noexcept  // NOLINT(google-explicit-constructor): the same thing
      : global_ptr<target>(reinterpret_pointer_cast<target>(p)) {}

  sync_ref<T> operator*() const { return at(0); }
  /// Of an array of sync variables.
  sync_ref<T> operator[](std::ptrdiff_t i) const { return at(i); }
  friend sync_ptr operator+(const sync_ptr& p, std::ptrdiff_t n) noexcept {
    return static_cast<const global_ptr<target>&>(p) + n;
  }

 private:
  sync_ref<T> at(std::ptrdiff_t i) const {
    const global_ptr<target> there = static_cast<const global_ptr<target>&>(*this) + i;
    return sync_ref<T>(reinterpret_pointer_cast<std::remove_const_t<target>>(there));
  }
};

}  // namespace armilla::ccpp
