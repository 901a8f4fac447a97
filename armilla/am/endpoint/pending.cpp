// SPDX-License-Identifier: Apache-2.0
#include "armilla/am/endpoint/pending.hpp"

#include <memory>

#include "armilla/am/endpoint/endpoint.hpp"

namespace armilla::detail {

void waiting_fiber::go(continuation* self, pending_op*) { current->fibers->wake(*static_cast<waiting_fiber*>(self)->who); }

// `complete` may be another operation's when its continuations have run.
void run_continuations(continuation* first, pending_op* complete) {
  struct at_end {
    bool deferred;
    ~at_end() {
      if (deferred) current->messages->sums.resume();
    }
  } const settle{std::exchange(complete->deferred, false)};
  const timed body(current->out->watch(), component::cpu);
  for (continuation* step = first; step != nullptr;) {
    continuation* const after = step->next;  // it may be gone when it has run
    step->run(step, complete);
    step = after;
  }
}

void pending_ops::grow() {
  auto chunk = std::make_unique<pending_op[]>(chunk_size);
  for (std::uint32_t i = chunk_size; i-- > 0;) {
    chunk[i].index = std::uint32_t(chunks_.size()) * chunk_size + i;
    chunk[i].generation = first_generation_;
    chunk[i].next_free = free_;
    free_ = &chunk[i];
  }
  chunks_.push_back(std::move(chunk));
}

}  // namespace armilla::detail
