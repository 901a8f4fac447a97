// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstring>
#include <new>
#include <utility>

/// Where a view keeps a copy.
namespace armilla::detail {

/// A copy of the elements where the bytes that came are not aligned for them. Only types of more than 8 bytes' alignment
/// can need one.
template <class T, bool = (alignof(T) > 8)>
class view_copy {};

template <class T>
class view_copy<T, true> {
 public:
  view_copy() = default;
  view_copy(view_copy&& other) noexcept : elements_(std::exchange(other.elements_, nullptr)) {}
  view_copy& operator=(view_copy&&) = delete;
  ~view_copy() {
    if (elements_ != nullptr) ::operator delete(elements_, std::align_val_t{alignof(T)});
  }

  const T* hold(const void* bytes, std::size_t n) {
    elements_ = static_cast<T*>(::operator new(n * sizeof(T), std::align_val_t{alignof(T)}));
    std::memcpy(static_cast<void*>(elements_), bytes, n * sizeof(T));
    return elements_;
  }

 private:
  T* elements_ = nullptr;
};

struct view_access;

}  // namespace armilla::detail
