// SPDX-License-Identifier: Apache-2.0
// What the conformance program does not provoke: full sockets, strangers, broken connections.
#include "backends/unix/unix_network.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace armilla::unix_sockets {
namespace {

using detail::network;
using detail::no_rank;

/// Three ranks of this thread.
class unix_network_test : public testing::Test {
 protected:
  unix_network_test() {
    for (rank_t r = 0; r < 3; ++r) nets.push_back(opened(r, {}));
    for (const auto& each : nets) addresses.push_back(*reinterpret_cast<const address_of_rank*>(each->address()));
    for (const auto& each : nets) each->set_addresses(reinterpret_cast<const std::byte*>(addresses.data()));
  }
  static std::unique_ptr<network> opened(rank_t r, const detail::network_settings& settings) {
    return std::unique_ptr<network>(unix_network::open(r, 3, settings, nullptr, why, sizeof why));
  }

  bool send(rank_t from, rank_t to, std::uint64_t word, std::size_t bytes = 8) {
    std::byte* const room = nets[std::size_t(from)]->acquire(to, bytes);
    if (room == nullptr) return false;
    std::memcpy(room, &word, sizeof word);
    nets[std::size_t(from)]->submit(to, bytes);
    return true;
  }
  /// The first word of the next frame; `none` if after some looks none has come.
  static constexpr std::uint64_t none = ~std::uint64_t{0};
  std::uint64_t next(rank_t at) {
    for (int looks = 0; looks < 8; ++looks) {
      const network::arrival a = nets[std::size_t(at)]->poll();
      if (a.data == nullptr) continue;
      std::uint64_t word = 0;
      std::memcpy(&word, a.data, sizeof word);
      nets[std::size_t(at)]->release(a.token);
      return word;
    }
    return none;
  }
  bool readable(rank_t r) {
    pollfd one{nets[std::size_t(r)]->descriptor(), POLLIN, 0};
    return ::poll(&one, 1, 0) > 0;
  }
  void look(rank_t r) { EXPECT_EQ(next(r), none); }

  static inline char why[256] = "";
  std::vector<std::unique_ptr<network>> nets;
  std::vector<address_of_rank> addresses;
};

TEST_F(unix_network_test, frames_that_find_no_room_wait_and_come_in_their_order) {
  const std::size_t most = nets[0]->most();
  std::uint64_t sent = 0, came = 0;
  while (send(0, 1, sent, most)) ++sent;
  EXPECT_GT(sent, 16U) << "some in the socket, and as many as may wait";
  EXPECT_TRUE(send(0, 2, 7)) << "another receiver's frames wait for none of them";
  EXPECT_EQ(next(2), 7U);
  for (int looks = 0; came < sent && looks < 1000; ++looks) {
    if (const std::uint64_t word = next(1); word != none) { ASSERT_EQ(word, came++); }
    look(0);
  }
  EXPECT_EQ(came, sent);
}

TEST_F(unix_network_test, a_frame_makes_the_descriptor_readable_and_reading_it_no_more) {
  EXPECT_TRUE(nets[1]->arm());
  EXPECT_FALSE(readable(1));
  send(0, 1, 5);
  EXPECT_TRUE(readable(1));
  EXPECT_EQ(next(1), 5U);
  look(1);
  EXPECT_TRUE(nets[1]->arm());
  EXPECT_FALSE(readable(1));
}

TEST_F(unix_network_test, room_for_what_waits_makes_the_descriptor_readable) {
  while (send(0, 1, 1, nets[0]->most())) {}
  look(0);
  EXPECT_FALSE(readable(0)) << "no room: it may sleep";
  while (next(1) != none) {}
  EXPECT_TRUE(readable(0));
}

TEST_F(unix_network_test, bulk_asked_for_before_and_behind_its_offer_comes_while_frames_pass) {
  for (const bool receiver_first : {true, false}) {
    std::vector<std::byte> out(3'000'000, std::byte(receiver_first ? 3 : 4)), in(out.size());
    std::uintptr_t sends = 0, receives = 0;
    if (receiver_first) receives = nets[1]->receive_bulk(0, 9, in.data(), in.size());
    look(1);
    sends = nets[0]->send_bulk(1, 9, out.data(), out.size());
    look(0);
    if (!receiver_first) receives = nets[1]->receive_bulk(0, 9, in.data(), in.size());
    EXPECT_FALSE(nets[1]->done(receives));
    EXPECT_TRUE(send(0, 1, 1));
    std::uint64_t frames = 0;
    bool sent = false, received = false;
    for (int looks = 0; !(sent && received) && looks < 1000; ++looks) {
      look(0);
      frames += next(1) == 1 ? 1 : 0;
      sent = sent || nets[0]->done(sends);
      received = received || nets[1]->done(receives);
    }
    EXPECT_TRUE(sent && received);
    EXPECT_EQ(in, out);
    EXPECT_EQ(frames, 1U);
  }
}

TEST_F(unix_network_test, a_peer_that_closes_is_lost_once_and_what_it_said_before_is_heard) {
  send(0, 1, 1);
  EXPECT_EQ(next(1), 1U);
  send(1, 0, 2);
  std::byte room[8];
  const std::uintptr_t waits = nets[0]->receive_bulk(1, 1, room, sizeof room);
  nets[1]->finish();
  EXPECT_EQ(next(0), 2U);
  look(0);
  const network::loss loss = nets[0]->lost();
  EXPECT_EQ(loss.rank, 1);
  EXPECT_STREQ(loss.why, "the connection broke");
  EXPECT_EQ(nets[0]->lost().rank, no_rank);
  EXPECT_TRUE(nets[0]->done(waits));
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(send(0, 1, 3)) << "frames to a lost rank vanish";
  EXPECT_TRUE(nets[0]->done(nets[0]->send_bulk(1, 2, room, sizeof room)));
}

TEST_F(unix_network_test, a_rank_that_cannot_be_called_is_lost) {
  nets[1]->finish();
  EXPECT_TRUE(send(0, 1, 1));
  const network::loss loss = nets[0]->lost();
  EXPECT_EQ(loss.rank, 1);
  EXPECT_STREQ(loss.why, "it cannot be called: Connection refused");
}

TEST_F(unix_network_test, nothing_goes_to_a_rank_that_was_given_up) {
  send(0, 1, 1);
  nets[0]->give_up(1);
  EXPECT_TRUE(send(0, 1, 2));
  EXPECT_EQ(next(1), 1U);
  look(1);
}

/// A socket of this test, not of a rank.
descriptor_owner plain_socket() { return descriptor_owner(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)); }
const sockaddr* name_of(const address_of_rank& a) { return reinterpret_cast<const sockaddr*>(&a.where); }

