// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <cstdint>
#include <deque>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "snapshot.hpp"

namespace armilla::top {

/// The last minute of a job, a letter for each rank and snapshot: small enough for a thousand ranks.
class history {
 public:
  void add(const snapshot& s);
  /// {"samples": [{"time": s, "states": "cwwi", "messages": n, "bytes": n, "memory": n}]}.
  nlohmann::ordered_json samples() const;
  /// Chrome's trace events: for each rank what it did, a slice for each run of equal samples, and counters of the job.
  nlohmann::ordered_json trace() const;

 private:
  struct sample {
    double time;  ///< seconds since 1970
    std::string states;
    double messages, bytes;
    std::uint64_t memory;
  };
  std::deque<sample> samples_;
};

}  // namespace armilla::top
