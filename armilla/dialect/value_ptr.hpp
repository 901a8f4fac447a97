// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <type_traits>
#include <utility>

#include "armilla/dialect/value_ptr_inline.hpp"
#include "armilla/global_ptr.hpp"

/// Global pointers to objects of classes, and to global pointers: what CC++ reads and writes through them is copied by a call.
namespace armilla::ccpp {

template <class T>
class value_ptr;

/// The result of `*p` for a `value_ptr`: converting it to T reads, assigning to it writes; both are complete when they return.
/// `*p = *q` copies the object.
///
///     std::string name = *gp;           *gp = "a name";
///     double x = **gg;                  (*gg)->foo(1);        // gg points to a global pointer
///
/// Where C++ does not convert, as in `(*gp).get() + "!"`, call `get`.
/// Errors: usage_error for a null pointer; what the copy throws at the owner, as remote_error.
/// Cost: of a type that is trivially copyable as of `global_ref`; of any other a two-way call, on the own rank a copy.
template <class T>
class value_ref {
 public:
  using value_type = std::remove_cv_t<T>;

  explicit value_ref(const global_ptr<T>& at) noexcept : at_(at) {}
  value_ref(const value_ref&) = delete;

  value_type get() const { return detail::read_value(at_); }
  operator value_type() const { return get(); }  // NOLINT(google-explicit-constructor): reading is what a reference is for

  // NOLINTBEGIN(cppcoreguidelines-c-copy-assignment-signature,misc-unconventional-assign-operator): assigned through
  const value_ref& operator=(value_type value) const
    requires(!std::is_const_v<T>)
  {
    detail::write_value(at_, std::move(value));
    return *this;
  }
  const value_ref& operator=(const value_ref& from) const
    requires(!std::is_const_v<T>)
  {
    return *this = from.get();
  }
  const value_ref& operator=(const value_ref& from)
    requires(!std::is_const_v<T>)
  {
    return std::as_const(*this) = from.get();
  }
  // NOLINTEND(cppcoreguidelines-c-copy-assignment-signature,misc-unconventional-assign-operator)

  /// Of a global pointer that is stored there: `**gg`, `gg[i][j]`, `(*gg)->foo()`, `(*gg)->*&T::x`.
  auto operator*() const
    requires detail::pointer_to_memory<value_type>
  {
    return *get();
  }
  auto operator[](std::ptrdiff_t i) const
    requires detail::pointer_to_memory<value_type>
  {
    return get()[i];
  }
  value_type operator->() const
    requires detail::pointer<value_type>
  {
    return get();  // lives as long as the expression
  }
  template <class M>
    requires detail::pointer_to_memory<value_type>
  auto operator->*(M member) const {
    return get()->*member;
  }

  value_ptr<T> operator&() const noexcept { return at_; }  // NOLINT(google-runtime-operator): & undoes *

 private:
  global_ptr<T> at_;
};

/// A pointer to an object of a class on any rank of this program: a std::string, a std::vector, a class of one's own that is
/// sendable, another global pointer. Made from `to_global(&object)`; the object must outlive the accesses. 16 bytes, may be sent.
///
/// `*p` and `p[i]` read and write (`value_ref`), `p->*&T::x` a data member; arithmetic stays on the rank. A reader sees what the
/// object is between two waits of its owner. See `methods` for `p->x` and `p->m()`.
/// Paper: MRPC, section 2 ("all global pointer dereferences into RPCs") and section 3 ("arguments ... arbitrary objects").
template <class T>
class value_ptr : public global_ptr<T> {
 public:
  value_ptr() noexcept = default;
  value_ptr(std::nullptr_t) noexcept {}                             // NOLINT(google-explicit-constructor): as for a plain pointer
  value_ptr(const global_ptr<T>& p) noexcept : global_ptr<T>(p) {}  // NOLINT(google-explicit-constructor): the same thing
  /// To a const object.
  template <class U>
    requires(!std::is_same_v<U, T> && std::is_convertible_v<global_ptr<U>, global_ptr<T>>)
  value_ptr(const global_ptr<U>& p) noexcept : global_ptr<T>(p) {}  // NOLINT(google-explicit-constructor)

  value_ref<T> operator*() const noexcept { return value_ref<T>(*this); }
  value_ref<T> operator[](std::ptrdiff_t i) const noexcept { return value_ref<T>(*this + i); }
  /// A data member: `p->*&T::x`.
  template <class M, class C>
    requires(std::is_object_v<M> && std::is_class_v<T>)
  auto operator->*(M C::* member) const noexcept {
    const auto at = &(static_cast<const global_ptr<T>&>(*this)->*member);
    return value_ref<typename decltype(at)::element_type>(at);
  }
  /// A method, which runs where the object is, atomic until it first waits: `(p->*&T::m)(arguments...)` returns a copy of
  /// what it returns. Any class, without `methods`; of several overloads one by a cast. Errors: what the method throws. Cost: a
  /// two-way call.
  template <class F, class C>
    requires(std::is_function_v<F> && std::is_class_v<T>)
  auto operator->*(F C::* method) const {
    return detail::bound_method<T, F, C>(*this, method);
  }

  // clang-format off
  value_ptr& operator+=(std::ptrdiff_t n) noexcept { global_ptr<T>::operator+=(n); return *this; }
  value_ptr& operator-=(std::ptrdiff_t n) noexcept { return *this += -n; }
  value_ptr& operator++() noexcept { return *this += 1; }
  value_ptr& operator--() noexcept { return *this -= 1; }
  value_ptr operator++(int) noexcept { value_ptr old = *this; ++*this; return old; }
  value_ptr operator--(int) noexcept { value_ptr old = *this; --*this; return old; }
  friend value_ptr operator+(value_ptr p, std::ptrdiff_t n) noexcept { return p += n; }
  friend value_ptr operator+(std::ptrdiff_t n, value_ptr p) noexcept { return p += n; }
  friend value_ptr operator-(value_ptr p, std::ptrdiff_t n) noexcept { return p -= n; }
  friend std::ptrdiff_t operator-(const value_ptr& a, const value_ptr& b) noexcept { return static_cast<const global_ptr<T>&>(a) - static_cast<const global_ptr<T>&>(b); }
  // clang-format on
};

}  // namespace armilla::ccpp