TEST_F(unix_network_test, a_caller_without_the_key_is_sent_away) {
  for (const packet_head hello : {packet_head{packet::hello, 1, addresses[0].key + 1},
                                  {packet::frame, 1, addresses[0].key},
                                  {packet::hello, 3, addresses[0].key}}) {
    const descriptor_owner caller = plain_socket();
    ASSERT_EQ(connect(caller.get(), name_of(addresses[0]), addresses[0].bytes), 0);
    ASSERT_EQ(::send(caller.get(), &hello, sizeof hello, 0), ssize_t(sizeof hello));
    look(0);
    char byte = 0;
    EXPECT_EQ(recv(caller.get(), &byte, 1, MSG_DONTWAIT), 0) << "it was hung up";
  }
  EXPECT_EQ(nets[0]->lost().rank, no_rank);
  send(1, 0, 6);
  EXPECT_EQ(next(0), 6U) << "the real rank is heard";
}

TEST_F(unix_network_test, where_too_many_call_at_a_time_a_rank_calls_again) {
  const descriptor_owner listener = plain_socket();
  address_of_rank busy;
  busy.where.sun_family = AF_UNIX;
  busy.bytes = sizeof busy.where;
  ASSERT_EQ(bind(listener.get(), name_of(busy), sizeof busy.where.sun_family), 0);
  ASSERT_EQ(getsockname(listener.get(), reinterpret_cast<sockaddr*>(&busy.where), &busy.bytes), 0);
  ASSERT_EQ(listen(listener.get(), 0), 0);
  const descriptor_owner first = plain_socket();
  ASSERT_EQ(connect(first.get(), name_of(busy), busy.bytes), 0) << "the list of callers is full";
  addresses[1] = busy;
  EXPECT_TRUE(send(0, 1, 1));
  look(0);
  EXPECT_EQ(nets[0]->descriptor(), -1) << "what it waits for, no descriptor tells";
  descriptor_owner(accept(listener.get(), nullptr, nullptr)).reset();
  look(0);
  EXPECT_GE(nets[0]->descriptor(), 0);
  const descriptor_owner called(accept(listener.get(), nullptr, nullptr));
  packet_head hello, frame;
  ASSERT_EQ(recv(called.get(), &hello, sizeof hello, 0), ssize_t(sizeof hello));
  EXPECT_TRUE(hello.kind == packet::hello);
  EXPECT_EQ(recv(called.get(), &frame, sizeof frame, MSG_TRUNC), ssize_t(sizeof frame + 8));
}

