// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <compare>
#include <string_view>  // std::hash

#include "armilla/base/values/limits.hpp"
#include "armilla/global/address.hpp"
#include "armilla/global/global_ref.hpp"

namespace armilla {

class counter;
template <class T>
class global_ptr;

namespace detail {
void signal_counter(const global_ptr<counter>& c, std::uint64_t n);
[[noreturn, gnu::cold]] void throw_negative_signals(const char* operation, std::uint64_t n);

/// A number that is a constant costs nothing.
inline void require_signals(const char* operation, std::uint64_t n) {
  if (looks_negative(n)) [[unlikely]]
    throw_negative_signals(operation, n);
}
}  // namespace detail

/// A pointer to an object of type `T` anywhere in the job: in the segment of a rank (the memory that its host's ranks share), or
/// in its heap, static memory or stack.
///
/// Use it for data structures that span ranks, and for one-sided access: the owner does nothing for it. For arrays, `array` and
/// `spread_array` compute the pointers; for many elements, transfers (armilla/transfer.hpp) overlap.
///
///     am::global_ptr<double> p = am::allocate<double>(100);      // in this rank's segment
///     p[3] = 2.5;                                                // any rank that has a copy of p may write this
///     const double x = p[3];
///     double* mine = p.local();                                  // a plain pointer, where the memory is mapped
///     am::deallocate(p);
///
/// A `global_ptr` occupies 16 bytes, is trivially copyable, and can be sent to any rank of the job, also one that runs another
/// program. A value-initialized one is null.
///
/// **Access.** `*p` and `p[i]` read and write (`global_ref`); `p->*&P::x` is the member `x` of a struct `P`. Each is complete
/// when the expression is. `get`, `put` and `store` overlap and move blocks; `atomic_add` and the like are atomic.
///
/// **Arithmetic.** `p + n` stays on the rank, and counts in elements. `p.spread(n)` and `spread_ptr` go from rank to rank.
///
/// **Order.** On mapped memory a read acquires and a write releases; aligned objects of 1, 2, 4 and 8 bytes are read and written
/// whole. docs/spec/order.md has the details.
///
/// **Errors.** Access throws `usage_error` if the pointer is null or misaligned, or if it points to memory that the owner has not
/// opened in a job with ARMILLA_ACCESS=opened (armilla/open_memory.hpp).
///
/// **Cost.** `*p` on mapped memory takes three loads and two predicted branches in addition to the access. Otherwise the kernel
/// or the owner carries it out.
///
/// Paper: Split-C, section 2; MPC++ (global pointers).
template <class T>
class global_ptr {
 public:
  using element_type = T;
  static constexpr const char* wire_name = "armilla.global_ptr";  ///< with the target's type, in signatures of methods by name

  // ---- Construction ----

  /// Creates a null pointer.
  constexpr global_ptr() noexcept = default;
  constexpr global_ptr(std::nullptr_t) noexcept {}  // NOLINT(google-explicit-constructor): as for a plain pointer
  /// Converts to a pointer to const elements, or to void.
  template <class U>
    requires(!std::is_same_v<U, T> &&
             (std::is_convertible_v<U (*)[], T (*)[]> || (std::is_void_v<T> && std::is_convertible_v<U*, T*>)))
  constexpr global_ptr(const global_ptr<U>& other) noexcept : at_(other.address()) {}  // NOLINT(google-explicit-constructor)
  constexpr explicit global_ptr(detail::global_address at) noexcept : at_(at) {}

  // ---- The target ----

  /// Returns the rank that owns the target, or `no_rank` (-1) if the pointer is null.
  constexpr rank_t rank() const noexcept { return at_.null() ? rank_t{-1} : at_.rank(); }
  /// Returns whether the pointer is not null.
  constexpr explicit operator bool() const noexcept { return !at_.null(); }

  /// Returns whether this rank owns the target.
  bool is_local() const { return !at_.null() && at_.rank() == detail::head_here("is_local").rank; }
  /// Returns whether this rank can load and store the target directly: its own memory always, and any segment on one host, unless
  /// ARMILLA_ACCESS restricts it.
  bool is_mapped() const { return local() != nullptr; }
  /// Returns a plain pointer to the target, or null if it is not mapped. It is also mapped if another rank of this host owns it:
  /// `is_local` tests for that. Does not throw for a valid pointer.
  T* local() const { return static_cast<T*>(local_address(at_)); }

  // ---- Access ----

  /// Refers to the target, to read or write it: see `global_ref`.
  global_ref<T> operator*() const noexcept
    requires(!std::is_void_v<T>)
  {
    return global_ref<T>(at_);
  }
  /// Refers to the n-th element from here, on the same rank.
  template <class Index>
    requires(std::is_integral_v<Index> && !std::is_void_v<T>)
  global_ref<T> operator[](Index n) const noexcept {
    return global_ref<T>(at_.plus(std::int64_t(n) * std::int64_t(sizeof(T))));
  }
  /// Refers to a data member of the target: `p->*&P::x`.
  template <class M, class C>
    requires(std::is_object_v<M> && std::is_class_v<T> && (std::is_same_v<C, std::remove_cv_t<T>> || std::is_base_of_v<C, T>))
  auto operator->*(M C::* member) const noexcept {
    using target = std::conditional_t<std::is_const_v<T>, const M, M>;
    M T::* const mine = member;
    return global_ref<target>(at_.plus(std::bit_cast<std::int64_t>(mine)));  // a data member pointer is an offset (Itanium ABI)
  }

