// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdlib>
#include <cstring>
#include <new>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/base/host/large_pages.hpp"

namespace armilla::detail {

/// Elements that one rank puts together, one behind the other. It grows by `realloc`, which moves pages of a large block and
/// copies none; a std::vector copies all elements each time.
template <class T>
class pile {
 public:
  pile() = default;
  pile(pile&& other) noexcept
      : first_(std::exchange(other.first_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        room_(std::exchange(other.room_, 0)) {}
  pile& operator=(pile&&) = delete;
  ~pile() { std::free(first_); }

  std::size_t size() const noexcept { return size_; }
  const T* begin() const noexcept { return first_; }
  const T* end() const noexcept { return first_ + size_; }
  std::span<const T> elements() const noexcept { return {first_, size_}; }

  /// About `n` elements are to come at most. The room for many is in large pages, whose first touch costs a fraction.
  void expect(std::size_t n) {
    if (n <= room_ || n * sizeof(T) < least_in_large_pages) return;
    make_room(n - size_);
    prefer_large_pages(first_, room_ * sizeof(T));
  }
  void push_back(const T& e) {
    const T kept = e;
    if (size_ == room_) [[unlikely]]
      make_room(1);
    first_[size_++] = kept;
  }
  void append(const T* from, std::size_t n) {
    if (n == 0) return;
    if (n > room_ - size_) make_room(n);
    std::memcpy(static_cast<void*>(first_ + size_), from, n * sizeof(T));
    size_ += n;
  }

 private:
  [[gnu::noinline]] void make_room(std::size_t n) {
    const std::size_t room = size_ + n + room_ / 2 + 64;
    void* larger = nullptr;
    if constexpr (alignof(T) <= alignof(std::max_align_t)) {
      larger = std::realloc(static_cast<void*>(first_), room * sizeof(T));
    } else {
      larger = std::aligned_alloc(alignof(T), room * sizeof(T));
      if (larger != nullptr && size_ > 0) std::memcpy(larger, first_, size_ * sizeof(T));
      if (larger != nullptr) std::free(first_);
    }
    if (larger == nullptr) throw std::bad_alloc();
    first_ = static_cast<T*>(larger);
    room_ = room;
  }

  T* first_ = nullptr;
  std::size_t size_ = 0, room_ = 0;
};

/// Elements that are no plain bytes.
template <class T>
  requires(!std::is_trivially_copyable_v<T>)
class pile<T> {
 public:
  std::size_t size() const noexcept { return all_.size(); }
  const T* begin() const noexcept { return all_.data(); }
  const T* end() const noexcept { return all_.data() + all_.size(); }
  std::span<const T> elements() const noexcept { return all_; }
  void expect(std::size_t) {}
  void push_back(T e) { all_.push_back(std::move(e)); }
  void append(const T* from, std::size_t n) { all_.insert(all_.end(), from, from + n); }

 private:
  std::vector<T> all_;
};

}  // namespace armilla::detail
