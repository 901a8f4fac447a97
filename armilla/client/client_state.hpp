// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "armilla/boot/visitors/job_search.hpp"
#include "armilla/client/client_line.hpp"
#include "armilla/client/remote_host.hpp"

namespace armilla::detail {

enum class silent_hosts { refuse, leave_out };

/// What another host has been asked.
struct asked_host {
  std::shared_ptr<remote_host> host;
  std::shared_ptr<remote_answer> answer;
};

/// What the copies of an attached client share: the job's memory, a line to each rank that it has called, and a way to each other
/// host.
class client_state {
 public:
  explicit client_state(std::shared_ptr<job_memory> memory) noexcept : memory_(std::move(memory)) {}

  job_memory& memory() const noexcept { return *memory_; }
  bool is_here(rank_t r) const noexcept { return memory_->job().rank[r].pid.load(std::memory_order_relaxed) > 0; }
  /// Throws as the constructors of rank_line and remote_host.
  std::shared_ptr<client_line> line(rank_t to);
  /// Asks each of the other hosts that have ranks; none if the job has no agents. Those that are lost are left out. Throws
  /// timeout_error or limit_error where one is not reached, unless that is to be left out, too.
  std::vector<asked_host> ask_other_hosts(circuit_head::word what, std::string_view name, std::uint64_t patience_ns,
                                          silent_hosts those = silent_hosts::refuse);

 private:
  std::shared_ptr<remote_host> host_of(rank_t r);
  std::vector<std::shared_ptr<remote_host>> other_hosts(silent_hosts those);

  std::shared_ptr<job_memory> memory_;
  std::mutex lock_;
  std::map<rank_t, std::shared_ptr<client_line>> lines_;
  std::mutex hosts_lock_;  // to begin with a host takes milliseconds
  std::vector<std::shared_ptr<remote_host>> hosts_;
};

}  // namespace armilla::detail
