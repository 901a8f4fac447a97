// SPDX-License-Identifier: Apache-2.0
// Names of distributed objects: what a new rank knows of the ranks that have made them.
#include "armilla/object/table.hpp"

#include <cstdint>
#include <typeinfo>

#include <gtest/gtest.h>

namespace {

using namespace armilla::detail;

object_id name(std::uint64_t team, std::uint32_t newest, bool members_only = true, std::uint64_t number = 7) {
  return object_id::of({.id = team, .newest = newest, .members_only = members_only}, number).of_class(typeid(int));
}

TEST(names, of_a_team_tell_a_new_rank_whether_it_may_be_a_member) {
  for (const std::uint32_t newest_in_job : {1u, 5u, 255u, 256u, 257u, 1000u})
    for (std::uint32_t of_team = newest_in_job < 200 ? 0 : newest_in_job - 200; of_team <= newest_in_job; ++of_team)
      for (std::uint32_t life = 1; life <= newest_in_job; ++life)
        EXPECT_EQ(name(9, of_team).is_older_than(life, newest_in_job), of_team < life);
}

// It may wait for a part, which is found at the end; but it never refuses calls of its own team.
TEST(names, of_a_team_of_long_ago_may_be_taken_for_younger_and_none_for_older) {
  for (std::uint32_t of_team = 0; of_team <= 2000; ++of_team)
    for (const std::uint32_t life : {1u, 200u, 500u, 2000u})
      if (of_team >= life) EXPECT_FALSE(name(9, of_team).is_older_than(life, 2000));
}

TEST(names, of_all_ranks_are_of_the_start_only_where_members_alone_have_parts) {
  EXPECT_TRUE(name(0, 0).is_older_than(1, 300));
  EXPECT_FALSE(name(0, 0, false).is_older_than(1, 300));
  EXPECT_FALSE(name(0, 0).is_older_than(0, 300));
}

TEST(names, of_both_kinds_are_numbered_apart_and_differ_by_class) {
  EXPECT_NE(name(0, 0).place(), name(0, 0, false).place());
  EXPECT_NE(name(0, 0).of_class(typeid(long)), name(0, 0));
  EXPECT_EQ(name(0, 0).of_class(typeid(long)).place(), name(0, 0).place());
  EXPECT_EQ(name(0, 0).text(), "container 7");
  EXPECT_EQ(name(0, 0, false).text(), "distributed object 7");
}

}  // namespace
