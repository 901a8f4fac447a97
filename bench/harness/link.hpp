// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "bench/harness/anatomy.hpp"

namespace bench {

/// Coordinator to every rank of a worker: do this row. Between commands a rank blocks in the kernel, so that an idle
/// worker does not disturb the one that measures.
struct command {
  char row[48];  ///< empty: end
  long size;     ///< what the row takes it for: bytes, per cent
  long iterations;
};

enum class status : int { done, absent, failed };

/// Rank to coordinator. Rank 0's figures count; `text` says what failed.
struct answer {
  bench::status status = bench::status::done;
  double value = 0;              ///< in the row's unit, per operation
  double before = 0, after = 0;  ///< the yardsticks, ns
  double seconds = 0;            ///< that the row took
  double lost = 0;               ///< of these, how many this rank was ready to run but another process had its core
  rank_parts parts = {};         ///< of this rank, for rows that tell
  char text[200] = {};
};

/// One end of a connection that keeps message borders (a local socket of kind SEQPACKET).
class link {
 public:
  explicit link(int descriptor = -1) : descriptor_(descriptor) {}
  link(link&& other) noexcept : descriptor_(other.descriptor_) { other.descriptor_ = -1; }
  link& operator=(link&& other) noexcept;
  ~link();

  bool send(const void* data, unsigned long bytes) const;
  enum class got { message, nothing, closed };
  /// `nothing` after `seconds` (0: wait for ever); `closed` when the other side is gone.
  got receive(void* data, unsigned long bytes, int seconds = 0) const;
  void send_descriptor(int descriptor) const;
  int receive_descriptor() const;

  /// A worker's rank connects to its coordinator.
  static link connect(const std::string& name);

 private:
  int descriptor_;
};

/// Where the ranks of a worker connect: a name that needs no file, or, if it begins with a slash, a file that also ranks on other
/// hosts of the fixture can reach.
class listener {
 public:
  explicit listener(const std::string& name);
  ~listener();
  listener(const listener&) = delete;
  listener& operator=(const listener&) = delete;
  /// Descriptor of the next rank's connection, or -1 after `milliseconds`.
  int accept(int milliseconds) const;

 private:
  int descriptor_;
  std::string file_;  ///< empty: none
};

}  // namespace bench
