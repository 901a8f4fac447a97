// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace armilla::run {

/// The agent of one host, which armilla-run --hosts starts there by ssh: reads from its standard input where to call and the
/// job's key, calls, starts this host's ranks and looks after them until armilla-run tells it to stop, or is gone.
int be_agent();

}  // namespace armilla::run
