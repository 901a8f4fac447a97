// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/wire_up/gathering.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "armilla/boot/wire_up/agent_line.hpp"

namespace armilla::detail {
namespace {

using word = gathering_head::word;

const gathering_row row{gathering_row::kind::living, 5};

// A rank that hears of its agent.
struct gathering : testing::Test {
  gathering() { EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0); }
  ~gathering() override {
    for (const int end : ends) close(end);
  }

  void hear(word what, std::uint64_t step) {
    const std::string text = gathering_text({.what = what, .row = row.what, .id = row.id, .step = step}, {}, {});
    const line_head head{line_head::gathering, std::uint32_t(text.size())};
    write_fully(ends[0], &head, sizeof head);
    write_fully(ends[0], text.data(), text.size());
    rank().look();
  }
  gatherings& rank() {
    if (!rank_) rank_.emplace(ends[1], 4);
    return *rank_;
  }

  int ends[2];
  std::optional<gatherings> rank_;
};

TEST_F(gathering, the_highest_step_that_any_rank_has_asked_for_is_known) {
  EXPECT_EQ(rank().asked(row), 0u);
  hear(word::asked, 7);
  EXPECT_EQ(rank().asked(row), 7u);
  hear(word::asked, 3);
  EXPECT_EQ(rank().asked(row), 7u);
  EXPECT_EQ(rank().asked({row.what, row.id + 1}), 0u);
}

TEST_F(gathering, other_words_ask_for_nothing) {
  hear(word::gives_up, 9);
  EXPECT_EQ(rank().asked(row), 0u);
  EXPECT_TRUE(rank().given_up());
}

TEST_F(gathering, an_answer_counts_for_the_step_that_was_asked_for) {
  rank().ask(row, 2, {}, {});
  hear(word::over, 1);
  EXPECT_FALSE(rank().take_answer(row));
  hear(word::over, 2);
  EXPECT_TRUE(rank().take_answer(row));
  EXPECT_FALSE(rank().take_answer(row));  // once
}

TEST(gathering_text, names_ranks_by_runs) {
  const std::vector<rank_t> ranks{0, 1, 2, 9, 5, 6, 3};
  const std::string text = gathering_text({.what = word::ask, .part_bytes = 2}, ranks, "ab");
  EXPECT_EQ(text.size(), sizeof(gathering_head) + 4 * 2 * sizeof(rank_t) + 2);
  const auto m = gathering_message::from(text, 10);
  ASSERT_TRUE(m);
  EXPECT_EQ(m->ranks(), ranks);
  EXPECT_EQ(m->parts, "ab");
}

TEST(gathering_text, that_is_damaged_is_no_message) {
  const std::vector<rank_t> ranks{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  const std::string text = gathering_text({.what = word::ask, .part_bytes = 2}, ranks, "ab");
  EXPECT_TRUE(gathering_message::from(text, 10));
  EXPECT_FALSE(gathering_message::from(text, 9)) << "a rank that does not exist";
  for (std::size_t cut = 0; cut < text.size(); ++cut) EXPECT_FALSE(gathering_message::from(text.substr(0, cut), 10));
  const std::vector<rank_t> twice{0, 1, 2, 0, 1, 2};
  EXPECT_FALSE(gathering_message::from(gathering_text({.what = word::asked}, twice, {}), 5)) << "more than all ranks";
  std::string backwards = text;
  backwards[sizeof(gathering_head)] = 9;  // the first of a run, behind its last
  backwards[sizeof(gathering_head) + 4] = 8;
  EXPECT_FALSE(gathering_message::from(backwards, 10));
}

}  // namespace
}  // namespace armilla::detail
