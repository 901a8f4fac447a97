// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

#include "armilla/base/core/check.hpp"
#include "armilla/fiber/wait_list.hpp"

namespace armilla {
namespace detail {

[[noreturn, gnu::cold]] void throw_bad_capacity(std::size_t capacity);
[[noreturn, gnu::cold]] void throw_channel_closed(const char* operation);

}  // namespace detail

/// A bounded queue between fibers of one rank: `push` waits while it is full, `pop` while it is empty.
///
/// For values that other ranks push, use a `remote_channel`; if they pop as well, a `queue`.
///
///     am::channel<job> jobs(16);
///     am::fiber<void> worker = am::spawn([&] { while (auto j = jobs.pop()) run(*j); });
///     jobs.push(job{});
///     jobs.close();                       // pop returns what is left, and then nothing
///     worker.join();
///
/// Values come out in the order in which they went in, and the fiber that has waited longest is served first. Cost: one
/// allocation for the channel, none for a value; one switch for each fiber that waits.
template <class T>
class channel {
  static_assert(std::is_nothrow_move_constructible_v<T>, "armilla: a channel moves its values; give T a noexcept move");

 public:
  using value_type = T;

  /// Creates an empty channel. Throws `usage_error` if `capacity` is 0, or more than an address space holds.
  explicit channel(std::size_t capacity) : capacity_(capacity) {
    if (capacity - 1 >= most) [[unlikely]]
      detail::throw_bad_capacity(capacity);
    room_ = static_cast<T*>(::operator new(capacity * sizeof(T), std::align_val_t(alignof(T))));
  }
  channel(const channel&) = delete;
  channel& operator=(const channel&) = delete;
  ~channel() {
    if (detail::checked && !(pushers_.empty() && poppers_.empty()) && detail::current != nullptr) [[unlikely]]
      detail::destroyed_in_use("channel::~channel");
    while (size_ != 0) take();
    ::operator delete(room_, std::align_val_t(alignof(T)));
  }

  /// Appends `value`; waits while the channel is full. Throws `usage_error` if the channel is closed, also while it waits.
  void push(T value) {
    if (give(value)) return;
    detail::scheduler_here("channel::push").before_wait("channel::push");
    if (give(value)) return;
    detail::waiter me;
    me.place = std::addressof(value);  // the fiber that makes room takes it from here, and makes `place` null
    pushers_.wait(me, "channel::push", detail::wait_object(this));
    if (me.place != nullptr) [[unlikely]]
      detail::throw_channel_closed("channel::push");
  }
  /// Appends `value` if there is room, and returns whether there was. Otherwise `value` is unchanged.
  bool try_push(T&& value) { return give(value); }
  bool try_push(const T& value)
    requires std::is_copy_constructible_v<T>
  {
    T copy(value);
    return give(copy);
  }

  /// Removes and returns the first value; waits while the channel is empty. Returns `nullopt` if it is closed and empty.
  std::optional<T> pop() {
    std::optional<T> value = try_pop();
    if (value || closed_) return value;
    detail::scheduler_here("channel::pop").before_wait("channel::pop");
    if ((value = try_pop()) || closed_) return value;
    detail::waiter me;
    me.place = &value;
    poppers_.wait(me, "channel::pop", detail::wait_object(this));
    return value;
  }
  /// Removes and returns the first value, or returns `nullopt` if the channel is empty.
  std::optional<T> try_pop() {
    if (size_ == 0) return std::nullopt;
    std::optional<T> value(take());
    if (!pushers_.empty()) {  // the first of them fills the room, so that none overtakes it
      detail::waiter& next = *pushers_.front();
      put(*static_cast<T*>(std::exchange(next.place, nullptr)));
      pushers_.wake_one();
    }
    return value;
  }

  /// Closes the channel: nothing can be pushed any more, and fibers that wait continue. Values that are in it can still be
  /// popped. Closing it twice does nothing.
  void close() {
    closed_ = true;
    poppers_.wake_all();
    pushers_.wake_all();
  }
  /// Returns whether the channel is closed.
  bool closed() const noexcept { return closed_; }
  /// Returns the number of values in the channel.
  std::size_t size() const noexcept { return size_; }
  /// Returns whether `size()` is 0.
  bool empty() const noexcept { return size_ == 0; }
  /// Returns how many values it holds at most.
  std::size_t capacity() const noexcept { return capacity_; }

 private:
  static constexpr std::size_t most = (std::size_t{1} << 47) / sizeof(T);

  bool give(T& value) {
    if (closed_) [[unlikely]]
      detail::throw_channel_closed("channel::push");
    if (!poppers_.empty()) {  // it is empty
      static_cast<std::optional<T>*>(poppers_.front()->place)->emplace(std::move(value));
      poppers_.wake_one();
      return true;
    }
    if (size_ == capacity_) return false;
    put(value);
    return true;
  }
  void put(T& value) noexcept {
    const std::size_t at = first_ + size_;
    ::new (static_cast<void*>(room_ + (at < capacity_ ? at : at - capacity_))) T(std::move(value));
    ++size_;
  }
  T take() noexcept {
    T* const from = room_ + first_;
    T value(std::move(*from));
    from->~T();
    first_ = first_ + 1 == capacity_ ? 0 : first_ + 1;
    --size_;
    return value;
  }

  const std::size_t capacity_;
  T* room_ = nullptr;
  std::size_t first_ = 0, size_ = 0;
  bool closed_ = false;
  detail::wait_list pushers_, poppers_;  // never both: pushers wait at a full channel, poppers at an empty one
};

}  // namespace armilla
