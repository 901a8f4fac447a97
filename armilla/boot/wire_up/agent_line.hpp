// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>

#include "armilla/boot/host/bootstrap.hpp"
#include "armilla/boot/wire_up/gathering.hpp"

namespace armilla::detail {

/// A rank's line to the agent that started it on its host, for armilla-run --hosts: a socket that it inherits. The agents carry
/// between hosts what the ranks say.
struct line_head {
  enum word : std::uint32_t {
    exchange = 1,  ///< from a rank: its bytes; to it: those of all ranks
    failed,        ///< from a rank: a code (4 bytes), whether it is primary (4 bytes), and the one message, or nothing
    finished,      ///< from a rank, when it leaves in good order
    over,          ///< from a rank that fails as another one, which says so
    memory,        ///< from a rank, with the open file: the memory of its host
    last_meeting,  ///< from a rank: its next exchange is the last of the start; once it is over, no loss need end the job
    gathering      ///< from a rank and to it: see gathering.hpp
  };
  static constexpr std::uint32_t most_bytes = 1 << 20;  ///< of one rank

  std::uint32_t what;
  std::uint32_t bytes;  ///< that follow
};

/// "descriptor rank ranks host memory": the last is the descriptor of the host's memory for a rank that comes into the running
/// job, else -1. Removed from the environment by the rank that joins.
inline constexpr const char* line_variable = "ARMILLA_INTERNAL_LINE";

class agent_line final : public bootstrap {
 public:
  /// This process's, from the variable. Throws `usage_error` if that is damaged.
  static std::unique_ptr<agent_line> take();
  ~agent_line() override;

  const char* name() const noexcept override { return "armilla-run"; }
  rank_t rank() const noexcept override { return rank_; }
  rank_t ranks() const noexcept override { return ranks_; }
  bool exchange(const void* mine, void* all, std::size_t bytes) override;
  bool meet() override { return exchange(nullptr, nullptr, 0); }
  const char* error() const noexcept override { return error_; }
  [[noreturn]] void abort(int code) override;
  void finish() override;
  agent_line* to_agent() noexcept override { return this; }

  /// The memory of this host: the agent maps it, and writes into it which ranks die, and why.
  void lend(int memory);
  /// What is left of the ranks is agreed over it, where the job goes on without those that it loses.
  gatherings& left() noexcept { return left_; }
  /// The descriptor of that memory, which the caller closes; -1: this is a rank of the start.
  int inherited_memory() const noexcept { return memory_; }
  /// The name by which the user called this host.
  const std::string& host() const noexcept { return host_; }
  /// This rank fails, too; another one says why.
  void tell_over() noexcept;
  /// Lets armilla-run say it, and stop the job with this code. `primary`: no other rank's end can be the cause.
  void tell_failure(int code, bool primary, const std::string& sentence) noexcept;

 private:
  agent_line(int socket, rank_t rank, rank_t ranks, std::string host, int memory);
  bool broken() noexcept;

  int socket_, memory_;
  rank_t rank_, ranks_;
  std::string host_;
  gatherings left_;
  const char* error_ = "";
};

/// All of it, whatever comes between; false at the end of the line.
bool write_fully(int socket, const void* data, std::size_t bytes) noexcept;
bool read_fully(int socket, void* data, std::size_t bytes) noexcept;

}  // namespace armilla::detail
