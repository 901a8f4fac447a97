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

/// A pointer to an object of type T anywhere in the job: in the segment of a rank, or in the heap, static or stack memory
/// of its process. 16 bytes, trivially copyable, sendable to any rank of any program. Value-initialised it is null.
///
/// `*p` and `p[i]` read and write (`global_ref`); `p->*&P::x` is the member x of a struct P. `get`, `put`, `store` and
/// `sync_memory` overlap and move in bulk; `atomic_add` and its kin are atomic. `p + n` stays on the rank and counts in T;
/// `p.spread(n)` and `spread_ptr` go from rank to rank.
/// Cost of `*p` where the memory is mapped: three loads and two predicted branches beside the access.
/// Paper: Split-C, section 2; MPC++ (global pointers).
template <class T>
class global_ptr {
 public:
  using element_type = T;
  static constexpr const char* wire_name = "armilla.global_ptr";  ///< with the target's type: in signatures of methods by name

  constexpr global_ptr() noexcept = default;
  constexpr global_ptr(std::nullptr_t) noexcept {}  // NOLINT(google-explicit-constructor): as for a plain pointer
  /// To a const element, or to void.
  template <class U>
    requires(!std::is_same_v<U, T> &&
             (std::is_convertible_v<U (*)[], T (*)[]> || (std::is_void_v<T> && std::is_convertible_v<U*, T*>)))
  constexpr global_ptr(const global_ptr<U>& other) noexcept : at_(other.address()) {}  // NOLINT(google-explicit-constructor)
  constexpr explicit global_ptr(detail::global_address at) noexcept : at_(at) {}

  /// The rank on which the target lies; `no_rank` (-1) for null.
  constexpr rank_t rank() const noexcept { return at_.null() ? rank_t{-1} : at_.rank(); }
  constexpr explicit operator bool() const noexcept { return !at_.null(); }

  /// Whether the target lies on this rank.
  bool is_local() const { return !at_.null() && at_.rank() == detail::head_here("is_local").rank; }
  /// Whether this rank can load and store the target by `local()`: always if it is its own, and on one host any segment,
  /// unless ARMILLA_ACCESS restricts it.
  bool is_mapped() const { return local() != nullptr; }
  /// The plain pointer with which this rank can load and store the target, or nullptr. Never throws for a valid pointer.
  T* local() const { return static_cast<T*>(local_address(at_)); }

  /// The target. See global_ref.
  global_ref<T> operator*() const noexcept
    requires(!std::is_void_v<T>)
  {
    return global_ref<T>(at_);
  }
  /// The n-th element from here, on the same rank.
  template <class Index>
    requires(std::is_integral_v<Index> && !std::is_void_v<T>)
  global_ref<T> operator[](Index n) const noexcept {
    return global_ref<T>(at_.plus(std::int64_t(n) * std::int64_t(sizeof(T))));
  }
  /// A data member of the target: `p->*&P::x`.
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

  // Local arithmetic: the same rank, in units of T.
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
  /// Elements between two pointers to memory of one rank.
  friend constexpr std::ptrdiff_t operator-(const global_ptr& a, const global_ptr& b) noexcept
    requires(!std::is_void_v<T>)
  {
    return std::int64_t(a.at_.offset - b.at_.offset) / std::int64_t(sizeof(T));
  }

  /// Split-C's spread arithmetic: `n` elements on, where the next element lies on the next rank and the one after the last
  /// rank's is the next on rank 0. Meaningful where all ranks have the object at the same place (spread_array, per_rank).
  global_ptr spread(std::ptrdiff_t n) const
    requires(!std::is_void_v<T>)
  {
    const std::int64_t ranks = detail::head_here("spread").world_size;
    const std::int64_t line = std::int64_t(at_.rank()) + n;
    const std::int64_t rows = line >= 0 ? line / ranks : -((ranks - 1 - line) / ranks);
    return global_ptr(detail::global_address::make(at_.kind(), rank_t(line - rows * ranks),
                                                   at_.offset + std::uint64_t(rows * std::int64_t(sizeof(T))), at_.generation()));
  }

  /// Of a pointer to a `counter`: adds `n` to it and wakes its rank. The rank that has waited for it sees
  /// - everything that this rank had written before, on any rank, by operations that were complete: `*p = x`, `put` and
  ///   `sync_memory`;
  /// - every `put` and `store` to memory of the counter's rank that this rank had begun before, complete or not.
  /// It says nothing about puts to other ranks that are not complete, and nothing about statements and questions: those run when
  /// they are taken in. May be called in a body. Errors: as `*p`; usage_error for an `n` that was negative. Cost: on mapped
  /// memory a store or an atomic addition; a message where the counter's memory is not mapped, or transfers of this rank are
  /// under way by message: then it goes behind them.
  void signal(std::uint64_t n = 1) const
    requires std::is_same_v<T, counter>
  {
    detail::require_signals("signal", n);
    detail::signal_counter(*this, n);
  }

  /// Two pointers are equal if they point to the same place.
  friend constexpr bool operator==(const global_ptr& a, const global_ptr& b) noexcept {
    return a.at_.null() ? b.at_.null() : a.at_.offset == b.at_.offset && a.at_.place() == b.at_.place();
  }
  /// By rank, then by place.
  friend constexpr std::strong_ordering operator<=>(const global_ptr& a, const global_ptr& b) noexcept {
    if (a == b) return std::strong_ordering::equal;
    if (a.at_.place() != b.at_.place()) return a.at_.place() <=> b.at_.place();
    return a.at_.offset <=> b.at_.offset;
  }

  constexpr const detail::global_address& address() const noexcept { return at_; }

 private:
  static void* local_address(detail::global_address at) {
    if (std::byte* p = detail::direct<1>(at)) [[likely]]
      return p;
    return detail::local_far(at);
  }

  detail::global_address at_;
};

/// The same place seen as another type, as reinterpret_cast does.
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
