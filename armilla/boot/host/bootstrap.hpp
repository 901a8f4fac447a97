// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

#include "armilla/base/values/types.hpp"

namespace armilla::detail {

class agent_line;

/// How the ranks of a job that a launcher has started find each other: under mpirun by MPI, under srun by PMIx, under armilla-run
/// by its own sockets. Used before there are messages, and after there are none any more.
class bootstrap {
 public:
  bootstrap() = default;
  bootstrap(const bootstrap&) = delete;
  bootstrap& operator=(const bootstrap&) = delete;
  virtual ~bootstrap() = default;

  /// What carries it, for reports: "Open MPI 4.1.4 (mpirun)", "PMIx 4.2.2 (srun)".
  virtual const char* name() const noexcept = 0;
  virtual rank_t rank() const noexcept = 0;
  virtual rank_t ranks() const noexcept = 0;
  /// All ranks call it, in the same order and with the same `bytes`: `all` receives ranks() * bytes bytes, by rank.
  /// False: it failed, and `error()` says why.
  virtual bool exchange(const void* mine, void* all, std::size_t bytes) = 0;
  /// All ranks have come here.
  virtual bool meet() = 0;
  virtual const char* error() const noexcept = 0;
  /// Ends the whole job, all ranks, with this exit code. What is to be said has been said. Does not return.
  [[noreturn]] virtual void abort(int code) = 0;
  /// This rank leaves in good order, behind the last meeting. The launcher must not take the end of the process for a failure.
  virtual void finish() = 0;
  /// A descriptor that hangs up when the launcher has gone; -1: there is none. It stays open.
  virtual int lifeline() noexcept { return -1; }
  /// The line to an agent of armilla-run, which tells of losses and is told of failures; null: another launcher.
  virtual agent_line* to_agent() noexcept { return nullptr; }
};

}  // namespace armilla::detail
