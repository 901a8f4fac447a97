// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <poll.h>
#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "armilla/boot/children/spawn_process.hpp"
#include "armilla/boot/host/descriptor.hpp"

/// How ranks are added to a running job: a process of the same user connects to a socket of the job's supervisor and says what
/// they run; it is answered when they are in the job, or when it is known that they will not be.
///
///     one message: how many ranks, arguments and variables, and with it a file that holds, each ended by a zero,
///     the path of the program, the folder to start in, the arguments, the variables
namespace armilla::detail {

/// What was asked for, and the connection to the process that asked.
struct join_request {
  program_spec program;
  descriptor caller{-1};
};

/// How the asker is answered. No `text`: the job has ended before.
struct join_answer {
  bool good = false;
  std::string text;
};
/// Sends the answer; does not block.
void answer(const join_request& request, const join_answer& what) noexcept;

/// The supervisor's side.
class join_listener {
 public:
  /// Takes no requests, until it listens.
  join_listener() = default;
  /// `memory` is the job's. Where a socket is refused, none can ask.
  void listen(int memory) noexcept;
  /// Adds what must be polled.
  void watch(std::vector<pollfd>& list) const;
  /// The requests that have come. What is no request, or of another user, is sent away.
  std::vector<std::unique_ptr<join_request>> take();

 private:
  descriptor socket_{-1};
  std::vector<std::unique_ptr<descriptor>> callers_;  // that have said nothing yet
};

/// Asks the supervisor of the job with that memory, which has spare places, for `program.ranks` ranks, and waits for the answer;
/// where it takes more than `patience_ms`, `late()` says so. A process that ends meanwhile takes its request back.
join_answer ask_to_join(pid_t supervisor, std::uint64_t memory, const program_spec& program, int patience_ms, void (*late)());

}  // namespace armilla::detail
