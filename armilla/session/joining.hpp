// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "armilla/base/core/options.hpp"
#include "armilla/boot/host/bootstrap.hpp"
#include "armilla/boot/host/launch.hpp"
#include "armilla/fabric/choice.hpp"

namespace armilla::detail {

/// This process in its job. What it holds outlives the ranks.
struct joined_process {
  std::unique_ptr<options> settings;
  std::unique_ptr<bootstrap> started;  ///< by a launcher that is not ours
  std::string started_by;              ///< the backend that it is from; empty: none
  chosen_network beyond;
  std::vector<launch> ranks;  ///< one for each rank of this process
};

/// The first step of every program: reads the options and finds out what this process is. The first process of a job with
/// several ranks becomes its supervisor and does not return. In a rank, what goes wrong is noted in the job and thrown; in the
/// first process it is only thrown; under a launcher of others it is said by one rank, and ends the job.
joined_process join_or_supervise(int argc, char** argv);

/// Before the rank starts: notes what its program is. usage_error on one that joins a job whose programs come to another end.
void take_kind(const launch& self, program_kind mine);

}  // namespace armilla::detail
