// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace armilla::detail {

/// A std::unique_ptr for members of classes that each user's program compiles: <memory> is dear, and so is each class that is
/// made of unique_ptr. `T[]` holds an array.
template <class T>
class owned {
 public:
  using element = std::remove_extent_t<T>;

  owned() noexcept = default;
  owned(std::nullptr_t) noexcept {}  // NOLINT(google-explicit-constructor): as of unique_ptr
  explicit owned(element* p) noexcept : p_(p) {}
  owned(owned&& other) noexcept : p_(other.release()) {}
  /// From a unique_ptr.
  template <class Owner>
    requires(
        std::is_array_v<T> == requires(Owner& from) { from[0]; } &&
        requires(Owner& from) {
          { from.release() } -> std::convertible_to<element*>;
        })
  owned(Owner&& other) noexcept : p_(other.release()) {}  // NOLINT(google-explicit-constructor)
  owned& operator=(owned other) noexcept {
    std::swap(p_, other.p_);
    return *this;
  }
  ~owned() { destroy(p_); }

  element* get() const noexcept { return p_; }
  element& operator*() const noexcept { return *p_; }
  element* operator->() const noexcept { return p_; }
  element& operator[](std::size_t n) const noexcept { return p_[n]; }
  explicit operator bool() const noexcept { return p_ != nullptr; }
  friend bool operator==(const owned& o, std::nullptr_t) noexcept { return o.p_ == nullptr; }

  element* release() noexcept { return std::exchange(p_, nullptr); }
  void reset(element* p = nullptr) noexcept { destroy(std::exchange(p_, p)); }

 private:
  static void destroy(element* p) noexcept {
    if constexpr (std::is_array_v<T>)
      delete[] p;
    else
      delete p;
  }

  element* p_ = nullptr;
};

}  // namespace armilla::detail
