// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <csignal>

#include "armilla/boot/children/child.hpp"
#include "armilla/boot/children/output.hpp"

namespace armilla::detail {

/// Starts the processes of a job.
class child_starter {
 public:
  child_starter(job_plan& plan, output_lines& lines, bool raw) noexcept : plan_(plan), lines_(lines), raw_(raw) {}

  /// The signals that they block.
  void set_mask(const sigset_t& mask) noexcept { mask_ = mask; }
  /// A process for these ranks. Where none could be started, it is not alive, and the error is in the record of the first.
  child start(rank_t first, rank_t last);

 private:
  job_plan& plan_;
  output_lines& lines_;
  bool raw_;  // processes write by themselves, unless lines have labels
  sigset_t mask_{};
};

}  // namespace armilla::detail
