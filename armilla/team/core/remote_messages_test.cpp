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

std::string front(const unexpected_queue& q) { return {reinterpret_cast<const char*>(q.data()), q.front().bytes}; }

std::string text(int i) { return std::string(std::size_t(i % 70), char('a' + i % 26)); }

}  // namespace

TEST(unexpected_queue, gives_messages_back_in_their_order) {
  unexpected_queue q;
  int pushed = 0, popped = 0;
  for (const int fill : {1, 32, 7, 0, 32, 0}) {
    while (int(q.size()) < fill) push(q, text(pushed++));
    while (int(q.size()) > fill / 2) {
      EXPECT_EQ(front(q), text(popped++));
      q.pop();
    }
  }
  while (!q.empty()) EXPECT_EQ(front(q), text(popped++)), q.pop();
  EXPECT_EQ(popped, pushed);
}

TEST(unexpected_queue, uses_its_memory_again_though_something_always_waits) {
  unexpected_queue q;
  std::set<const std::byte*> places;
  push(q, text(0));
  for (int i = 0; i < 1000; ++i) {
    push(q, text(i));
    q.pop();
    places.insert(q.data());
  }
  EXPECT_LE(places.size(), unexpected_queue::most * 2);
}

TEST(unexpected_queue, each_message_begins_a_line_and_stays_while_others_come) {
  unexpected_queue q;
  for (int i = 0; i < 40; ++i) {
    push(q, text(i));
    const std::string expected = front(q);
    const std::byte* const place = q.data();
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(place) % cache_line, 0u);
    while (q.size() < unexpected_queue::most) push(q, std::string(300, 'x'));
    EXPECT_EQ(q.data(), place);
    EXPECT_EQ(front(q), expected);
    while (!q.empty()) q.pop();
  }
}

}  // namespace armilla::detail
