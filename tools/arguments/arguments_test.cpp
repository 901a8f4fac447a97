// SPDX-License-Identifier: Apache-2.0
#include "tools/arguments/arguments.hpp"

#include <gtest/gtest.h>

namespace armilla::tools {
namespace {

struct wishes {
  int ranks = 0;
  bool loud = false;
  std::string out;
};

program described(wishes& w) {
  return {.name = "tool",
          .summary = "Does it.",
          .usage = "[options] FILE...",
          .options = {{"-n, --ranks", "N", "How many", into(w.ranks, 1, 16)},
                      {"--loud", "", "Say more", into(w.loud)},
                      {"--out", "FILE", "Where to", into(w.out)}}};
}

std::string complaint(words all) {
  wishes w;
  try {
    parse(described(w), std::move(all));
  } catch (const wrong_use& why) { return why.what(); }
  return "";
}

TEST(arguments, a_value_follows_its_name_or_stands_behind_it_in_one_word) {
  for (const words& all : {words{"-n", "4"}, words{"-n4"}, words{"--ranks", "4"}, words{"--ranks=4"}}) {
    wishes w;
    EXPECT_TRUE(parse(described(w), all).empty());
    EXPECT_EQ(w.ranks, 4);
  }
}

TEST(arguments, a_number_may_follow) {
  const auto taken = [](const words& all, words& rest) {
    std::string value = "none";
    rest = parse({.name = "tool", .summary = "", .usage = "", .options = {{"--serve", "[PORT]", "", into(value)}}}, all);
    return value;
  };
  words rest;
  EXPECT_EQ(taken({"--serve", "80", "job"}, rest), "80");
  EXPECT_EQ(taken({"--serve=80", "90"}, rest), "80");
  EXPECT_EQ(rest, words{"90"});
  EXPECT_EQ(taken({"--serve", "job"}, rest), "");
  EXPECT_EQ(rest, words{"job"});
  EXPECT_EQ(taken({"--serve"}, rest), "");
  EXPECT_THROW(taken({"--serve="}, rest), wrong_use);
}

TEST(arguments, other_words_are_left_in_their_order) {
  wishes w;
  EXPECT_EQ(parse(described(w), {"a", "--loud", "b", "--", "--out"}), (words{"a", "b", "--out"}));
  EXPECT_TRUE(w.loud);
}

TEST(arguments, another_programs_options_are_its_own) {
  wishes w;
  program p = described(w);
  p.command_follows = true;
  EXPECT_EQ(parse(p, {"--out=x", "./other", "--loud", "--help"}), (words{"./other", "--loud", "--help"}));
  EXPECT_FALSE(w.loud);
}

TEST(arguments, what_is_wrong_names_the_option_and_the_value) {
  EXPECT_EQ(complaint({"-n", "17"}), "-n, --ranks: '17' is no number from 1 to 16");
  EXPECT_EQ(complaint({"-nx"}), "-n, --ranks: 'x' is no number from 1 to 16");
  EXPECT_EQ(complaint({"--rank", "4"}), "unknown option '--rank'; did you mean --ranks?");
  EXPECT_EQ(complaint({"--something"}), "unknown option '--something'");
  EXPECT_EQ(complaint({"--out"}), "--out wants a value: FILE");
  for (const words& all : {words{"--out="}, words{"--out", ""}})
    EXPECT_EQ(complaint(all), "--out wants a value that is not empty: FILE");
  EXPECT_EQ(complaint({"--loud=yes"}), "--loud takes no value");
}

TEST(arguments, help_names_each_option) {
  wishes w;
  const std::string text = help_of(described(w));
  EXPECT_TRUE(
      text.starts_with("tool: Does it.\n\nUsage: tool [options] FILE...\n\nOptions:\n  -n, --ranks N           How many\n"))
      << text;
  for (const char* name : {"--loud ", "--out FILE", "-h, --help", "--version"}) EXPECT_NE(text.find(name), text.npos) << text;
}

TEST(arguments_death_test, help_and_version_end_the_process) {
  wishes w;
  EXPECT_EXIT(parse(described(w), {"--help"}), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(parse(described(w), {"x", "--version"}), testing::ExitedWithCode(0), "");
}

TEST(arguments, the_version_names_program_and_build) {
  EXPECT_TRUE(version_of("tool").starts_with("tool (Armilla) " ARMILLA_VERSION "\nwire ")) << version_of("tool");
}

}  // namespace
}  // namespace armilla::tools
