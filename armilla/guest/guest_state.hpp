// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <memory>
#include <mutex>

#include "armilla/boot/job_search.hpp"
#include "armilla/guest/rank_line.hpp"

namespace armilla::detail {

/// What the copies of a guest share: the job's memory, and a line to each rank that it has called.
class guest_state {
 public:
  explicit guest_state(std::shared_ptr<job_memory> memory) noexcept : memory_(std::move(memory)) {}

  job_memory& memory() const noexcept { return *memory_; }
  /// Throws as rank_line's constructor.
  std::shared_ptr<rank_line> line(rank_t to);

 private:
  std::shared_ptr<job_memory> memory_;
  std::mutex lock_;
  std::map<rank_t, std::shared_ptr<rank_line>> lines_;
};

}  // namespace armilla::detail
