// SPDX-License-Identifier: Apache-2.0
#include "armilla/client/method_rates.hpp"

#include <gtest/gtest.h>

namespace {

using armilla::detail::sampled_bundles;

TEST(sampled_bundles, add_up_by_name) {
  sampled_bundles s;
  s.add("10\nasync f(int)\t20\t160\ncall g()\t3\t24\n");
  s.add("5\nasync f(int)\t1\t8\n");
  EXPECT_EQ(s.bundles, 15u);
  ASSERT_EQ(s.methods.size(), 2u);
  EXPECT_EQ(s.methods["async f(int)"].messages, 21u);
  EXPECT_EQ(s.methods["async f(int)"].bytes, 168u);
  EXPECT_EQ(s.methods["call g()"].messages, 3u);
}

TEST(sampled_bundles, leave_out_what_is_no_line) {
  sampled_bundles s;
  for (const char* text : {"", "x\nf\t1\t1\n", "-1\nf\t1\t1\n"}) s.add(text);
  EXPECT_EQ(s.bundles, 0u);
  EXPECT_TRUE(s.methods.empty());
  s.add("1\n\n\t\t\nf\nf\t1\nf\t1\tx\nf\tx\t1\n\t1\t1\nf\t1\t1\t1\nf\t99999999999999999999999\t1\ng\t2\t3");
  EXPECT_EQ(s.bundles, 1u);
  ASSERT_EQ(s.methods.size(), 1u);
  EXPECT_EQ(s.methods["g"].bytes, 3u);
}

TEST(sampled_bundles, cut_names_and_keep_them_printable) {
  sampled_bundles s;
  s.add("1\n" + std::string(100'000, 'n') + "\t1\t1\n");
  s.add("1\na\033[2Jb\t1\t1\n");
  EXPECT_EQ(s.methods.begin()->first, "a?[2Jb");
  EXPECT_EQ(s.methods.rbegin()->first, std::string(300, 'n'));
}

TEST(sampled_bundles, have_a_bound_of_their_number) {
  sampled_bundles s;
  std::string text = "1\n";
  for (int i = 0; i < 20'000; ++i) text += std::to_string(i) + "\t1\t1\n";
  s.add(text);
  EXPECT_EQ(s.methods.size(), 10'000u);
}

}  // namespace
