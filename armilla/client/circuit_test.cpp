// SPDX-License-Identifier: Apache-2.0
#include "armilla/client/circuit.hpp"

#include <sys/socket.h>

#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "armilla/client/remote_part.hpp"
#include "armilla/error.hpp"

namespace armilla::detail {
namespace {

struct two_ends {
  two_ends() : two_ends(std::make_unique<int[]>(2)) {}
  const std::unique_ptr<int[]> sockets;
  circuit near, far;

 private:
  explicit two_ends(std::unique_ptr<int[]> made) : sockets(connected(std::move(made))), near(sockets[0]), far(sockets[1]) {}
  static std::unique_ptr<int[]> connected(std::unique_ptr<int[]> made) {
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, made.get()), 0);
    return made;
  }
};

std::vector<std::byte> random_bytes(std::mt19937& dice, std::size_t n) {
  std::vector<std::byte> bytes(n);
  for (auto& b : bytes) b = std::byte(dice());
  return bytes;
}

TEST(circuit, frames_arrive_whole_and_in_order) {
  two_ends ends;
  std::mt19937 dice(3);
  for (const std::size_t n : {0, 1, 7960, 7968, 7969, 16'000, 100'000}) {
    const auto body = random_bytes(dice, n);
    ends.near.post({n, circuit_head::read, 3, 0, 0, 0}, body);
    ends.near.post({n + 1, circuit_head::drop, 4, 0, 0, 0}, {});
    while (ends.near.waiting() != 0) {
      ASSERT_TRUE(ends.near.flush());
      ASSERT_TRUE(ends.far.receive());
    }
    const auto first = ends.far.next(), second = ends.far.next();
    ASSERT_TRUE(first && second);
    EXPECT_EQ(first->head.number, n);
    EXPECT_EQ(first->head.rank, 3);
    EXPECT_EQ(first->body, body);
    EXPECT_EQ(second->head.what, circuit_head::drop);
    EXPECT_FALSE(ends.far.next());
  }
}

TEST(circuit, a_frame_may_come_in_packets_of_any_size) {
  std::mt19937 dice(4);
  for (int turn = 0; turn < 50; ++turn) {
    two_ends ends;
    const auto body = random_bytes(dice, dice() % 500);
    const circuit_head head{7, circuit_head::call, 1, 0, 0, body.size()};
    std::vector<std::byte> all(sizeof head);
    std::memcpy(all.data(), &head, sizeof head);
    all.insert(all.end(), body.begin(), body.end());
    for (std::size_t at = 0; at < all.size();) {
      const std::size_t n = std::min<std::size_t>(1 + dice() % 60, all.size() - at);
      ASSERT_EQ(send(ends.sockets[0], all.data() + at, n, 0), ssize_t(n));
      ASSERT_TRUE(ends.far.receive());
      at += n;
    }
    const auto frame = ends.far.next();
    ASSERT_TRUE(frame);
    EXPECT_EQ(frame->body, body);
  }
}

TEST(circuit, a_length_beyond_all_reason_ends_it) {
  two_ends ends;
  const circuit_head head{7, circuit_head::call, 1, 0, 0, circuit_head::most_bytes + 1};
  ASSERT_EQ(send(ends.sockets[0], &head, sizeof head, 0), ssize_t(sizeof head));
  EXPECT_FALSE(ends.far.receive());
}

TEST(circuit, a_side_that_does_not_read_is_not_waited_for_and_loses_nothing) {
  two_ends ends;
  std::mt19937 dice(6);
  const auto much = random_bytes(dice, 4 << 20);
  ends.near.post({1, circuit_head::write, 0, 0, 0, 0}, much);
  ASSERT_TRUE(ends.near.flush());
  EXPECT_GT(ends.near.waiting(), 0u);
  ends.near.post({2, circuit_head::waits, 0, 0, 0, 0}, {});
  while (ends.near.waiting() != 0) {
    ASSERT_TRUE(ends.near.flush());
    ASSERT_TRUE(ends.far.receive());
  }
  const auto first = ends.far.next(), second = ends.far.next();
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->body, much);
  EXPECT_EQ(second->head.number, 2u);
}

TEST(circuit, an_end_that_has_gone_is_seen) {
  two_ends ends;
  shutdown(ends.sockets[0], SHUT_RDWR);
  EXPECT_FALSE(ends.far.receive());
  ends.far.post({1, circuit_head::waits, 0, 0, 0, 0}, {});
  EXPECT_FALSE(ends.far.flush());
}

exposed_part example() {
  exposed_part part;
  part.rank = 3;
  part.name = "cells";
  part.type = "float64";
  part.type_hash = 17;
  part.element_bytes = 8;
  part.shape = {10, 20};
  part.extent = {5, 20};
  part.origin = {5, 0};
  part.stride = {22, 1};
  return part;
}

TEST(remote_part, arrives_as_it_was) {
  const auto bytes = circuit_bytes(std::vector{packed(example())});
  const exposed_part seen = unpacked(from_circuit<std::vector<remote_part>>(bytes).at(0)), wanted = example();
  EXPECT_EQ(seen.rank, wanted.rank);
  EXPECT_EQ(seen.name, wanted.name);
  EXPECT_EQ(seen.type, wanted.type);
  EXPECT_EQ(seen.type_hash, wanted.type_hash);
  EXPECT_EQ(seen.element_bytes, wanted.element_bytes);
  EXPECT_EQ(seen.shape, wanted.shape);
  EXPECT_EQ(seen.extent, wanted.extent);
  EXPECT_EQ(seen.origin, wanted.origin);
  EXPECT_EQ(seen.stride, wanted.stride);
}

TEST(remote_part, dimensions_that_contradict_each_other_are_refused) {
  remote_part bad = packed(example());
  bad.extent.pop_back();
  EXPECT_THROW(unpacked(bad), decode_error);
  bad = packed(example());
  bad.stride[0] = 0;
  EXPECT_THROW(unpacked(bad), decode_error);
}

TEST(remote_part, no_byte_that_is_another_does_harm) {
  const auto whole = circuit_bytes(std::vector{packed(example()), packed(example())});
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (const int change : {0x01, 0x80, 0xff}) {
      auto bad = whole;
      bad[at] ^= std::byte(change);
      try {
        for (const remote_part& one : from_circuit<std::vector<remote_part>>(bad)) unpacked(one);
      } catch (const decode_error&) {}
    }
  for (std::size_t n = 0; n < whole.size(); ++n)
    EXPECT_THROW((from_circuit<std::vector<remote_part>>(std::span(whole).first(n))), decode_error) << n;
}

}  // namespace
}  // namespace armilla::detail
