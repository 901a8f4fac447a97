// SPDX-License-Identifier: Apache-2.0
// What network.hpp promises, examined as for the plug-ins, between threads: of the network over rings, and of the same under
// faults that a network may have, or that the layer for lost frames repairs.
#include "armilla/fabric/testing/loop_network.hpp"

#include <poll.h>
#include <sys/mman.h>

#include <barrier>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "armilla/base/values/clock.hpp"
#include "armilla/boot/host/bootstrap.hpp"
#include "armilla/fabric/testing/faults.hpp"
#include "backends/conformance/checks.hpp"

namespace armilla::detail {
namespace {

/// The memory that ranks of one host share; what is never touched costs nothing.
class host_bytes {
 public:
  explicit host_bytes(rank_t ranks) {
    layout.places = layout.locals = std::uint32_t(ranks);
    layout.segment_bytes = host_layout::page;
    void* const p = mmap(nullptr, layout.total(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) std::abort();
    base = static_cast<std::byte*>(p);
  }
  ~host_bytes() { munmap(base, layout.total()); }
  host_bytes(const host_bytes&) = delete;

  std::unique_ptr<network> open(rank_t me) const { return make_loop_network(base, layout, me, rank_t(layout.places)); }
  host_layout layout;
  std::byte* base = nullptr;
};

/// Brings threads together.
class thread_bootstrap final : public bootstrap {
 public:
  struct shared {
    explicit shared(rank_t n) : ranks(n), all_here(n) {}
    rank_t ranks;
    std::barrier<> all_here;
  };
  thread_bootstrap(shared& all, rank_t me) : all_(all), me_(me) {}
  const char* name() const noexcept override { return "threads"; }
  rank_t rank() const noexcept override { return me_; }
  rank_t ranks() const noexcept override { return all_.ranks; }
  bool exchange(const void*, void*, std::size_t) override { return false; }
  bool meet() override {
    all_.all_here.arrive_and_wait();
    return true;
  }
  const char* error() const noexcept override { return "not needed here"; }
  [[noreturn]] void abort(int code) override { std::_Exit(code); }
  void finish() override {}

