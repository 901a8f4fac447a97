// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <coroutine>
#include <utility>

#include "armilla/fiber/wait_list.hpp"
#include "armilla/future.hpp"

// What the templates of await.hpp are made of.
namespace armilla {
namespace detail {

/// Lies in the frame of the coroutine, so that awaiting a reply allocates nothing. The coroutine does not go on where the
/// reply is taken in, which may not wait, but on a fiber.
template <class T>
class future_awaiter : continuation {
 public:
  explicit future_awaiter(future<T>&& f) noexcept : continuation{&future_awaiter::completed}, awaited_(std::move(f)) {}
  /// Of a coroutine that is destroyed while it waits: nothing resumes it, even if its future waits for the reply.
  ~future_awaiter() {
    if (pending_op* const asked = future_access::op_of(awaited_)) asked->detach(*this);
  }
  future_awaiter(const future_awaiter&) = delete;

  bool await_ready() const { return awaited_.ready(); }
  void await_suspend(std::coroutine_handle<> caller) noexcept {
    caller_ = caller;
    counted_ = current_head->fibers->in_body_or_its_fibers();
    pending_op& asked = *future_access::op_of(awaited_);
    asked.attach(*this);
    defer_for(asked);
  }
  T await_resume() { return awaited_.get(); }

 private:
  static void completed(continuation* self, pending_op*) {
    const auto* mine = static_cast<future_awaiter*>(self);
    resume_coroutine(mine->caller_.address(), mine->counted_);
  }

  future<T> awaited_;
  std::coroutine_handle<> caller_;
  bool counted_ = false;
};

}  // namespace detail
}  // namespace armilla
