// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/children/output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace armilla::detail {
namespace {

/// What is written to a descriptor, 1 or 2, while it lives, goes to a file of its own.
class caught {
 public:
  explicit caught(int descriptor) : descriptor_(descriptor), before_(dup(descriptor)), file_(std::tmpfile()) {
    std::fflush(nullptr);
    dup2(fileno(file_), descriptor);
  }
  ~caught() {
    dup2(before_, descriptor_);
    close(before_);
    std::fclose(file_);
  }
  caught(const caught&) = delete;
  std::string text() const {
    std::string all(1 << 22, '\0');
    const ssize_t n = pread(fileno(file_), all.data(), all.size(), 0);
    all.resize(n > 0 ? std::size_t(n) : 0);
    return all;
  }

 private:
  int descriptor_, before_;
  std::FILE* file_;
};

void say(int to, const std::string& text) { ASSERT_EQ(write(to, text.data(), text.size()), ssize_t(text.size())); }

TEST(output, each_line_has_its_label) {
  const caught out(STDOUT_FILENO);
  output_lines labels;
  const auto rank = labels.open("[3] ");
  say(rank.output, "one\ntwo\n");
  labels.forward();
  EXPECT_EQ(out.text(), "[3] one\n[3] two\n");
  output_lines::started(rank);
}

TEST(output, a_line_comes_when_it_is_whole) {
  const caught out(STDOUT_FILENO);
  output_lines labels;
  const auto rank = labels.open("[0] ");
  say(rank.output, "half");
  labels.forward();
  EXPECT_EQ(out.text(), "");
  say(rank.output, " a line\n");
  labels.forward();
  EXPECT_EQ(out.text(), "[0] half a line\n");
  output_lines::started(rank);
}

TEST(output, lines_of_several_ranks_do_not_mix) {
  const caught out(STDOUT_FILENO);
  output_lines labels;
  const auto first = labels.open("[0] "), second = labels.open("[1] ");
  say(first.output, "be");
  say(second.output, "other\n");
  labels.forward();
  say(first.output, "gun\n");
  labels.forward();
  EXPECT_EQ(out.text(), "[1] other\n[0] begun\n");
  output_lines::started(first);
  output_lines::started(second);
}

TEST(output, errors_stay_errors) {
  const caught out(STDOUT_FILENO), errors(STDERR_FILENO);
  output_lines labels;
  const auto rank = labels.open("[2] ");
  say(rank.errors, "wrong\n");
  labels.forward();
  EXPECT_EQ(out.text(), "");
  EXPECT_EQ(errors.text(), "[2] wrong\n");
  output_lines::started(rank);
}

TEST(output, at_the_end_a_line_without_an_end_gets_one) {
  const caught out(STDOUT_FILENO);
  output_lines labels;
  const auto rank = labels.open("[0] ");
  say(rank.output, "no end");
  labels.finish();
  EXPECT_EQ(out.text(), "[0] no end\n");
  output_lines::started(rank);
}

TEST(output, a_line_without_bounds_is_passed_on_in_pieces) {
  const caught out(STDOUT_FILENO);
  output_lines labels;
  const auto rank = labels.open("[0] ");
  const std::string piece(32 * 1024, 'x');
  for (int i = 0; i < 40; ++i) {
    say(rank.output, piece);
    labels.forward();
  }
  EXPECT_GT(out.text().size(), std::size_t(1) << 20);
  output_lines::started(rank);
}

TEST(output, lines_without_labels_come_whole_and_no_byte_is_added) {
  const caught out(STDOUT_FILENO);
  output_lines lines;
  output_lines::ends first = lines.open_plain(false), second = lines.open_plain(false);
  say(first.output, "one\ntw");
  say(second.output, "other\n");
  lines.forward();
  EXPECT_EQ(out.text(), "one\nother\n");
  say(first.output, "o\nno end");
  lines.forward();
  EXPECT_EQ(out.text(), "one\nother\ntwo\n");
  output_lines::started(first);
  output_lines::started(second);
  EXPECT_TRUE(lines.finish());
  EXPECT_EQ(out.text(), "one\nother\ntwo\nno end");
}

TEST(output, a_reader_that_does_not_read_blocks_nobody) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const int before = dup(STDOUT_FILENO);
  dup2(ends[1], STDOUT_FILENO);
  {
    output_lines lines;
    const auto rank = lines.open_plain(false);
    const std::string line = std::string(9999, 'x') + "\n";
    for (int i = 0; i < 20; ++i) say(rank.output, line);
    lines.forward();
    EXPECT_TRUE(lines.is_blocked());
    EXPECT_FALSE(lines.finish());
    std::string got, some(65536, 0);
    while (got.size() < 20 * line.size()) {
      got.append(some, 0, std::size_t(read(ends[0], some.data(), some.size())));
      lines.finish();
    }
    EXPECT_EQ(got.substr(19 * line.size()), line);
    close(ends[0]);
    say(rank.output, line);
    lines.forward();
    output_lines::started(rank);
    EXPECT_TRUE(lines.finish());
  }
  dup2(before, STDOUT_FILENO);
  close(before);
  close(ends[1]);
}

TEST(output, a_full_device_is_noted) {
  const int full = open("/dev/full", O_WRONLY | O_CLOEXEC), before = dup(STDOUT_FILENO);
  ASSERT_GE(full, 0);
  std::fflush(nullptr);
  dup2(full, STDOUT_FILENO);
  {
    output_lines labels;
    const auto rank = labels.open("[0] ");
    EXPECT_EQ(labels.lost(), 0);
    say(rank.output, "a line\n");
    labels.forward();
    EXPECT_EQ(labels.lost(), ENOSPC);
    output_lines::started(rank);
  }
  dup2(before, STDOUT_FILENO);
  close(before), close(full);
}

TEST(output, a_closed_pipe_is_polled_no_more) {
  output_lines labels;
  const auto rank = labels.open("[0] ");
  std::vector<pollfd> list;
  labels.watch(list);
  EXPECT_EQ(list.size(), 2u);
  output_lines::started(rank);
  labels.forward();
  list.clear();
  labels.watch(list);
  EXPECT_TRUE(list.empty());
}

}  // namespace
}  // namespace armilla::detail
