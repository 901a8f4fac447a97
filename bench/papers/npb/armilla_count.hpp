// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "bench/papers/common/armilla_job.hpp"
#include "bench/papers/common/record.hpp"

namespace npb {

/// What the library's statistics count between `begin` and `end`.
class armilla_count {
 public:
  void begin() { before_ = armilla::stats(); }
  void end() { after_ = armilla::stats(); }
  /// The mean of all ranks, of the counters that are not zero everywhere. Collective.
  papers::json each(const papers::armilla_job& job) const;

 private:
  armilla::statistics before_, after_;
};

}  // namespace npb
