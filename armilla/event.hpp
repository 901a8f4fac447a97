// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <utility>

#include "armilla/strided.hpp"
#include "armilla/transfer.hpp"

namespace armilla {

namespace detail {
class completes_in;
struct event_access;
}  // namespace detail

/// The completion of some transfers: of those `get`s and `put`s that name the event, one or several. `sync_memory` waits for all.
///
///     am::event there;
///     am::get(halo, p, there);                            // begins
///     am::get_strided(column.data(), q, shape, there);    // begins
///     compute_inside();
///     there.wait();                                       // both are complete
///
/// An event belongs to the rank that made it, cannot be moved, and may be used again after `wait`. `when_complete(there)` returns
/// a future of it. If it is destroyed while transfers are in flight, `sync_memory` waits for these.
///
/// **Cost.** Two stores for each transfer. On mapped memory a transfer is complete when it returns, and the event remains ready.
class event {
 public:
  event() = default;
  event(const event&) = delete;
  event& operator=(const event&) = delete;
  ~event() {
    if (wait_.left != 0 || wait_.failure.status != detail::remote_status::ok) [[unlikely]]
      leave_to_sync();
  }

  /// Returns whether `wait` would return at once. It receives no messages, so a loop over `ready()` must call `poll()`.
  bool ready() const noexcept { return wait_.left == 0; }
  /// Waits until all transfers that name the event are complete. Throws the first error among them; `sync_memory` does not throw
  /// it again. In the meantime, calls of other ranks and other fibers run; a called function that waits becomes a fiber.
  void wait() {
    if (wait_.left != 0 || wait_.failure.status != detail::remote_status::ok) [[unlikely]]
      wait_slowly();
  }

 private:
  friend detail::completes_in;
  friend detail::event_access;
  void wait_slowly();
  void leave_to_sync() noexcept;

  detail::remote_wait wait_;
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
  static remote_wait& pieces(event& e) noexcept { return e.wait_; }
  /// They complete `node` from now on. Returns whether any are under way; if not, `node` may have their failure.
  static bool hand_over(event& e, remote_wait& node);
};

/// Throws the error of a failure; nothing if there is none.
void throw_failure(const remote_failure& f);

}  // namespace detail

/// Do what the functions of the same name without the event do, and are complete when `done` is.
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
