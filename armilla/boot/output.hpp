// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <poll.h>

#include <string>
#include <vector>

#include "armilla/base/types.hpp"

namespace armilla::detail {

/// Labels the output of ranks: each line that a rank writes to stdout or stderr comes out whole, as "[3] line".
class output_labels {
 public:
  output_labels() = default;
  output_labels(const output_labels&) = delete;
  output_labels& operator=(const output_labels&) = delete;
  ~output_labels();

  struct ends {
    int output = -1, errors = -1;
  };
  /// Opens the pipes of one process, whose lines get this label; returns what becomes its stdout and stderr.
  ends open(const std::string& label);
  /// Closes our copies of those ends, once the process has them.
  void started(ends e) noexcept;

  /// Adds what must be polled.
  void watch(std::vector<pollfd>& list) const;
  /// Passes on what the ranks wrote so far.
  void forward();
  /// At the end: the rest, and lines without an end.
  void finish();

 private:
  struct stream {
    int from, to;
    std::string label, partial;
  };
  int open_stream(const std::string& label, int to);
  static void pass_lines(stream& s, bool all);
  static void read_some(stream& s);

  std::vector<stream> streams_;
};

}  // namespace armilla::detail
