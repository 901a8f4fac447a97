// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <poll.h>

#include <cstdint>
#include <list>
#include <string>
#include <vector>

#include "armilla/base/values/types.hpp"

namespace armilla::detail {

/// Passes on what processes write to stdout and stderr so that each line comes out whole, with a label before it if one is given.
/// Without a label no byte is added.
class output_lines {
 public:
  output_lines();
  output_lines(const output_lines&) = delete;
  output_lines& operator=(const output_lines&) = delete;
  ~output_lines();

  struct ends {
    int output = -1, errors = -1;  ///< -1: the process writes to ours
  };
  /// Opens the pipes of one process, whose lines get this label; returns what becomes its stdout and stderr.
  ends open(const std::string& label);
  /// The same without a label. To a terminal or another device the process writes by itself, as where no pipe can be had:
  /// programs want to know that it is one. `asks`: it has our stdin; so what it has written without a line feed goes on soon, as
  /// a prompt must.
  ends open_plain(bool asks) noexcept;
  /// The ends to read from of pipes that there are already.
  void take(int output, int errors, const std::string& label);
  /// Closes our copies of those ends, once the process has them.
  static void started(ends e) noexcept;

  /// Adds what must be polled.
  void watch(std::vector<pollfd>& list) const;
  /// How long to wait for it at most; -1: for ever.
  int patience_ms() const noexcept;
  /// Passes on what the processes wrote so far, as far as the reader takes it.
  void forward();
  /// The reader has not taken all that was passed on.
  bool is_blocked() const noexcept { return !output_.waiting.empty() || !errors_.waiting.empty(); }
  /// At the end: the rest, and lines without an end. False: the reader has not taken all of it; `wait_beside` and call it again.
  bool finish();
  /// Why some of it was lost, as errno; 0: nothing was, or nobody reads it.
  int lost() const noexcept { return output_.failed != 0 ? output_.failed : errors_.failed; }
  /// Waits until more can be passed on, or one of `others` is ready.
  void wait_beside(std::vector<pollfd> others) const;

 private:
  /// Where it goes.
  struct sink {
    int to;
    bool pipe = false, device = false, closed = false;
    int failed = 0;            ///< errno of the first write that did not go out, unless nobody reads there
    std::string waiting = {};  ///< what it did not take yet
  };
  struct stream {
    int from;
    sink* into;
    bool labelled, asks;
    std::string label, partial = {};
    bool is_prompt = false;      ///< `partial`, if it stands for a while
    std::uint64_t since_ns = 0;  ///< when it was written
  };
  void add_stream(int from, sink& into, bool labelled, bool asks, const std::string& label);
  int open_stream(sink& into, bool labelled, bool asks, const std::string& label);
  void read_some(stream& s);
  void pass_lines(stream& s, bool all);
  static void write_out(sink& s);
  void let_go(const sink& gone);

  sink output_{1}, errors_{2};
  bool same_;  ///< both are one file
  std::list<stream> streams_;
  std::vector<char> room_;
};

}  // namespace armilla::detail
