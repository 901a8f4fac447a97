// SPDX-License-Identifier: Apache-2.0
#include "armilla/stats/progress_line.hpp"

#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

namespace armilla::detail {
namespace {

class pipe_reader {
 public:
  pipe_reader() { EXPECT_EQ(::pipe(ends_), 0); }
  ~pipe_reader() { ::close(ends_[0]), ::close(ends_[1]); }
  /// A descriptor of its own, which the line closes.
  int writing() const { return ::dup(ends_[1]); }
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

// As two fibers' algorithms do.
TEST(progress_line, keeps_the_name_of_an_algorithm_that_ends_before_another) {
  counters count;
  pipe_reader out;
  progress_line line(count, {.file = out.writing(), .terminal = false, .first = milliseconds(1), .every = milliseconds(1)});
  std::string name = "save of x";
  line.begin(name.c_str());
  line.begin("sort");
  line.end();
  name.assign(name.size(), '?');
  out.read_until("am::save of x, ");
  line.end();
  EXPECT_EQ(out.what_is_there().find('?'), std::string::npos);
}

TEST(progress_line, clears_its_line_on_a_terminal) {
  counters count;
  pipe_reader out;
  progress_line line(count, {.file = out.writing(), .terminal = true, .first = milliseconds(1), .every = milliseconds(1)});
  line.begin("sort");
  out.read_until("am::sort 1 s");
  line.end();
  const std::string all = out.what_is_there();
  EXPECT_EQ(all.find('\n'), std::string::npos);
  EXPECT_EQ(all.substr(all.size() - 4), "\r\033[K");
}

TEST(progress_line, draws_a_bar_with_rate_and_time_left_on_a_terminal) {
  counters count;
  pipe_reader out;
  progress_line line(count, {.file = out.writing(), .terminal = true, .first = milliseconds(1), .every = milliseconds(1)});
  line.begin("load", [] { return work_seen{50, 200}; });
  line.set_unit("bytes");
  const std::string all = out.read_until(" left");
  EXPECT_NE(all.find("am::load [######..................]  25 %, "), std::string::npos) << all;
  EXPECT_NE(all.find("B/s, "), std::string::npos) << all;
  line.end();
}

TEST(progress_line, the_time_left_follows_from_the_share_that_is_done) {
  counters count;
  std::atomic<std::uint64_t> done = 1;
  pipe_reader out;
  progress_line line(count, {.file = out.writing(), .terminal = true, .first = milliseconds(1), .every = milliseconds(1)});
  line.begin("bfs", [&done] { return work_seen{done, 1'000'000'000}; });
  out.read_until(" h ");  // a billionth of it in some milliseconds
  done = 1'000'000'000;
  out.read_until("[########################] 100 %, ");
  line.end();
}

TEST(progress_line, a_line_says_what_share_is_done) {
  counters count;
  pipe_reader out;
  progress_line line(count, {.file = out.writing(), .terminal = false, .first = milliseconds(1), .every = milliseconds(1)});
  line.begin("sort", [] { return work_seen{3, 4}; });
  out.read_until("; 75 % is done\n");
  line.end();
}

TEST(short_number, has_at_most_four_digits_and_a_prefix) {
  EXPECT_EQ(short_number(7), "7 ");
  EXPECT_EQ(short_number(999), "999 ");
  EXPECT_EQ(short_number(1234), "1.2 k");
  EXPECT_EQ(short_number(999'960), "1.0 M");
  EXPECT_EQ(short_number(123'456'789), "123 M");
  EXPECT_EQ(short_number(5e15), "5000 T");
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
