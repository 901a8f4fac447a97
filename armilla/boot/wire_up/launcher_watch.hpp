// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/boot/host/bootstrap.hpp"
#include "armilla/boot/host/job_block.hpp"

namespace armilla::detail {

/// Ends this rank when the launcher that started it has gone before the job was over, for then nothing else would. A thread waits
/// for the parent of this process to end (the launcher, its daemon on this host, or a script between), and for the line to the
/// launcher to break where there is one (`bootstrap::lifeline`). The first rank of the host that sees it says so if `speaks`,
/// where the launcher would have said it.
void watch_launcher(bootstrap& started, job_block& job, rank_t self, bool speaks);

/// The error output of the launcher that forwards ours: opened, for once it is gone ours leads nowhere. -1: ours is no pipe
/// to a process above this one, or that cannot be opened.
int error_output_of_launcher() noexcept;

}  // namespace armilla::detail
