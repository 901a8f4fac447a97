// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "channel.hpp"

namespace armilla::detail {
struct options;
}

namespace armilla::run {

/// How an agent ends that found its connection timed out, which the other side may see as a reset.
inline constexpr int cut_off_code = 75;

/// The agent of one host, which armilla-run --hosts starts there by ssh: reads from its standard input where to call and the
/// job's key, calls, starts this host's ranks and looks after them until armilla-run tells it to stop, or is gone.
int be_agent();

/// The same, as this host's own command: it has called the root already, and offers what it was told to run. Returns the exit
/// code of the job.
int be_met_agent(channel& root, const job_key& key, const std::string& host, const std::string& offer,
                 const detail::options& settings);

}  // namespace armilla::run
