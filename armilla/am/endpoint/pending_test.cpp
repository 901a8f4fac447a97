// SPDX-License-Identifier: Apache-2.0
#include "armilla/am/endpoint/pending.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace armilla::detail {
namespace {

constexpr handler_id of_one_layer = 8, of_another = first_free_handler;

TEST(pending_ops, a_reply_to_an_abandoned_operation_finds_nothing) {
  pending_ops all;
  pending_op* const op = all.take(of_one_layer);
  const op_id name = op->name();
  EXPECT_EQ(all.find(name), op);
  all.give_back(op);
  EXPECT_EQ(all.find(name), nullptr);
  EXPECT_EQ(all.take(of_one_layer), op);  // its successor has the place, and another name
  EXPECT_EQ(all.find(name), nullptr);
}

TEST(pending_ops, a_made_up_name_finds_nothing) {
  pending_ops all;
  EXPECT_EQ(all.find({0, 1}), nullptr);
  all.give_back(all.take(of_one_layer));
  EXPECT_EQ(all.find({1U << 31, 1}), nullptr);
}

// An error that answers a two-way call must not be written over what memory has asked.
TEST(pending_ops, only_two_way_calls_are_completed_by_replies) {
  pending_ops all;
  EXPECT_FALSE(all.take(of_one_layer)->is_two_way_call());
  EXPECT_TRUE(all.take(of_another)->is_two_way_call());
  EXPECT_FALSE(all.take(no_handler)->is_two_way_call());
}

TEST(pending_ops, ending_some_may_begin_many) {
  pending_ops all;
  std::vector<pending_op*> lost;
  for (int i = 0; i < 3; ++i) lost.push_back(all.take(of_one_layer));
  all.take(of_another);
  int ended = 0;
  all.end_each([](const pending_op& op) { return op.reply_handler == of_one_layer; },
               [&](pending_op& op) {
                 ++ended;
                 for (int i = 0; i < 1000; ++i) all.take(of_one_layer);  // the pool grows
                 all.give_back(&op);
               });
  EXPECT_EQ(ended, 3);
}

TEST(pending_ops, ending_one_may_end_another) {
  pending_ops all;
  std::vector<pending_op*> lost;
  for (int i = 0; i < 2; ++i) lost.push_back(all.take(of_one_layer));
  int ended = 0;
  all.end_each([](const pending_op&) { return true; },
               [&](pending_op&) {
                 ++ended;
                 for (pending_op* op : lost) all.give_back(op);
               });
  EXPECT_EQ(ended, 1);
}

TEST(pending_ops, a_waiter_that_goes_leaves_the_others) {
  pending_ops all;
  pending_op& op = *all.take(of_one_layer);
  continuation first{nullptr}, second{nullptr}, third{nullptr};
  op.attach(second);
  op.attach(third);
  op.attach_first(first);
  op.detach(second);
  op.detach(second);
  EXPECT_EQ(op.next_step, &first);
  EXPECT_EQ(first.next, &third);
  EXPECT_EQ(third.next, nullptr);
}

}  // namespace
}  // namespace armilla::detail