 private:
  shared& all_;
  rank_t me_;
};

void examine(rank_t ranks, const char* faults) {
  const host_bytes host(ranks);
  thread_bootstrap::shared all(ranks);
  std::vector<std::thread> threads;
  for (rank_t r = 0; r < ranks; ++r)
    threads.emplace_back([&, r] {
      conformance::joined j;
      j.rank = r;
      j.ranks = ranks;
      j.boot = new thread_bootstrap(all, r);
      j.net = with_faults(host.open(r), fault_settings::from(faults), r, ranks).release();
      j.settings.frame_bytes = j.net->most();
      j.boot->meet();
      conformance::check_quiet(j);
      conformance::traffic t(j);
      conformance::check_frames(j, t);
      conformance::check_bulk(j, t);
      t.settle();
      j.close();  // as a plug-in's: deletes both
    });
  for (std::thread& t : threads) t.join();
}

TEST(loop_conformance, two_ranks) { examine(2, ""); }
TEST(loop_conformance, three_ranks) { examine(3, ""); }
TEST(loop_conformance, frames_that_are_late) { examine(3, "delay=10us,jitter=20us,reorder=0.02,stop=0.0003"); }
TEST(loop_conformance, frames_that_are_lost_doubled_and_out_of_order) { examine(2, "drop=0.02,swap=0.02,duplicate=0.05,seed=3"); }

/// Three ranks of this thread.
class loop_network_test : public testing::Test {
 protected:
  static bool send(network& from, rank_t to, std::uint64_t word, std::size_t bytes = 8) {
    std::byte* const room = from.acquire(to, bytes);
    if (room == nullptr) return false;
    std::memcpy(room, &word, sizeof word);
    from.submit(to, bytes);
    return true;
  }
  static std::uint64_t first(const network::arrival& a) {
    std::uint64_t word;
    std::memcpy(&word, a.data, sizeof word);
    return word;
  }
  const host_bytes host{3};
  const std::unique_ptr<network> nets[3] = {host.open(0), host.open(1), host.open(2)};
};

TEST_F(loop_network_test, without_room_there_is_no_buffer_until_the_receiver_has_looked) {
  const std::size_t most = nets[0]->most();
  std::uint64_t sent = 0, came = 0;
  while (sent < 1000 && send(*nets[0], 1, sent, most)) ++sent;
  EXPECT_GE(sent, 4U);
  EXPECT_LT(sent, 1000U);
  EXPECT_TRUE(send(*nets[0], 2, 0)) << "others have rings of their own";
  for (int round = 0; round < 200; ++round) {
    const network::arrival a = nets[1]->poll();
    ASSERT_NE(a.data, nullptr);
    EXPECT_EQ(a.bytes, most);
    EXPECT_EQ(first(a), came++);
    nets[1]->release(a.token);
    while (send(*nets[0], 1, sent, most)) ++sent;
  }
}

TEST_F(loop_network_test, frames_that_are_held_hold_up_no_others) {
  for (std::uint64_t i = 0; i < 2; ++i) send(*nets[0], 1, i), send(*nets[2], 1, 10 + i);
  std::uint64_t sum = 0;
  for (int i = 0; i < 4; ++i) {
    const network::arrival a = nets[1]->poll();
    ASSERT_TRUE(a.data != nullptr);
    sum += first(a);
  }
  EXPECT_EQ(sum, 22U);
  EXPECT_EQ(nets[1]->poll().data, nullptr);
}

TEST_F(loop_network_test, a_descriptor_tells_of_what_comes_to_who_is_armed) {
  std::vector<std::byte> names;
  for (const auto& n : nets) names.insert(names.end(), n->address(), n->address() + n->address_bytes());
  for (const auto& n : nets) n->set_addresses(names.data());
  network& sleeper = *nets[1];
  ASSERT_GE(sleeper.descriptor(), 0);
  const auto told = [&] {
    pollfd what{sleeper.descriptor(), POLLIN, 0};
    return ::poll(&what, 1, 0) == 1;
  };
  send(*nets[0], 1, 1);
  EXPECT_FALSE(told()) << "it looks by itself";
  EXPECT_FALSE(sleeper.arm()) << "something has come";
  sleeper.release(sleeper.poll().token);
  EXPECT_TRUE(sleeper.arm());
  EXPECT_FALSE(told());
  send(*nets[0], 2, 2);
  EXPECT_FALSE(told()) << "that is for another rank";
  send(*nets[2], 1, 3);
  EXPECT_TRUE(told());
  sleeper.release(sleeper.poll().token);
  EXPECT_TRUE(sleeper.arm());
  EXPECT_FALSE(told());
}

TEST_F(loop_network_test, a_transfer_may_be_expected_before_behind_or_between_others) {
  constexpr std::size_t bytes = 100'000;
  const std::vector<std::byte> out[3] = {std::vector(bytes, std::byte{1}), std::vector(bytes, std::byte{2}), {}};
  std::vector<std::byte> in[3] = {std::vector<std::byte>(bytes), std::vector<std::byte>(bytes), {}};
  std::uintptr_t sending[3], receiving[3];
  sending[0] = nets[0]->send_bulk(1, 7, out[0].data(), bytes);
  receiving[1] = nets[1]->receive_bulk(0, 8, in[1].data(), bytes);
  for (int i = 0; i < 10; ++i) nets[1]->poll(), nets[0]->poll();
  sending[2] = nets[0]->send_bulk(1, 9, nullptr, 0);
  sending[1] = nets[0]->send_bulk(1, 8, out[1].data(), bytes);
  EXPECT_FALSE(nets[1]->done(receiving[1]));
  receiving[0] = nets[1]->receive_bulk(0, 7, in[0].data(), bytes);
  receiving[2] = nets[1]->receive_bulk(0, 9, nullptr, 0);
  for (int i = 0; i < 100; ++i) nets[1]->poll(), nets[0]->poll();
  for (int i = 0; i < 3; ++i) {
    EXPECT_NE(sending[i], 0U);
    EXPECT_TRUE(nets[0]->done(sending[i]));
    EXPECT_TRUE(nets[1]->done(receiving[i]));
    EXPECT_FALSE(nets[1]->done(receiving[i])) << "the number is used up";
    EXPECT_EQ(in[i], out[i]);
  }
}

TEST_F(loop_network_test, what_is_under_way_with_a_lost_rank_ends) {
  constexpr std::size_t bytes = 1 << 20;
  std::vector<std::byte> memory(bytes);
  const std::uintptr_t lost[] = {nets[0]->receive_bulk(1, 7, memory.data(), bytes),
                                 nets[0]->send_bulk(1, 8, memory.data(), bytes)};
  const std::uintptr_t others[] = {nets[0]->receive_bulk(2, 7, memory.data(), bytes),
                                   nets[0]->send_bulk(2, 8, memory.data(), bytes)};
  nets[0]->give_up(1);
  for (const std::uintptr_t transfer : lost) EXPECT_TRUE(nets[0]->done(transfer));
  for (const std::uintptr_t transfer : others) EXPECT_FALSE(nets[0]->done(transfer));
}

}  // namespace
}  // namespace armilla::detail
