// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <utility>

#include "armilla/strided.hpp"
#include "armilla/transfer.hpp"

/// Completion of some transfers, where `sync_memory` waits for all.
namespace armilla {

namespace detail {
class completes_in;
struct event_access;
}  // namespace detail

/// Completion of the `get`s and `put`s that name it, in all their forms: one of them, or several.
///
///     am::event there;
///     am::get(halo, p, there);       // begun; so are others, which this event says nothing about
///     am::get_strided(column.data(), q, shape, there);
///     compute_inside();
///     there.wait();                  // both are complete
///
/// An event belongs to the rank that made it, stays where it is, and may be used again after `wait`. What is still under way when
/// it goes is left to `sync_memory`, which waits for it in any case. As a future: `when_complete(there)`. Cost: two stores a
/// transfer. Where memory is mapped a transfer is complete when it returns, and the event stays ready.
class event {
 public:
  event() = default;
  event(const event&) = delete;
  event& operator=(const event&) = delete;
  ~event() {
    if (wait_.left != 0 || wait_.failure.status != detail::far_status::ok) [[unlikely]]
      leave_to_sync();
  }

  /// Whether `wait` would return at once. Takes in no messages: a loop over `ready()` must call `poll()`.
  bool ready() const noexcept { return wait_.left == 0; }
  /// Waits until all transfers that name it are complete; bodies and other fibers run meanwhile, and a body that waits becomes a
  /// fiber. Throws the first error among them, which `sync_memory` then does not throw again.
  void wait() {
    if (wait_.left != 0 || wait_.failure.status != detail::far_status::ok) [[unlikely]]
      wait_slowly();
  }

 private:
  friend detail::completes_in;
  friend detail::event_access;
  void wait_slowly();
  void leave_to_sync() noexcept;

  detail::far_wait wait_;
};

namespace detail {

/// While one lives, the split-phase operation that this rank begins next completes in that event.
class completes_in {
 public:
  explicit completes_in(event& e) : m_(head_here("event").memory) {
    if (m_ != nullptr) m_->event = &e.wait_;
  }
  ~completes_in() {
    if (m_ != nullptr) m_->event = nullptr;
  }
  completes_in(const completes_in&) = delete;
  completes_in& operator=(const completes_in&) = delete;

 private:
  memory_state* m_;
};

struct event_access {
  static far_wait& pieces(event& e) noexcept { return e.wait_; }
  /// They complete `node` from now on. Returns whether any are under way; if not, `node` may have their failure.
  static bool hand_over(event& e, far_wait& node);
};
/// Throws the error of a failure; nothing if there is none.
void throw_failure(const far_failure& f);

}  // namespace detail

/// As `get` and `put` without the event, and complete when the event is.
template <class X, class P>
  requires(requires(X&& x, const P& p) { armilla::get(x, p); })
void get(X&& x, const P& p, event& done) {
  const detail::completes_in this_event(done);
  armilla::get(x, p);
}
template <class T, class V>
  requires(requires(const global_ptr<T>& p, const V& v) { armilla::put(p, v); })
void put(const global_ptr<T>& p, const V& v, event& done) {
  const detail::completes_in this_event(done);
  armilla::put(p, v);
}
template <class T, class P, std::size_t N>
void get_strided(T* into, const P& from, const strided<N>& s, event& done) {
  const detail::completes_in this_event(done);
  armilla::get_strided(into, from, s);
}
template <class T, std::size_t N>
void put_strided(const global_ptr<T>& to, const std::type_identity_t<T>* from, const strided<N>& s, event& done) {
  const detail::completes_in this_event(done);
  armilla::put_strided(to, from, s);
}
template <class C, class P>
void get_indexed(C&& into, const P& base, std::span<const std::size_t> indices, event& done) {
  const detail::completes_in this_event(done);
  armilla::get_indexed(into, base, indices);
}
template <class T, class C>
void put_indexed(const global_ptr<T>& base, const C& from, std::span<const std::size_t> indices, event& done) {
  const detail::completes_in this_event(done);
  armilla::put_indexed(base, from, indices);
}

}  // namespace armilla
