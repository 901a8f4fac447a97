// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdlib>
#include <new>
#include <utility>

namespace armilla::detail {

/// An array with an element for each rank of the job, all zeros. What is not touched takes no memory, if the array is large: a
/// page of it is there from the first write on.
///
/// It runs no constructors and no destructors: of elements that have any, each is made and destroyed by the array's user.
template <class T>
class zeroed_array {
 public:
  zeroed_array() noexcept = default;
  explicit zeroed_array(std::size_t n) : first_(static_cast<T*>(std::calloc(n, sizeof(T)))) {
    static_assert(alignof(T) <= alignof(std::max_align_t));
    if (first_ == nullptr && n != 0) throw std::bad_alloc();
  }
  zeroed_array(zeroed_array&& other) noexcept : first_(other.release()) {}
  zeroed_array& operator=(zeroed_array other) noexcept {
    std::swap(first_, other.first_);
    return *this;
  }
  ~zeroed_array() { std::free(first_); }

  T* get() const noexcept { return first_; }
  T& operator[](std::size_t n) const noexcept { return first_[n]; }
  explicit operator bool() const noexcept { return first_ != nullptr; }
  /// From here on the elements lie at `other`; those of before are left where they are. For a child of `fork`, which destroys
  /// neither.
  void move_to(T* other) noexcept { first_ = other; }

 private:
  T* release() noexcept { return std::exchange(first_, nullptr); }

  T* first_ = nullptr;
};

}  // namespace armilla::detail
