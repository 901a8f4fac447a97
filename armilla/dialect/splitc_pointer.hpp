// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <type_traits>

#include "armilla/dialect/splitc_inline.hpp"
#include "armilla/error.hpp"
#include "armilla/memory.hpp"
#include "armilla/transfer.hpp"

/// Split-C's pointers: `double *global gp` is `global<double *> gp`, `double *spread sp` is `spread<double *> sp`. Plain, global
/// and spread pointers are three types; what converts by itself, and what by a cast, is as in Split-C.
namespace armilla::splitc {

template <class T>
class global_pointer;
template <class T>
class spread_pointer;

/// Split-C's `T *global`: `global<T *>`.
template <class P>
  requires std::is_pointer_v<P>
using global = global_pointer<std::remove_pointer_t<P>>;
/// Split-C's `T *spread`: `spread<T *>`.
template <class P>
  requires std::is_pointer_v<P>
using spread = spread_pointer<std::remove_pointer_t<P>>;

/// The right side of a signalling store: `*gp <<= store(x)` is Split-C's `*gp :- x`.
template <class T>
struct stored {
  const T& value;
};
template <class T>
stored<T> store(const T& value) {
  return {value};
}

/// `*gp`, `gp[i]`: an object that may be on another processor.
///
///     lx = *gp;             *gp = lx;              // complete when they return
///     lx <<= *gp;           *gp <<= lx;            // split-phase, `:=`: complete after sync()
///     *gp <<= store(lx);                           // signalling, `:-`: complete after all_store_sync(), or there by store_sync
///
/// The left side of a get must stay where it is, and the value of a put or a store is taken at once. Structs are copied as they
/// are. Errors: as `armilla::global_ref`. Cost: as `*p`, `get`, `put`; a store adds its bytes to a count of its target's.
/// Paper: Split-C on the Paragon, section 2; MRPC, figure 2.
template <class T>
class place {
 public:
  using value_type = std::remove_cv_t<T>;

  explicit place(const global_ptr<T>& at) noexcept : at_(at) {}
  place(const place&) = default;

  operator value_type() const { return (*at_).get(); }  // NOLINT(google-explicit-constructor): reading is what it is for

  const place& operator=(const value_type& x) const {
    (*at_).set(x);
    return *this;
  }
  const place& operator=(const place& from) const { return *this = value_type(from); }
  const place& operator=(const place& from) { return *this = value_type(from); }  // NOLINT(misc-unconventional-assign-operator)

  void operator<<=(const value_type& x) const { armilla::put(at_, x); }
  template <class U>
    requires std::is_convertible_v<const U&, value_type>
  void operator<<=(const stored<U>& x) const {
    const value_type value(x.value);
    armilla::store(at_, value, detail::stores_arrived.on(at_.rank()), sizeof value);
  }

  // clang-format off
  const place& operator+=(const value_type& x) const { return *this = value_type(value_type(*this) + x); }
  const place& operator-=(const value_type& x) const { return *this = value_type(value_type(*this) - x); }
  const place& operator*=(const value_type& x) const { return *this = value_type(value_type(*this) * x); }
  const place& operator/=(const value_type& x) const { return *this = value_type(value_type(*this) / x); }
  const place& operator|=(const value_type& x) const { return *this = value_type(value_type(*this) | x); }
  const place& operator&=(const value_type& x) const { return *this = value_type(value_type(*this) & x); }
  const place& operator^=(const value_type& x) const { return *this = value_type(value_type(*this) ^ x); }
  const place& operator++() const { value_type x = *this; return *this = ++x; }
  const place& operator--() const { value_type x = *this; return *this = --x; }
  value_type operator++(int) const { value_type x = *this, old = x; *this = ++x; return old; }
  value_type operator--(int) const { value_type x = *this, old = x; *this = --x; return old; }
  // clang-format on

  global_pointer<T> operator&() const noexcept { return global_pointer<T>(at_); }  // NOLINT(google-runtime-operator)
  /// Of a global pointer that is stored there: `**gg`, `gg[i][j]`, `(*gg)->*&S::x`.
  auto operator*() const
    requires detail::is_pointer<value_type>
  {
    return *value_type(*this);
  }
  auto operator[](std::ptrdiff_t i) const
    requires detail::is_pointer<value_type>
  {
    return value_type(*this)[i];
  }

