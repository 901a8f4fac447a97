// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/children/child_starter.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include <fmt/format.h>

#include "armilla/boot/children/spawn_process.hpp"

namespace armilla::detail {

child child_starter::start(rank_t first, rank_t last) {
  spawn_plan how;
  how.program = plan_.program_of[std::size_t(first)];
  how.rank = first;
  how.record = &plan_.job->rank[first];
  how.memory = plan_.memory;
  how.keep_input = first == 0;
  how.bind = first == last;
  how.mask = mask_;
  output_lines::ends ends;
  if (plan_.job->label != 0)
    ends = lines_.open(first == last ? fmt::format("[{}] ", first) : fmt::format("[{}-{}] ", first, last));
  else if (!raw_ && plan_.job->threads == 0 && plan_.job->places > 1)  // threads share one stdout
    ends = lines_.open_plain(first == 0);
  how.output = ends.output;
  how.errors = ends.errors;
  child c{.first = first, .last = last};
  c.pid = spawn(how);
  lines_.started(ends);
  if (c.pid < 0) how.record->exec_error = errno;
  c.alive = c.pid > 0;
  if (c.alive) c.pidfd = int(syscall(SYS_pidfd_open, c.pid, 0));
  for (rank_t r = first; r <= last; ++r) plan_.job->rank[r].pid.store(c.pid, std::memory_order_relaxed);
  return c;
}

}  // namespace armilla::detail
