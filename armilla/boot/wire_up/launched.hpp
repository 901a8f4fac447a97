// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "armilla/boot/host/launch.hpp"

namespace armilla::detail {

/// Joins a job that `others` brought together: every rank of it calls this. Ranks that can share memory do: the first of them
/// makes it and hands it to those that reach its socket, whatever their host is called. A rank that cannot is a host of its own.
/// `problem`: what is wrong with this rank's options, or empty. What goes wrong is said once and ends the job.
launch join_launched(bootstrap& others, options& settings, const std::string& problem);

}  // namespace armilla::detail