 private:
  global_ptr<T> at_;
};

/// `lx := *gp`: starts to read; `lx` is defined after `sync()`.
template <class T>
void operator<<=(std::type_identity_t<std::remove_cv_t<T>>& into, const place<T>& from) {
  armilla::get(into, (&from).address());
}

/// A pointer to memory of any processor: `global<double *> gp`. Arithmetic stays on the processor: `gp + 1` is the next element
/// of its memory. A plain pointer becomes one by itself, and means this processor's memory. 16 bytes; it can be sent. Paper:
/// MRPC, section 2 ("arithmetic on global pointers is the same as on local pointers").
template <class T>
class global_pointer {
  static constexpr bool to_void = std::is_void_v<T>;

 public:
  using element_type = T;

  constexpr global_pointer() noexcept = default;
  constexpr global_pointer(std::nullptr_t) noexcept {}                   // NOLINT(google-explicit-constructor)
  constexpr global_pointer(const global_ptr<T>& p) noexcept : at_(p) {}  // NOLINT(google-explicit-constructor)
  /// Of this processor's memory.
  global_pointer(T* mine) : at_(to_global(mine)) {}  // NOLINT(google-explicit-constructor)
  /// To a const element, or to void.
  template <class U>
    requires(!std::is_same_v<U, T> && std::is_convertible_v<U*, T*>)
  constexpr global_pointer(const global_pointer<U>& p) noexcept : at_(p.address()) {}  // NOLINT(google-explicit-constructor)
  /// Seen as another type, by a cast: `global<char *>(gp)`.
  template <class U>
    requires(!std::is_convertible_v<U*, T*>)
  constexpr explicit global_pointer(const global_pointer<U>& p) noexcept : at_(p.address().address()) {}

  place<T> operator*() const noexcept
    requires(!to_void)
  {
    return place<T>(at_);
  }
  place<T> operator[](std::ptrdiff_t i) const noexcept
    requires(!to_void)
  {
    return place<T>(at_ + i);
  }
  /// `gp->x` of a struct: `gp->*&S::x`.
  template <class M, class C>
    requires(std::is_object_v<M> && std::is_class_v<T>)
  auto operator->*(M C::* member) const noexcept {
    const auto at = &(at_->*member);
    return place<typename decltype(at)::element_type>(at);
  }

  /// A cast to a plain pointer: its local part. usage_error unless the memory is this processor's.
  explicit operator T*() const { return static_cast<T*>(detail::local_part(at_.address())); }
  constexpr explicit operator bool() const noexcept { return bool(at_); }
  constexpr const global_ptr<T>& address() const noexcept { return at_; }
  constexpr operator const global_ptr<T>&() const noexcept { return at_; }  // NOLINT(google-explicit-constructor): it is one

  // clang-format off
  constexpr global_pointer& operator+=(std::ptrdiff_t n) noexcept { at_ += n; return *this; }
  constexpr global_pointer& operator-=(std::ptrdiff_t n) noexcept { at_ -= n; return *this; }
  constexpr global_pointer& operator++() noexcept { return *this += 1; }
  constexpr global_pointer& operator--() noexcept { return *this -= 1; }
  constexpr global_pointer operator++(int) noexcept { global_pointer old = *this; ++*this; return old; }
  constexpr global_pointer operator--(int) noexcept { global_pointer old = *this; --*this; return old; }
  friend constexpr global_pointer operator+(global_pointer p, std::ptrdiff_t n) noexcept { return p += n; }
  friend constexpr global_pointer operator+(std::ptrdiff_t n, global_pointer p) noexcept { return p += n; }
  friend constexpr global_pointer operator-(global_pointer p, std::ptrdiff_t n) noexcept { return p -= n; }
  friend constexpr std::ptrdiff_t operator-(const global_pointer& a, const global_pointer& b) noexcept { return a.at_ - b.at_; }
  friend constexpr bool operator==(const global_pointer& a, const global_pointer& b) noexcept { return a.at_ == b.at_; }
  friend constexpr bool operator==(const global_pointer& a, std::nullptr_t) noexcept { return !a; }
  // clang-format on

