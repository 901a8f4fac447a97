// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <memory>
#include <ranges>
#include <span>
#include <utility>

#include "armilla/base/core/check.hpp"
#include "armilla/base/values/types.hpp"
#include "armilla/container/place/overlap.hpp"

namespace armilla::detail {

#if ARMILLA_CHECKED

template <class T>
class local_elements;

/// What this rank has begun by one-way calls about a container's elements, and no fence of this rank has completed since. A part
/// of the container in the checked library alone.
class order_check {
 public:
  /// A one-way call to the container, or to one of its elements, which is this rank's element `place` if `own`.
  void begin() const;
  void begin(std::size_t element, bool own, std::size_t place) const;
  template <class Placement>
  void begin(std::size_t element, const Placement& where, rank_t me) const {
    const auto [member, place] = where.locate(element);
    begin(element, member == me, place);
  }
  /// Elements are appended here, and the next fence makes them elements of the container.
  void stage() const;
  /// A two-way call follows earlier calls to its element: they are complete when its result is there.
  void settle(std::size_t element) const;
  /// This rank's elements are about to be read. usage_error if a barrier follows one of these calls: a fence was meant.
  void require_no_barrier(const char* operation) const;
  /// An element is about to be read or written directly. usage_error if one of these calls changes it.
  void require_complete(std::size_t element, const char* operation) const;
  /// The same for this rank's element `place`, and for all of them, by what `local` has returned.
  void require_complete_here(std::size_t place) const;
  void require_all_complete_here() const;

  /// All members are about to go through these elements, or to ask how many there are. usage_error if one of these calls
  /// changes one of them, or if elements were appended.
  void require_fenced(const element_map& those, const char* operation) const;
  void require_fenced(const char* operation) const;
  /// The elements are about to move. usage_error if one of these calls is on its way to where they were.
  void require_at_rest(const char* operation) const;

  /// This rank's elements, for the program.
  template <class T>
  local_elements<T> local(std::span<T> own) const {
    require_no_barrier("local");
    remember();
    return {own, *this};
  }

 private:
  struct calls;
  void remember() const;
  calls& now() const;
  mutable std::shared_ptr<calls> calls_;
};

/// A span that throws usage_error where elements are read or written that one-way calls of this rank change. Its size, its
/// address, and spans made of it are not checked: a program may take them before the fence, and use them after it.
template <class T>
class local_elements : public std::span<T> {
 public:
  local_elements(std::span<T> own, order_check order) : std::span<T>(own), order_(std::move(order)) {}

  auto begin() const { return order_.require_all_complete_here(), std::span<T>::begin(); }
  auto rbegin() const { return order_.require_all_complete_here(), std::span<T>::rbegin(); }
  T& operator[](std::size_t place) const { return order_.require_complete_here(place), std::span<T>::operator[](place); }
  T& front() const { return order_.require_complete_here(0), std::span<T>::front(); }
  T& back() const { return order_.require_complete_here(this->size() - 1), std::span<T>::back(); }

 private:
  order_check order_;
};

#else

template <class T>
using local_elements = std::span<T>;

/// The same without checks: takes no memory and no time.
class order_check {
 public:
  constexpr void begin() const noexcept {}
  template <class Placement>
  constexpr void begin(std::size_t, const Placement&, rank_t) const noexcept {}
  constexpr void stage() const noexcept {}
  constexpr void settle(std::size_t) const noexcept {}
  constexpr void require_no_barrier(const char*) const noexcept {}
  constexpr void require_complete(std::size_t, const char*) const noexcept {}
  constexpr void require_fenced(const element_map&, const char*) const noexcept {}
  constexpr void require_fenced(const char*) const noexcept {}
  constexpr void require_at_rest(const char*) const noexcept {}
  template <class T>
  constexpr std::span<T> local(std::span<T> own) const noexcept {
    return own;
  }
};

#endif

}  // namespace armilla::detail

#if ARMILLA_CHECKED
template <class T>
inline constexpr bool std::ranges::enable_borrowed_range<armilla::detail::local_elements<T>> = true;
template <class T>
inline constexpr bool std::ranges::enable_view<armilla::detail::local_elements<T>> = true;
#endif
