// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <type_traits>
#include <utility>

#include "armilla/base/core/throw_place.hpp"
#include "armilla/fiber/scheduler.hpp"

// What the templates of parfor.hpp are made of.
namespace armilla {
namespace detail {

/// A loop whose iterations are concurrent, on the stack of the fiber that called it.
///
/// The caller runs iterations one after the other. When one waits, the scheduler calls the fiber's `on_wait`, and that starts a
/// worker: a fiber that goes on with the iterations that are left, until one of those waits, and so on. A fiber whose
/// iteration has ended takes the next. So there are as many fibers as iterations that wait at a time, and none if none waits.
///
/// What iterations of `parfor` ask for is gathered: of their waits the first, the second, the fourth, and so on, send what is
/// open, and the loop of the scheduler sends the rest, when no iteration can go on. So before it leaves no more iterations
/// begin than had begun before it.
class parallel_loop {
 public:
  parallel_loop(const parallel_loop&) = delete;
  parallel_loop& operator=(const parallel_loop&) = delete;

 protected:
  /// `body` runs what is left. It calls `claim` before each part.
  parallel_loop(const char* what, void (*body)(parallel_loop& self, fiber_record& me), bool alike)
      : iterate_(body), what_(what), alike_(alike) {}

  /// Runs all iterations, waits for their ends, and throws what came first.
  void run();
  /// From here to the next `claim` a wait of `me` starts a worker, if anything is `left`.
  void claim(fiber_record& me, bool left) noexcept {
    left_ = left;
    me.on_wait = &parallel_loop::waits;
    me.on_wait_for = this;
  }
  /// Inside `catch`.
  [[gnu::cold]] void keep_error() noexcept {
    if (first_error_ == nullptr) first_error_ = std::current_exception();
  }

 private:
  static constexpr std::uint32_t most_workers = 1024;

  static void waits(fiber_record& waiting);
  static void work(fiber_record& me);
  bool start_worker();
  void iterate(fiber_record& me) noexcept;
  void finish() noexcept;
  bool gathers() noexcept;

  void (*iterate_)(parallel_loop& self, fiber_record& me);
  const char* what_;
  bool left_ = false;
  bool caller_waits_ = false;
  std::uint32_t workers_ = 0;
  std::uint32_t waits_ = 0;  // that have started a worker
  const bool alike_;         // an iteration most likely asks for what the one before it has asked for
  fiber_record* caller_ = nullptr;
  void (*outer_)(fiber_record&) = nullptr;  // the caller's own `on_wait`: this loop may be inside an iteration of another
  void* outer_for_ = nullptr;
  std::exception_ptr first_error_;
};

template <class I, class F>
class index_loop : parallel_loop {
 public:
  index_loop(I first, I last, F& body, I grain)
      : parallel_loop("parfor", &index_loop::iterate, true), next_(first), last_(last), grain_(grain), body_(body) {
    run();
  }

 private:
  using size = std::make_unsigned_t<I>;
  // Budget: without a wait, an iteration costs the two stores of `claim`.
  static void iterate(parallel_loop& base, fiber_record& me) {
    auto& loop = static_cast<index_loop&>(base);
    while (loop.next_ != loop.last_) {
      I i = loop.next_;
      const I end = size(size(loop.last_) - size(i)) > size(loop.grain_) ? I(i + loop.grain_) : loop.last_;
      loop.next_ = end;
      loop.claim(me, end != loop.last_);
      do try {
          loop.body_(i);
        } catch (const passing&) { throw; } catch (...) {
          loop.keep_error();
        }
      while (++i != end);
    }
  }

  I next_;
  const I last_;
  const I grain_;
  F& body_;
};

template <class It, class End, class F>
class range_loop : parallel_loop {
 public:
  range_loop(It first, End last, F& body, std::size_t grain)
      : parallel_loop("parfor", &range_loop::iterate, true),
        next_(std::move(first)),
        last_(std::move(last)),
        grain_(grain),
        body_(body) {
    run();
  }

 private:
  static void iterate(parallel_loop& base, fiber_record& me) {
    auto& loop = static_cast<range_loop&>(base);
    while (loop.next_ != loop.last_) {
      It i = loop.next_;
      std::size_t count = 0;
      while (count < loop.grain_ && loop.next_ != loop.last_) ++loop.next_, ++count;
      loop.claim(me, loop.next_ != loop.last_);
      for (; count != 0; --count, ++i) try {
          loop.body_(*i);
        } catch (const passing&) { throw; } catch (...) {
          loop.keep_error();
        }
    }
  }

  It next_;
  const End last_;
  const std::size_t grain_;
  F& body_;
};

[[noreturn, gnu::cold]] void throw_no_grain();

/// A block of `par`.
struct block {
  void (*call)(const block& self);
};
template <class F>
struct block_of : block {
  F& function;
  explicit block_of(F& f) noexcept
      : block{[](const block& self) { static_cast<void>(static_cast<const block_of&>(self).function()); }}, function(f) {}
};
void run_blocks(const block* const* first, std::size_t count);

}  // namespace detail
}  // namespace armilla
