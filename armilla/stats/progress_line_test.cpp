// SPDX-License-Identifier: Apache-2.0
#include "armilla/stats/progress_line.hpp"

#include <poll.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace armilla::detail {
namespace {

class pipe_reader {
 public:
  pipe_reader() { EXPECT_EQ(::pipe(ends_), 0); }
  ~pipe_reader() { ::close(ends_[0]), ::close(ends_[1]); }
  int writing() const { return ends_[1]; }
  /// Waits until `text` has come.
  std::string read_until(const std::string& text) {
    while (all_.find(text) == std::string::npos) read();
    return all_;
  }
  std::string what_is_there() {
    pollfd one{ends_[0], POLLIN, 0};
    while (::poll(&one, 1, 0) == 1) read();
    return all_;
  }

 private:
  void read() {
    char buffer[512];
    const ssize_t n = ::read(ends_[0], buffer, sizeof buffer);
    if (n > 0) all_.append(buffer, std::size_t(n));
  }
  int ends_[2];
  std::string all_;
};

using std::chrono::milliseconds;

TEST(progress_line, tells_of_an_algorithm_that_runs_long) {
  counters count;
  count.elements = 7;
  pipe_reader out;
  progress_line line(count, {.file = out.writing(), .terminal = false, .first = milliseconds(1), .every = milliseconds(1)});
  line.begin("sort");
  count.elements += 35;
  out.read_until("am::sort, ");
  out.read_until("gone through 35 elements and moved 0\n");
  line.end();
}

TEST(progress_line, clears_its_line_on_a_terminal) {
  counters count;
  pipe_reader out;
  progress_line line(count, {.file = out.writing(), .terminal = true, .first = milliseconds(1), .every = milliseconds(1)});
  line.begin("sort");
  out.read_until("moved 0");
  line.end();
  const std::string all = out.what_is_there();
  EXPECT_EQ(all.find('\n'), std::string::npos);
  EXPECT_EQ(all.substr(all.size() - 4), "\r\033[K");
}

TEST(progress_line, of_algorithms_that_call_each_other_the_outermost_counts) {
  counters count;
  pipe_reader out;
  progress_line line(count, {.file = out.writing(), .terminal = false, .first = milliseconds(1), .every = milliseconds(1)});
  line.begin("sort");
  line.begin("reduce");
  line.end();
  EXPECT_EQ(out.read_until("\n").find("reduce"), std::string::npos);
  line.end();
}

TEST(progress_line, says_nothing_of_short_algorithms) {
  counters count;
  pipe_reader out;
  {
    progress_line line(
        count, {.file = out.writing(), .terminal = false, .first = std::chrono::hours(1), .every = std::chrono::hours(1)});
    for (int i = 0; i < 1000; ++i) line.begin("reduce"), line.end();
  }
  EXPECT_EQ(out.what_is_there(), "");
}

}  // namespace
}  // namespace armilla::detail
