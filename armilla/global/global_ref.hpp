// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/global/address.hpp"

namespace armilla {

template <class T>
class global_ptr;

namespace detail {

template <class T>
void takes_global_ptr(const global_ptr<T>&);
/// A global_ptr, or a class that derives from one.
template <class P>
concept pointer_to_memory = requires(const P& p) { detail::takes_global_ptr(p); };

}  // namespace detail

/// The result of `*p`: it refers to an object of type `T` that may be on any rank.
///
///     const long z = *p;                  // reads
///     *p = 5;                             // writes
///     *q = *p;                            // copies the object
///
/// It is read and written by the expression that makes it, and the access is complete when that is. One that was given a name,
/// `auto z = *p`, neither converts nor can be assigned to, because it would read what is there by then: the compiler refuses it.
/// `get` and `set` do the same, for functions that take a reference: `check((*p).get(), 5)`. `T` must be trivially copyable.
///
/// **How.** On mapped memory it is one load (acquire) or store (release), in one piece up to 8 bytes. Otherwise it is a copy by
/// the kernel, or a call of the owner, which runs incoming calls while it waits, and is a `usage_error` inside a called function
/// that must not wait (`to_completion`, `safe`). `x += 1` and the like are a read and a write, not atomic: see `atomic_add`.
///
/// **Errors.** `usage_error` for null, a rank that does not exist, an address that is not aligned, and memory that is not open.
///
/// Paper: Split-C, section 2 (global pointers).
template <class T>
class global_ref {
 public:
  using value_type = std::remove_cv_t<T>;

  global_ref(const global_ref&) = delete;

  /// Reads the object.
  value_type get() const {
    static_assert(std::is_trivially_copyable_v<T>,
                  "armilla: only trivially copyable objects are read through a global_ptr; use a call");
    if (const std::byte* p = detail::direct<alignof(T)>(at_, "read", sizeof(T), detail::may_read)) [[likely]]
      return detail::load<value_type>(p);
    return detail::read_slowly<value_type>(at_.offset, at_.where);
  }
  // NOLINTBEGIN(google-explicit-constructor): reading is what a reference is for
  operator value_type() const&& { return get(); }
  operator value_type() const& {
    static_assert(sizeof(T) == 0,
                  "armilla: a global_ref is read where it is made; name the type of the element, `T z = *p` or `T z = x[i]`, "
                  "not auto");
    return get();
  }
  // NOLINTEND(google-explicit-constructor)

  /// Writes the object.
  void set(const value_type& value) const
    requires(!std::is_const_v<T>)
  {
    static_assert(std::is_trivially_copyable_v<T>,
                  "armilla: only trivially copyable objects are written through a global_ptr; use a call");
    if (std::byte* p = detail::direct<alignof(T)>(at_, "write", sizeof(T), detail::may_write)) [[likely]]
      return detail::store<value_type>(p, value);
    detail::write_slowly<value_type>(at_.offset, at_.where, value);
  }
  // NOLINTBEGIN(cppcoreguidelines-c-copy-assignment-signature,misc-unconventional-assign-operator): a reference is assigned
  // through
  const global_ref&& operator=(const value_type& value) const&&
    requires(!std::is_const_v<T>)
  {
    return after(value);
  }
  const global_ref&& operator=(const global_ref& other) const&&
    requires(!std::is_const_v<T>)
  {
    return after(other.get());
  }
  void operator=(const value_type&) const&
    requires(!std::is_const_v<T>)
  {
    refuse_name();
  }
  void operator=(const global_ref&) const&
    requires(!std::is_const_v<T>)
  {
    refuse_name();
  }
  // NOLINTEND(cppcoreguidelines-c-copy-assignment-signature,misc-unconventional-assign-operator)

  /// Returns the pointer to the object.
  global_ptr<T> operator&() const noexcept;  // NOLINT(google-runtime-operator): & undoes *

  /// If the object is a global pointer, refers to its target: `**gg`, `gg[i][j]`, `(*gg)->*&P::x`. Two accesses.
  auto operator*() const&&
    requires detail::pointer_to_memory<value_type>
  {
    return *get();
  }
  auto operator[](std::ptrdiff_t n) const&&
    requires detail::pointer_to_memory<value_type>
  {
    return get()[n];
  }
  template <class M>
    requires detail::pointer_to_memory<value_type>
  auto operator->*(M member) const&& {
    return get()->*member;
  }

  // clang-format off
  const global_ref&& operator+=(const value_type& v) const&& { return after(value_type(get() + v)); }
  const global_ref&& operator-=(const value_type& v) const&& { return after(value_type(get() - v)); }
  const global_ref&& operator*=(const value_type& v) const&& { return after(value_type(get() * v)); }
  const global_ref&& operator/=(const value_type& v) const&& { return after(value_type(get() / v)); }
  const global_ref&& operator%=(const value_type& v) const&& { return after(value_type(get() % v)); }
  const global_ref&& operator&=(const value_type& v) const&& { return after(value_type(get() & v)); }
  const global_ref&& operator|=(const value_type& v) const&& { return after(value_type(get() | v)); }
  const global_ref&& operator^=(const value_type& v) const&& { return after(value_type(get() ^ v)); }
  const global_ref&& operator<<=(int n) const&& { return after(value_type(get() << n)); }
  const global_ref&& operator>>=(int n) const&& { return after(value_type(get() >> n)); }
  const global_ref&& operator++() const&& { value_type v = get(); return after(++v); }
  const global_ref&& operator--() const&& { value_type v = get(); return after(--v); }
  value_type operator++(int) const&& { value_type v = get(), old = v; set(++v); return old; }
  value_type operator--(int) const&& { value_type v = get(), old = v; set(--v); return old; }
  // clang-format on

 private:
  friend class global_ptr<T>;
  template <class>
  friend class global_ptr;
  explicit global_ref(detail::global_address at) noexcept : at_(at) {}

  static void refuse_name() {
    static_assert(sizeof(T) == 0,
                  "armilla: a global_ref is assigned to where it is made; write `*p = 5`, not `auto z = *p; z = 5`");
  }

  /// Itself, after that value was written: still good for one more access.
  const global_ref&& after(const value_type& value) const {
    set(value);
    return static_cast<const global_ref&&>(*this);
  }

  detail::global_address at_;
};

}  // namespace armilla
