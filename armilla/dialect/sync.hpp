// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <deque>
#include <exception>
#include <utility>
#include <variant>

#include "armilla/semaphore.hpp"

namespace armilla::mpcpp {
namespace detail {
[[noreturn, gnu::cold]] void throw_no_reason();
}

/// MPC++'s synchronising structure: a queue of values between threads. `write` appends and never waits; `read` waits for a value
/// and removes it; `peek` waits for one and leaves it there. Readers are served in the order in which they came.
///
/// For fibers of one rank; others reach it through a pointer: `invoke<&Sync<int>::read>(gp)` waits at its owner, which continues
/// meanwhile. It must outlive those that wait. Cost: some ns and what std::deque does; a switch for each that waits.
/// Paper: MPC++, section 2 (synchronizing data structures).
template <class T>
class Sync {
 public:
  Sync() = default;
  Sync(const Sync&) = delete;
  Sync& operator=(const Sync&) = delete;
  /// The next fence throws an error that no reader has taken, as one of a one-way call.
  ~Sync() {
    if (armilla::detail::current == nullptr) return;
    for (entry& e : values_)
      if (failure* const f = std::get_if<failure>(&e); f != nullptr && !f->seen)
        armilla::detail::current_head->fibers->lose_error(std::move(f->why));
  }

  void write(T value) { push(std::move(value)); }
  T read() {
    there_.acquire();
    entry first = std::move(values_.front());
    values_.pop_front();
    return value_of(std::move(first));
  }
  T peek() {
    there_.acquire();
    if (failure* const f = std::get_if<failure>(&values_.front())) f->seen = true;
    entry first = values_.front();
    there_.release();  // to the next in line, in whose turn the value is still there
    return value_of(std::move(first));
  }
  /// Values that are not taken yet.
  std::size_t length() const noexcept { return values_.size(); }

  /// An error instead of a value: the reader that takes it throws it. Errors: usage_error for null.
  void fail(std::exception_ptr reason) {
    if (reason == nullptr) [[unlikely]]
      detail::throw_no_reason();
    push(failure{std::move(reason)});
  }

 private:
  struct failure {
    std::exception_ptr why;
    bool seen = false;
  };
  using entry = std::variant<T, failure>;
  void push(entry e) {
    values_.push_back(std::move(e));
    there_.release();
  }
  static T value_of(entry&& e) {
    if (failure* const f = std::get_if<failure>(&e)) std::rethrow_exception(std::move(f->why));
    return std::get<T>(std::move(e));
  }

  std::deque<entry> values_;
  semaphore there_;  // one for each value that is not promised
};

}  // namespace armilla::mpcpp
