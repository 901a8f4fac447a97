// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/base/core/own_memory.hpp"
#include "armilla/base/values/types.hpp"
#include "armilla/sendable.hpp"
#include "armilla/wire/view_inline.hpp"

namespace armilla {

/// Elements that are sent without a copy at the receiver. The called function reads them where they arrived, and they are gone
/// when it ends.
///
/// Use it to pass arrays to calls. The sender makes a view of any contiguous range.
///
///     auto sum = am::call(1, [](am::view<double> v) { return std::accumulate(v.begin(), v.end(), 0.0); }, am::view(numbers));
///
/// A view can be an argument of a call, but not a member, an element or a result. A view that was received cannot be sent on
/// (`usage_error`). `copy()` returns the elements as a vector. `T` must be sent as bytes.
///
/// **Cost.** One copy at the sender, none at the receiver; one there for a `T` that is aligned to more than 16 bytes.
template <class T>
class view : detail::view_copy<T> {
  static_assert(std::is_same_v<T, std::remove_cv_t<T>>, "armilla: a view is read-only anyway: write view<T>, not view<const T>");

 public:
  using value_type = T;

  /// Refers to `size` elements at `data`. Throws `usage_error` for a null pointer with a size, and for a size that no memory
  /// holds.
  view(const T* data, std::size_t size) : data_(data), size_(size) { detail::require_own_memory(data, size, sizeof(T), "view"); }
  /// Refers to the elements of a contiguous range: a vector, array, span or string. It must live until the call that sends the
  /// view returns.
  template <class Range>
    requires(!detail::is_view<std::remove_cvref_t<Range>> &&
             requires(const Range& r) {
               { r.data() } -> std::convertible_to<const T*>;
               { r.size() } -> std::convertible_to<std::size_t>;
             })
  view(const Range& range) : view(range.data(), range.size()) {}  // NOLINT(google-explicit-constructor)
  template <std::size_t N>
  view(const T (&array)[N]) : view(array, N) {}  // NOLINT(google-explicit-constructor)

  // It goes from hand to hand, but there is one of it.
  view(view&&) = default;
  view& operator=(view&&) = delete;

  const T* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  std::size_t size_bytes() const noexcept { return size_ * sizeof(T); }
  bool empty() const noexcept { return size_ == 0; }
  const T* begin() const noexcept { return data_; }
  const T* end() const noexcept { return data_ + size_; }
  const T& operator[](std::size_t i) const noexcept { return data_[i]; }
  operator std::span<const T>() const noexcept { return {data_, size_}; }  // NOLINT(google-explicit-constructor)

  /// Returns a copy of the elements.
  std::vector<T> copy() const { return std::vector<T>(begin(), end()); }

 private:
  friend detail::view_access;
  static_assert(trivially_sendable<T>, "armilla: the elements of a view must travel as bytes; send a vector instead");

  const T* data_;
  std::size_t size_;
  bool received_ = false;
};

template <class Range>
view(const Range&) -> view<std::remove_cv_t<std::remove_pointer_t<decltype(std::declval<const Range&>().data())>>>;

namespace detail {

/// How views are made at the receiver.
struct view_access {
  template <class T>
  static bool received(const view<T>& v) noexcept {
    return v.received_;
  }

  /// Refers to n elements at `bytes`, which outlive the called function; copied if they are not aligned for T.
  template <class T>
  static view<T> receive(const std::byte* bytes, std::size_t n) {
    view<T> v(reinterpret_cast<const T*>(bytes), n);
    v.received_ = true;
    if constexpr (alignof(T) > 8) {
      if (reinterpret_cast<std::uintptr_t>(bytes) % alignof(T) != 0) [[unlikely]]
        v.data_ = v.hold(bytes, n);
    }
    return v;
  }
};

}  // namespace detail
}  // namespace armilla
