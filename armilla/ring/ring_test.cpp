// SPDX-License-Identifier: Apache-2.0
#include "armilla/ring/ring.hpp"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace armilla::detail {
namespace {

struct ring_pair {
  explicit ring_pair(std::size_t bytes)
      : storage(static_cast<std::byte*>(std::aligned_alloc(64, bytes + 128))),
        memory((std::memset(storage, 0, bytes + 128), storage), 128, bytes),
        writer(memory),
        reader(memory) {}
  ~ring_pair() { std::free(storage); }
  ring_pair(const ring_pair&) = delete;
  std::byte* storage;
  ring_memory memory;
  ring_writer writer;
  ring_reader reader;
};

constexpr std::size_t longest_in_line = cache_line - frame_head;

// What fits into a line goes in each of three ways by turns.
bool write(ring_writer& writer, const std::vector<std::uint64_t>& words) {
  thread_local int turn = 0;
  const std::size_t bytes = words.size() * 8;
  const bool in_line = bytes <= longest_in_line;
  const auto put = [&](std::byte* at) { std::copy_n(words.data(), words.size(), reinterpret_cast<std::uint64_t*>(at)); };
  if (in_line && ++turn % 3 == 0)
    if (std::byte* const place = writer.next_line(); place != nullptr) return put(place), writer.publish_line(bytes), true;
  auto room = writer.reserve(bytes, bytes);
  if (room.begin == nullptr) return false;
  EXPECT_GE(std::size_t(room.end - room.begin), bytes);
  if (in_line && turn % 3 == 1) return writer.clear_behind_line(), put(room.begin), writer.publish_line(bytes), true;
  put(room.begin);
  writer.publish(bytes);
  return true;
}

bool read(ring_reader& reader, std::vector<std::uint64_t>& words) {
  while (reader.ready()) {
    auto frame = reader.front();
    if (frame.bytes == frame_pad) {
      reader.release_pad();
      continue;
    }
    EXPECT_LE(frame.bytes, reader.most());
    words.resize(frame.bytes / 8);
    std::copy_n(reinterpret_cast<const std::uint64_t*>(frame.data), words.size(), words.data());
    reader.release(frame.bytes);
    return true;
  }
  return false;
}

TEST(ring, an_empty_ring_has_no_frame) {
  ring_pair ring(4096);
  EXPECT_FALSE(ring.reader.ready());
}

TEST(ring, one_line_holds_56_bytes) {
  EXPECT_EQ(lines_for(56), 1u);
  EXPECT_EQ(lines_for(57), 2u);
}

TEST(ring, refuses_when_full_and_goes_on_when_read) {
  ring_pair ring(4096);
  int written = 0;
  while (write(ring.writer, {std::uint64_t(written)})) ++written;
  EXPECT_EQ(written, 63);  // one line stays free
  std::vector<std::uint64_t> words;
  for (int i = 0; i < 8; ++i) ASSERT_TRUE(read(ring.reader, words));
  EXPECT_TRUE(write(ring.writer, {1}));
}

// The bytes inside long frames imitate frame words of every lap: none may be taken for one.
TEST(ring, hostile_payload_is_never_taken_for_a_frame) {
  ring_pair ring(4096);
  std::mt19937_64 random(1);
  std::deque<std::vector<std::uint64_t>> sent;
  std::vector<std::uint64_t> words;
  std::uint64_t position = 0;
  for (int step = 0; step < 200000; ++step) {
    if (random() % 2) {
      std::vector<std::uint64_t> message(random() % 3 ? random() % 7 : random() % 100);
      for (auto& word : message) word = std::uint64_t(lap_mark(position / 64 + random() % 3)) << 32 | (random() % 56);
      if (write(ring.writer, message)) {
        position += lines_for(message.size() * 8);
        sent.push_back(message);
      }
    } else if (read(ring.reader, words)) {
      ASSERT_FALSE(sent.empty());
      ASSERT_EQ(words, sent.front());
      sent.pop_front();
    } else {
      ASSERT_TRUE(sent.empty());
    }
  }
}

TEST(ring, two_threads_see_the_same_sequence) {
  ring_pair ring(8192);
  constexpr std::uint64_t count = 200000;
  std::thread writer([&] {
    std::vector<std::uint64_t> message;
    for (std::uint64_t i = 0; i < count; ++i) {
      message.assign(1 + i % 40, i);
      while (!write(ring.writer, message)) std::this_thread::yield();
    }
  });
  std::vector<std::uint64_t> words;
  for (std::uint64_t i = 0; i < count; ++i) {
    while (!read(ring.reader, words)) std::this_thread::yield();
    ASSERT_EQ(words.size(), 1 + i % 40);
    ASSERT_EQ(words.front(), i);
    ASSERT_EQ(words.back(), i);
  }
  writer.join();
}

// To any position and lap, with frames of any length under way.
void use_for_a_while(ring_pair& ring, std::mt19937_64& random) {
  std::vector<std::uint64_t> words;
  for (std::uint64_t n = random() % 300; n-- > 0;) {
    write(ring.writer, std::vector<std::uint64_t>(random() % 40 + 1, std::uint64_t{lap_mark(random() % 4)} << 32));
    if (random() % 3 != 0) read(ring.reader, words);
  }
}

void expect_to_carry(ring_writer& writer, ring_reader& reader, std::mt19937_64& random) {
  std::vector<std::uint64_t> words;
  for (std::uint64_t i = 0; i < 200; ++i) {
    ASSERT_FALSE(reader.ready());
    const std::vector<std::uint64_t> sent(random() % 30 + 1, i);
    ASSERT_TRUE(write(writer, sent));
    ASSERT_TRUE(read(reader, words));
    ASSERT_EQ(words, sent);
  }
}

TEST(ring, a_writer_sees_whether_its_reader_leaves_frames_unread) {
  ring_pair ring(4096);
  EXPECT_FALSE(ring.writer.is_unread());
  ring.reader.set_unread(true);
  EXPECT_TRUE(ring.writer.is_unread());
  ring.reader.set_unread(false);
  EXPECT_FALSE(ring.writer.is_unread());
  EXPECT_FALSE(ring_writer().is_unread());  // it has no ring yet
}

TEST(ring, goes_on_with_another_reader) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 200; ++round) {
    ring_pair ring(4096);
    use_for_a_while(ring, random);
    ring.writer.hand_over(7, 9);
    ASSERT_EQ(ring.memory.handed_over().load(), 7u);
    ring_reader next(ring.memory);
    next.follow(ring.memory);
    EXPECT_EQ(next.position(), ring.writer.position());
    expect_to_carry(ring.writer, next, random);
  }
}

TEST(ring, keeps_positions_when_it_is_refused_later) {
  std::mt19937_64 random(4);
  ring_pair ring(4096);
  use_for_a_while(ring, random);
  ring.writer.hand_over(7, 9);
  ring.writer.refuse();
  EXPECT_EQ(ring.memory.handed_over().load(), ring_memory::refused);
  EXPECT_EQ(ring.memory.tail().load(), ring.writer.position());
  EXPECT_EQ(ring.memory.taken().load(), 9u);
}

TEST(ring, goes_on_with_another_writer) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 200; ++round) {
    ring_pair ring(4096);
    std::vector<std::uint64_t> words;
    use_for_a_while(ring, random);
    while (read(ring.reader, words)) {}
    std::memset(ring.memory.lines, 0, 4096);
    ring.memory.head->store(ring.reader.position());
    ring_writer next(ring.memory);
    next.follow();
    EXPECT_EQ(next.position(), ring.reader.position());
    expect_to_carry(next, ring.reader, random);
  }
}

}  // namespace
}  // namespace armilla::detail
