// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "armilla/boot/host/descriptor.hpp"
#include "armilla/boot/host/job_block.hpp"
#include "armilla/ring/host_layout.hpp"

namespace armilla::detail {

/// The memory of a running job of this host, opened by a process that is none of its ranks. The first pages are mapped: what the
/// job is and what its ranks show. They can only be read, until `write_control`.
class job_memory {
 public:
  /// Of what `holder` has open under `file`. Not valid if that is no job's memory, of another version, or cannot be opened.
  job_memory(pid_t holder, int file) noexcept;
  job_memory(const job_memory&) = delete;
  ~job_memory();

  bool valid() const noexcept { return job_ != nullptr; }
  /// Which memory this is: two processes that hold the same job show the same number.
  std::uint64_t identity() const noexcept { return identity_; }
  /// The supervisor; without one the process of a rank.
  pid_t process() const noexcept;
  job_block& job() const noexcept { return *job_; }
  const host_layout& layout() const noexcept { return layout_; }
  /// Ranks of the start, and those that have joined since: up to the highest of them.
  rank_t ranks() const noexcept;
  /// The path of a rank's program.
  std::string program(rank_t r) const;
  /// Whether a process of the job still runs a rank that has not finished.
  bool alive() const noexcept;
  /// From now on control pages can be written to, to ask their ranks for something. False, with `errno`: they cannot.
  bool write_control() noexcept;
  /// Copies the file's bytes [first, first + bytes). False: they could not be read.
  bool read(std::uint64_t first, void* to, std::size_t bytes) const noexcept;
  /// An address of this process for the file's bytes [first, first + bytes), to read and write; null with `errno`. Unmapped by
  /// the caller.
  void* map(std::uint64_t first, std::uint64_t bytes) const noexcept;
  /// How much of the file's bytes [first, first + bytes) is in memory.
  std::uint64_t resident(std::uint64_t first, std::uint64_t bytes) const noexcept;

 private:
  bool map_first() noexcept;
  descriptor writable() const noexcept;

  pid_t holder_;
  descriptor file_;
  std::uint64_t identity_ = 0;
  host_layout layout_;
  job_block* job_ = nullptr;
  std::atomic<bool> writes_control_ = false;
};

/// All jobs of this host that run as this process's user, by process. Jobs of others cannot be seen, but by the superuser.
std::vector<std::shared_ptr<job_memory>> find_jobs();

/// One letter of /proc/PID/stat: 'T' a stopped process, 'Z' one that has ended; 0: there is none.
char process_state(pid_t process) noexcept;

}  // namespace armilla::detail