  T* operator->() const {
    static_assert(detail::dependent_false<T>,
                  "armilla: a global_ptr has no ->, its target may lie on another rank: p->*&P::x is a data member, "
                  "call(p.rank(), ...) runs a method there, p.local()->x is the plain way where it is mapped");
    return nullptr;
  }

  // ---- Arithmetic: on the same rank, in elements ----

  // clang-format off
  constexpr global_ptr& operator+=(std::ptrdiff_t n) noexcept requires(!std::is_void_v<T>) { at_ = at_.plus(n * std::int64_t(sizeof(T))); return *this; }
  constexpr global_ptr& operator-=(std::ptrdiff_t n) noexcept requires(!std::is_void_v<T>) { return *this += -n; }
  constexpr global_ptr& operator++() noexcept { return *this += 1; }
  constexpr global_ptr& operator--() noexcept { return *this += -1; }
  constexpr global_ptr operator++(int) noexcept { global_ptr old = *this; ++*this; return old; }
  constexpr global_ptr operator--(int) noexcept { global_ptr old = *this; --*this; return old; }
  friend constexpr global_ptr operator+(global_ptr p, std::ptrdiff_t n) noexcept requires(!std::is_void_v<T>) { return p += n; }
  friend constexpr global_ptr operator+(std::ptrdiff_t n, global_ptr p) noexcept requires(!std::is_void_v<T>) { return p += n; }
  friend constexpr global_ptr operator-(global_ptr p, std::ptrdiff_t n) noexcept requires(!std::is_void_v<T>) { return p += -n; }
  // clang-format on
  /// Returns the number of elements between two pointers to memory of one rank.
  friend constexpr std::ptrdiff_t operator-(const global_ptr& a, const global_ptr& b) noexcept
    requires(!std::is_void_v<T>)
  {
    return std::int64_t(a.at_.offset - b.at_.offset) / std::int64_t(sizeof(T));
  }

  /// Returns a pointer `n` elements further in spread order: element 0 of rank 0, of rank 1, ..., of the last rank, then element
  /// 1 of rank 0, and so on.
  ///
  /// For objects that all ranks have at the same offset (`spread_array`, `per_rank`). This is the spread arithmetic of Split-C.
  global_ptr spread(std::ptrdiff_t n) const
    requires(!std::is_void_v<T>)
  {
    const std::int64_t ranks = detail::head_here("spread").world_size;
    const std::int64_t line = std::int64_t(at_.rank()) + n;
    const std::int64_t rows = line >= 0 ? line / ranks : -((ranks - 1 - line) / ranks);
    return global_ptr(detail::global_address::make(at_.kind(), rank_t(line - rows * ranks),
                                                   at_.offset + std::uint64_t(rows * std::int64_t(sizeof(T))), at_.generation()));
  }

  // ---- Signals ----

  /// Adds `n` to the `counter` to which this points, and wakes its rank. May be called in a called function.
  ///
  /// After it has waited on the counter, the receiving rank sees
  /// - everything that this rank wrote before, on any rank, by operations that were complete: `*p = x`, or `put` and
  ///   `sync_memory`;
  /// - every `put` and `store` to memory of the counter's rank that this rank began before, complete or not.
  ///
  /// It says nothing about incomplete puts to other ranks, nor about calls.
  ///
  /// Throws what `*p` throws, and `usage_error` for a negative `n`. Cost: a store or an atomic addition on mapped memory. A
  /// message if the counter is not mapped, or if this rank has transfers in flight by message; the signal is then ordered after
  /// them.
  void signal(std::uint64_t n = 1) const
    requires std::is_same_v<T, counter>
  {
    detail::require_signals("signal", n);
    detail::signal_counter(*this, n);
  }

  // ---- Comparison ----

  /// Returns whether both point to the same object.
  friend constexpr bool operator==(const global_ptr& a, const global_ptr& b) noexcept {
    return a.at_.null() ? b.at_.null() : a.at_.offset == b.at_.offset && a.at_.place() == b.at_.place();
  }
  /// Orders pointers by rank, then by address.
  friend constexpr std::strong_ordering operator<=>(const global_ptr& a, const global_ptr& b) noexcept {
    if (a == b) return std::strong_ordering::equal;
    if (a.at_.place() != b.at_.place()) return a.at_.place() <=> b.at_.place();
    return a.at_.offset <=> b.at_.offset;
  }

  /// For the library.
  constexpr const detail::global_address& address() const noexcept { return at_; }

 private:
  static void* local_address(detail::global_address at) {
    if (std::byte* p = detail::direct<1>(at)) [[likely]]
      return p;
    return detail::local_far(at);
  }

  detail::global_address at_;
};

/// Returns a pointer to the same address with another type, as `reinterpret_cast` does.
template <class To, class From>
constexpr global_ptr<To> reinterpret_pointer_cast(const global_ptr<From>& p) noexcept {
  return global_ptr<To>(p.address());
}

template <class T>
global_ptr<T> global_ref<T>::operator&() const noexcept {
  return global_ptr<T>(at_);
}

}  // namespace armilla

template <class T>
struct std::hash<armilla::global_ptr<T>> {
  std::size_t operator()(const armilla::global_ptr<T>& p) const noexcept {
    if (!p) return 0;
    const std::uint64_t x = (p.address().offset ^ p.address().place() << 40) * 0x9e3779b97f4a7c15ULL;
    return std::size_t(x ^ x >> 32);
  }
};
