// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "armilla/base/core/context.hpp"
#include "armilla/base/core/options.hpp"
#include "armilla/boot/host/launch.hpp"
#include "armilla/boot/wire_up/crash_handlers.hpp"
#include "armilla/fabric/network.hpp"
#include "armilla/run.hpp"
#include "armilla/session/stall_search.hpp"
#include "armilla/spmd.hpp"

namespace armilla::detail {

/// One rank while it lives: made on the rank's own thread, when the process has joined the job.
struct session_state {
  /// Starts the layers and meets the other ranks. Throws what they throw; noted in the job.
  explicit session_state(const launch& start);
  session_state(const session_state&) = delete;
  session_state& operator=(const session_state&) = delete;
  ~session_state();

  /// Runs the function here, or serves; returns its code. What it throws is noted in the job and gives 1. Then all that it caused
  /// is awaited.
  int run(rank_main call, const void* function, who_runs who);
  /// The common end of all ranks. After a failure there is none: the supervisor stops the job.
  void finish() noexcept;
  void fail(int code) noexcept;  ///< the rank returned `code`
  void fail(const char* why) noexcept;
  void fail_by_exception() noexcept;  ///< inside a catch block

  launch self;
  context rank;
  crash_stack signal_stack;
  std::uint32_t mains = 0;  ///< calls of run_main so far
  bool failed = false, ended = false;
  int failed_code = 1;
  bool serves = false;                  ///< under run_main; rank 0 is served
  bool in_region = false;               ///< all ranks run a function together; see spmd.hpp
  std::unique_ptr<region> next_region;  ///< what this rank is to run next
  /// Of the ranks of this host, when this one last looked for silent ones.
  std::vector<std::uint64_t> signs_of_life;
  std::unique_ptr<stall_search> stalls;  ///< null: the supervisor, or nobody, looks for one

 private:
  void begin();
  void explore_orders();
  int call_function(rank_main call, const void* function);
  void serve();
  void end_noted() noexcept;

  std::optional<running_rank> running_;
};

}  // namespace armilla::detail