TEST_F(unix_network_test, ranks_of_several_hosts_are_refused) {
  detail::network_settings settings;
  settings.hosts = 2;
  EXPECT_EQ(opened(0, settings), nullptr);
  EXPECT_STREQ(why, "unix-domain sockets join ranks of one host, and these are on 2");
}

TEST_F(unix_network_test, frames_too_long_for_a_packet_are_refused) {
  detail::network_settings settings;
  settings.frame_bytes = 64u << 20;
  EXPECT_EQ(opened(0, settings), nullptr);
  EXPECT_NE(std::string(why).find("raise net.core.wmem_max"), std::string::npos) << why;
}

// Rank 1 goes while a caller waits at rank 0's listening socket: the loss makes that caller known, and the event of its arrival
// comes after.
TEST_F(unix_network_test, a_caller_that_a_loss_makes_known_keeps_its_first_frame) {
  ASSERT_TRUE(send(0, 1, 1));
  EXPECT_EQ(next(1), 1u);
  const descriptor_owner caller(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  ASSERT_EQ(connect(caller.get(), reinterpret_cast<const sockaddr*>(&addresses[0].where), addresses[0].bytes), 0);
  look(0);  // accepts it
  nets[1]->finish();
  const packet_head hello{packet::hello, 2, addresses[0].key};
  ASSERT_EQ(::send(caller.get(), &hello, sizeof hello, 0), ssize_t(sizeof hello));
  for (const std::uint64_t word : {77u, 78u}) {
    const struct {
      packet_head head;
      std::uint64_t word;
    } frame{{packet::frame, 0, 0}, word};
    ASSERT_EQ(::send(caller.get(), &frame, sizeof frame.head + 8, 0), ssize_t(sizeof frame.head + 8));
  }
  EXPECT_EQ(next(0), 77u);
  EXPECT_EQ(next(0), 78u);
}

// Else its events would come for ever, and nothing that waits beside them would sleep.
TEST_F(unix_network_test, a_socket_that_a_forked_child_holds_tells_nothing_when_its_peer_is_given_up) {
  ASSERT_TRUE(send(0, 1, 1));
  ASSERT_TRUE(send(1, 0, 2));
  EXPECT_EQ(next(1), 1u);
  EXPECT_EQ(next(0), 2u);
  const pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  nets[0]->give_up(1);
  EXPECT_TRUE(send(1, 0, 3));  // into the socket that the child holds
  look(0);
  EXPECT_FALSE(readable(0));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

TEST_F(unix_network_test, behind_a_rank_that_is_expected_again_comes_another_process) {
  send(1, 0, 1);
  send(0, 1, 2);
  ASSERT_EQ(next(0), 1U);
  ASSERT_EQ(next(1), 2U);
  send(1, 0, 3);  // is on its way when it ends
  nets[1].reset();
  nets[0]->give_up(1);
  nets[0]->expect(1);
  nets[1] = opened(1, {});
  addresses[1] = *reinterpret_cast<const address_of_rank*>(nets[1]->address());
  nets[1]->set_addresses(reinterpret_cast<const std::byte*>(addresses.data()));
  send(1, 0, 4);
  EXPECT_EQ(next(0), 4U);
  send(0, 1, 5);
  EXPECT_EQ(next(1), 5U);
}

TEST_F(unix_network_test, a_caller_of_before_is_not_taken_for_the_process_that_is_expected) {
  send(1, 0, 1);  // it has called, and rank 0 has not looked
  nets[0]->give_up(1);
  nets[1].reset();
  nets[0]->expect(1);
  look(0);
  nets[1] = opened(1, {});
  addresses[1] = *reinterpret_cast<const address_of_rank*>(nets[1]->address());
  nets[1]->set_addresses(reinterpret_cast<const std::byte*>(addresses.data()));
  send(1, 0, 4);
  EXPECT_EQ(next(0), 4U);
}

}  // namespace
}  // namespace armilla::unix_sockets