 private:
  global_ptr<T> at_;
};

/// A pointer whose arithmetic goes from processor to processor: `sp + 1` is the same position on the next one, and after the last
/// the next element on processor 0. `global<T *>(sp + p)` is a global pointer from there: its arithmetic stays on p.
/// Of memory that is at the same offset everywhere: spread arrays, `all_spread_malloc`; and of static variables by `tospread`,
/// of the program and of its libraries, wherever each process has loaded them.
template <class T>
class spread_pointer {
 public:
  using element_type = T;

  constexpr spread_pointer() noexcept = default;
  constexpr spread_pointer(std::nullptr_t) noexcept {}  // NOLINT(google-explicit-constructor)
  constexpr explicit spread_pointer(const global_pointer<T>& p) noexcept : at_(p) {}
  template <class U>
  constexpr explicit spread_pointer(const spread_pointer<U>& p) noexcept : at_(global_pointer<U>(p)) {}

  place<T> operator*() const noexcept
    requires(!std::is_void_v<T>)
  {
    return *at_;
  }
  place<T> operator[](std::ptrdiff_t i) const
    requires(!std::is_void_v<T>)
  {
    return *(*this + i).at_;
  }

  constexpr explicit operator global_pointer<T>() const noexcept { return at_; }
  template <class U>
    requires(!std::is_same_v<U, T>)
  constexpr explicit operator global_pointer<U>() const noexcept {
    return global_pointer<U>(at_);
  }
  explicit operator T*() const { return static_cast<T*>(at_); }
  constexpr explicit operator bool() const noexcept { return bool(at_); }

  // clang-format off
  spread_pointer& operator+=(std::ptrdiff_t n) { at_ = detail::spread_by(at_.address(), n); return *this; }
  spread_pointer& operator-=(std::ptrdiff_t n) { return *this += -n; }
  spread_pointer& operator++() { return *this += 1; }
  spread_pointer& operator--() { return *this -= 1; }
  spread_pointer operator++(int) { spread_pointer old = *this; ++*this; return old; }
  spread_pointer operator--(int) { spread_pointer old = *this; --*this; return old; }
  friend spread_pointer operator+(spread_pointer p, std::ptrdiff_t n) { return p += n; }
  friend spread_pointer operator+(std::ptrdiff_t n, spread_pointer p) { return p += n; }
  friend spread_pointer operator-(spread_pointer p, std::ptrdiff_t n) { return p -= n; }
  friend std::ptrdiff_t operator-(const spread_pointer& a, const spread_pointer& b) { return detail::spread_distance(a.at_.address().address(), b.at_.address().address(), sizeof(T)); }
  friend constexpr bool operator==(const spread_pointer& a, const spread_pointer& b) noexcept { return a.at_ == b.at_; }
  friend constexpr bool operator==(const spread_pointer& a, std::nullptr_t) noexcept { return !a; }
  // clang-format on

 private:
  global_pointer<T> at_;
};

/// The processor that has the target.
template <class T>
int toproc(const global_pointer<T>& p) {
  return p.address().rank();
}
/// The local part; usage_error unless the memory is this processor's.
template <class T>
T* tolocal(const global_pointer<T>& p) {
  return static_cast<T*>(p);
}
/// A pointer to processor `proc`'s counterpart of `p`: the same static variable, or the same position in spread memory. Any
/// other address is taken as one of `proc`'s own, which it has sent. usage_error for a static variable where ranks are threads,
/// which is one object for all, and for one of a library that `proc` has not loaded. Cost: a two-way call to `proc` for its first
/// static variable, and one more after this processor has loaded a library. Paper: MRPC, section 2 ("to access
/// static variables on arbitrary nodes and to spread arrays across all nodes").
template <class T>
global_pointer<T> toglobal(int proc, T* p) {
  return global_ptr<T>(detail::on_processor(proc, p));
}
/// The same as a spread pointer.
template <class T>
spread_pointer<T> tospread(int proc, T* p) {
  return spread_pointer<T>(toglobal(proc, p));
}

}  // namespace armilla::splitc
