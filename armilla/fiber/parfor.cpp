// SPDX-License-Identifier: Apache-2.0
#include "armilla/parfor.hpp"

#include <bit>

#include "armilla/base/core/context.hpp"
#include "armilla/error.hpp"

namespace armilla::detail {

void parallel_loop::run() {
  scheduler& all = scheduler_here(what_);
  fiber_record& me = all.running();
  caller_ = &me;
  outer_ = me.on_wait;
  outer_for_ = me.on_wait_for;
  iterate(me);
  // What an iteration of the loop around this one waits for is from here on this loop.
  me.on_wait = outer_;
  me.on_wait_for = outer_for_;
  me.gathers = false;
  while (workers_ != 0) {
    caller_waits_ = true;
    all.suspend(what_, wait_object(this));
  }
  if (first_error_ != nullptr) [[unlikely]]
    std::rethrow_exception(first_error_);
}

void parallel_loop::iterate(fiber_record& me) noexcept {
  try {
    iterate_(*this, me);  // a range's own iterators may throw
  } catch (const passing&) {
  } catch (...) { keep_error(); }
}

// Called before the first wait of an iteration, by the fiber that is about to wait.
void parallel_loop::waits(fiber_record& waiting) {
  auto& loop = *static_cast<parallel_loop*>(waiting.on_wait_for);
  const bool started = loop.left_ && loop.start_worker();
  const bool again = loop.left_ && !started;
  waiting.gathers = started && loop.gathers();
  if (&waiting == loop.caller_ && loop.outer_ != nullptr) {
    // With this iteration the one around this loop waits, too.
    waiting.on_wait_for = loop.outer_for_;
    std::exchange(loop.outer_, nullptr)(waiting);
    loop.outer_ = std::exchange(waiting.on_wait, nullptr);
    waiting.on_wait_for = &loop;
  }
  if (again) waiting.on_wait = &parallel_loop::waits;
}

bool parallel_loop::gathers() noexcept { return alike_ && !std::has_single_bit(++waits_); }

// Without memory for one more stack the loop goes on with those that it has. Inside a parallel region of OpenMP none could wait
// for a worker.
bool parallel_loop::start_worker() {
  if (workers_ == most_workers || in_parallel_region()) return false;
  scheduler& all = *current->fibers;
  fiber_record* f = nullptr;
  try {
    f = &all.make(&parallel_loop::work);
  } catch (const limit_error&) { return false; }
  f->on_wait_for = this;
  f->detached = true;
  if (all.in_body_or_its_fibers()) [[unlikely]] {
    f->counted = true;
    all.count_one();
  }
  ++workers_;
  all.start(*f);
  return true;
}

void parallel_loop::work(fiber_record& me) {
  auto& loop = *static_cast<parallel_loop*>(me.on_wait_for);
  loop.iterate(me);
  me.on_wait = nullptr;
  loop.finish();
}

void parallel_loop::finish() noexcept {
  if (--workers_ == 0 && caller_waits_) current->fibers->wake(*caller_);
}

namespace {

class block_list : parallel_loop {
 public:
  block_list(const block* const* first, std::size_t count)
      : parallel_loop("par", &block_list::iterate, false), next_(first), last_(first + count) {
    run();
  }

 private:
  static void iterate(parallel_loop& base, fiber_record& me) {
    auto& list = static_cast<block_list&>(base);
    while (list.next_ != list.last_) {
      const block& mine = **list.next_++;
      list.claim(me, list.next_ != list.last_);
      try {
        mine.call(mine);
      } catch (const passing&) { throw; } catch (...) {
        list.keep_error();
      }
    }
  }

  const block* const* next_;
  const block* const* const last_;
};

}  // namespace

void run_blocks(const block* const* first, std::size_t count) { const block_list list(first, count); }

void throw_no_grain() { throw_usage("parfor", "the grain is less than 1; at least one iteration runs at a time"); }

}  // namespace armilla::detail
