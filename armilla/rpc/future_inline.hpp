// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <exception>
#include <type_traits>
#include <utility>

#include "armilla/base/values/durations.hpp"
#include "armilla/rpc/calls.hpp"
#include "armilla/wire/kinds.hpp"

// What the templates of future.hpp are made of.
// g++ 14 takes a span that is given by value for a reference into the object that gave it.
#if __has_cpp_attribute(gnu::no_dangling)
#define ARMILLA_NO_DANGLING [[gnu::no_dangling]]
#else
#define ARMILLA_NO_DANGLING
#endif

namespace armilla {

template <class T>
class future;

namespace detail {

struct no_value {};
template <class T>
using stored = std::conditional_t<std::is_void_v<T>, no_value, T>;

template <class T>
struct is_future : std::false_type {};
template <class T>
struct is_future<future<T>> : std::true_type {
  using value_type_of = T;
};

struct future_access {
  template <class T>
  static future<T> adopt(pending_op* c) noexcept {
    return future<T>(c);
  }
  template <class T>
  static pending_op* op_of(const future<T>& f) noexcept {
    return f.op_;
  }
  template <class T>
  static pending_op* release(future<T>& f) noexcept {
    return std::exchange(f.op_, nullptr);
  }
};

[[noreturn, gnu::cold]] void throw_empty_future(const char* operation);
[[noreturn, gnu::cold]] void rethrow_and_give_back(pending_op* c);
void abandon_failed(pending_op* c) noexcept;
/// The same where nothing has taken the error out: the next fence throws it.
void drop_failed(pending_op* c) noexcept;
/// The result of an operation whose future was dropped is this error: the next fence throws it, like the error of a one-way call.
/// The loss of a rank is not noted.
[[gnu::cold]] void note_dropped_error(const std::exception_ptr& reason) noexcept;
/// Waits for the reply. Where that cannot be, the process ends with a text: memory that may go is written until then.
void await_dropped(pending_op& c) noexcept;
void wake_waiting(pending_op& dropped) noexcept;
/// Until `c` is complete or given back, or the deadline (of now_ns(); 0: none). False: the deadline came first.
bool wait_for_reply(pending_op& c, std::uint64_t deadline_ns, const char* operation);

template <class T, class F>
struct then_step;

template <class T>
inline constexpr refusal refused_class<future<T>> = refusal::future;

/// A future that this rank's own code fills, by the operation `target`.
template <class T>
struct promise {
  pending_op* target;

  static promise make(const char* operation) {
    const context_head& self = head_here(operation);
    self.out->require_own_thread(operation);
    pending_op* const op = self.out->pending.take(no_handler);
    op->asked.rank = no_rank;
    op->asked.maker = operation;
    return {op};
  }
  /// Reports name what `source` asked: the promise waits for it, among others perhaps.
  template <class U>
  void waits_for(const future<U>& source) const noexcept {
    const pending_op* const c = future_access::op_of(source);
    if (target->asked.rank != no_rank || c == nullptr || c->state != pending_op::state_t::pending) return;
    if (!c->is_two_way_call() && c->reply_handler != no_handler) return;
    target->asked.method = c->asked.method;
    target->asked.rank = c->asked.rank;
    target->asked.name = c->asked.name;
  }
  future<T> get_future() const noexcept { return future_access::adopt<T>(target); }
};

// Takes the reply out of a complete operation, which goes back to the pool.
template <class T, class Sink>
void consume(pending_op* filled, Sink&& sink) {
  if (filled->state == pending_op::state_t::failed) {
    std::exception_ptr reason = *filled->error;
    abandon_failed(filled);
    current_head->out->pending.give_back(filled);
    sink.fail(std::move(reason));
    return;
  }
  stored<T> value = std::move(filled->value<stored<T>>());
  filled->destroy<stored<T>>();
  current_head->out->pending.give_back(filled);
  sink.take(std::move(value));
}

// Calls `step(filled)` when `f` is filled; now if it is.
template <class T, class Step>
void when_filled(future<T> f, Step step) {
  struct node : continuation {
    Step step;
    explicit node(Step s) : continuation{&node::go}, step(std::move(s)) {}
    static void go(continuation* self, pending_op* filled) {
      auto* mine = static_cast<node*>(self);
      Step todo = std::move(mine->step);
      delete mine;
      todo(filled);
    }
  };
  pending_op* c = future_access::release(f);
  if (c == nullptr) throw_empty_future("future::then");
  if (c->state != pending_op::state_t::pending) return step(c);
  c->attach(*new node(std::move(step)));
  defer_for(*c);
}

/// Completes `to` with what a future gives once it is there.
template <class T>
struct forward_to {
  pending_op* to;
  void fail(std::exception_ptr reason) { to->fail(std::move(reason)); }
  void take(stored<T>&& value) {
    to->store<stored<T>>(std::move(value));
    to->complete(pending_op::state_t::ready);
  }
};

// The operation of a `then`: the caller may have dropped its future meanwhile, so it is found again by name.
struct late_op {
  op_id name;
  explicit late_op(const pending_op* c) noexcept : name(c->name()) {}
  pending_op* find() const noexcept { return current_head->out->pending.find(name); }
  void fail(std::exception_ptr reason) const {
    if (pending_op* c = find())
      c->fail(std::move(reason));
    else
      note_dropped_error(reason);
  }
};

template <class U>
void fill(late_op to, U&& make) {
  using R = std::invoke_result_t<U>;
  try {
    if constexpr (is_future<R>::value) {
      using V = typename is_future<R>::value_type_of;
      when_filled(make(), [to](pending_op* filled) {
        struct sink {
          late_op to;
          void fail(std::exception_ptr reason) { to.fail(std::move(reason)); }
          void take(stored<V>&& value) {
            if (pending_op* c = to.find()) forward_to<V>{c}.take(std::move(value));
          }
        };
        consume<V>(filled, sink{to});
      });
    } else if constexpr (std::is_void_v<R>) {
      make();
      if (pending_op* c = to.find()) forward_to<void>{c}.take({});
    } else {
      R value = make();
      if (pending_op* c = to.find()) forward_to<R>{c}.take(std::move(value));
    }
  } catch (const passing&) { throw; } catch (...) {
    to.fail(std::current_exception());
  }
}

template <class T, class F>
struct then_result {
  using type = std::invoke_result_t<F, T>;
};
template <class F>
struct then_result<void, F> {
  using type = std::invoke_result_t<F>;
};

template <class R>
struct flattened {
  using type = R;
};
template <class R>
struct flattened<future<R>> {
  using type = R;
};

}  // namespace detail
}  // namespace armilla
