// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "armilla/boot/children/child.hpp"
#include "armilla/boot/children/child_starter.hpp"
#include "armilla/boot/children/joiners.hpp"

namespace armilla::detail {

/// How new ranks come into the running job, as its supervisor sees it: successors of lost ranks, and ranks that join. What they
/// do themselves is in new_rank.hpp.
class admission {
 public:
  admission(job_plan& plan, child_starter& starter, joiners& joining) noexcept
      : plan_(plan), starter_(starter), joiners_(joining) {}

  /// Starts processes for the places that have none, and lets the next one in. When all ranks of the job have finished, it ends
  /// those that are not in it.
  void advance(std::vector<child>& children);
  /// Looks whether a new rank that was let in is in the job now.
  void welcome(child& c);
  /// A new rank has ended before it was in the job.
  void lose_new_rank(child& c);

 private:
  void start(child& c);
  void let_come(child& c);

  job_plan& plan_;
  child_starter& starter_;
  joiners& joiners_;
};

}  // namespace armilla::detail
