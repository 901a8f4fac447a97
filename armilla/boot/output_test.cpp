// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/output.hpp"

#include <unistd.h>

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
  output_labels labels;
  const auto rank = labels.open("[3] ");
  const caught out(STDOUT_FILENO);
  say(rank.output, "one\ntwo\n");
  labels.forward();
  EXPECT_EQ(out.text(), "[3] one\n[3] two\n");
  labels.started(rank);
}

TEST(output, a_line_comes_when_it_is_whole) {
  output_labels labels;
  const auto rank = labels.open("[0] ");
  const caught out(STDOUT_FILENO);
  say(rank.output, "half");
  labels.forward();
  EXPECT_EQ(out.text(), "");
  say(rank.output, " a line\n");
  labels.forward();
  EXPECT_EQ(out.text(), "[0] half a line\n");
  labels.started(rank);
}

TEST(output, lines_of_several_ranks_do_not_mix) {
  output_labels labels;
  const auto first = labels.open("[0] "), second = labels.open("[1] ");
  const caught out(STDOUT_FILENO);
  say(first.output, "be");
  say(second.output, "other\n");
  labels.forward();
  say(first.output, "gun\n");
  labels.forward();
  EXPECT_EQ(out.text(), "[1] other\n[0] begun\n");
  labels.started(first);
  labels.started(second);
}

TEST(output, errors_stay_errors) {
  output_labels labels;
  const auto rank = labels.open("[2] ");
  const caught out(STDOUT_FILENO), errors(STDERR_FILENO);
  say(rank.errors, "wrong\n");
  labels.forward();
  EXPECT_EQ(out.text(), "");
  EXPECT_EQ(errors.text(), "[2] wrong\n");
  labels.started(rank);
}

TEST(output, at_the_end_a_line_without_an_end_gets_one) {
  output_labels labels;
  const auto rank = labels.open("[0] ");
  const caught out(STDOUT_FILENO);
  say(rank.output, "no end");
  labels.finish();
  EXPECT_EQ(out.text(), "[0] no end\n");
  labels.started(rank);
}

TEST(output, a_line_without_bounds_is_passed_on_in_pieces) {
  output_labels labels;
  const auto rank = labels.open("[0] ");
  const caught out(STDOUT_FILENO);
  const std::string piece(32 * 1024, 'x');
  for (int i = 0; i < 40; ++i) {
    say(rank.output, piece);
    labels.forward();
  }
  EXPECT_GT(out.text().size(), std::size_t(1) << 20);
  labels.started(rank);
}

TEST(output, a_closed_pipe_is_polled_no_more) {
  output_labels labels;
  const auto rank = labels.open("[0] ");
  std::vector<pollfd> list;
  labels.watch(list);
  EXPECT_EQ(list.size(), 2u);
  labels.started(rank);
  labels.forward();
  list.clear();
  labels.watch(list);
  EXPECT_TRUE(list.empty());
}

}  // namespace
}  // namespace armilla::detail
