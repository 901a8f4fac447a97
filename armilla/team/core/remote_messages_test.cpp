// SPDX-License-Identifier: Apache-2.0
#include "armilla/team/core/remote_messages.hpp"

#include <cstdint>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace armilla::detail {
namespace {

void push(unexpected_queue& q, const std::string& text) {
  envelope e{0, 0, text.size(), envelope::whole, 0, {}};
  const std::size_t words = text.size() / 8 * 8;
  text.copy(reinterpret_cast<char*>(e.tail), text.size() - words, words);
  q.push(e, reinterpret_cast<const std::byte*>(text.data()), words);
}

std::string text_of(const envelope& head, const message_bytes& taken) {
  return {reinterpret_cast<const char*>(taken.at.get()), head.bytes};
}

std::string take(unexpected_queue& q, message_bytes& into) {
  const envelope head = q.front();
  q.take(into);
  return text_of(head, into);
}

std::string text(int i) { return std::string(std::size_t(i % 70), char('a' + i % 26)); }

}  // namespace

TEST(unexpected_queue, gives_messages_back_in_their_order) {
  unexpected_queue q;
  message_bytes taken;
  int pushed = 0, popped = 0;
  for (const int fill : {1, 32, 7, 0, 32, 0}) {
    while (int(q.size()) < fill) push(q, text(pushed++));
    while (int(q.size()) > fill / 2) EXPECT_EQ(take(q, taken), text(popped++));
  }
  while (!q.empty()) EXPECT_EQ(take(q, taken), text(popped++));
  EXPECT_EQ(popped, pushed);
}

TEST(unexpected_queue, uses_its_memory_again_though_something_always_waits) {
  unexpected_queue q;
  message_bytes taken;
  std::set<const std::byte*> places;
  push(q, text(0));
  for (int i = 0; i < 1000; ++i) {
    push(q, text(i));
    q.take(taken);
    places.insert(taken.at.get());
  }
  EXPECT_LE(places.size(), unexpected_queue::most * 2);
}

TEST(unexpected_queue, a_message_that_is_taken_begins_a_line_and_stays_whatever_comes) {
  unexpected_queue q;
  message_bytes taken;
  for (int i = 0; i < 40; ++i) {
    push(q, text(i));
    const envelope head = q.front();
    q.take(taken);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(taken.at.get()) % cache_line, 0u);
    while (q.size() < unexpected_queue::most) push(q, std::string(300, 'x'));
    EXPECT_EQ(text_of(head, taken), text(i));
    while (!q.empty()) q.pop();
  }
}

TEST(unexpected_queue, a_message_that_is_taken_stays_when_all_that_came_is_forgotten) {
  unexpected_queue q;
  message_bytes taken;
  for (int i = 0; i < 40; ++i) {
    push(q, text(i));
    const envelope head = q.front();
    q.take(taken);
    q = {};
    push(q, std::string(300, 'x'));
    EXPECT_EQ(text_of(head, taken), text(i));
    EXPECT_EQ(q.size(), 1u);
    q.pop();
  }
}

}  // namespace armilla::detail
