// SPDX-License-Identifier: Apache-2.0
#include "armilla/fabric/shared_network.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "armilla/base/core/options.hpp"
#include "armilla/base/values/clock.hpp"
#include "armilla/error.hpp"
#include "armilla/fabric/frame.hpp"
#include "armilla/fabric/testing/scripted_network.hpp"

namespace armilla::detail {
namespace {

class shared_network_test : public testing::Test {
 protected:
  static network_head head(frame_lane lane, std::uint64_t number) {
    network_head h;
    h.lane = lane;
    h.source = 1;
    h.bytes = 8;
    h.number = number;
    return h;
  }
  static std::uint64_t number_of(const network::arrival& a) {
    network_head h;
    std::memcpy(&h, a.data, sizeof h);
    return h.number;
  }
  void comes(frame_lane lane, std::uint64_t number) { net.comes(head(lane, number), {number}); }
  /// The numbers of all frames that one side gets now.
  static std::vector<std::uint64_t> all_of(network& side) {
    std::vector<std::uint64_t> numbers;
    for (auto a = side.poll(); a.data != nullptr; a = side.poll()) {
      numbers.push_back(number_of(a));
      side.release(a.token);
    }
    return numbers;
  }

  using numbers = std::vector<std::uint64_t>;
  scripted_network net{sizeof(network_head) + 64};
  const std::unique_ptr<control_block> rank = std::make_unique<control_block>(),
                                       progress_thread = std::make_unique<control_block>();
  shared_network both{net, *rank, *progress_thread};
  network& for_rank = both.for_rank();
  network& for_progress_thread = both.for_progress_thread();
};

TEST_F(shared_network_test, each_gets_the_frames_of_its_lanes_in_order) {
  comes(frame_lane::bodies, 0);
  comes(frame_lane::progress_thread, 1);
  comes(frame_lane::replies, 2);
  comes(frame_lane::progress_thread, 3);
  EXPECT_EQ(all_of(for_rank), (numbers{0, 2}));
  EXPECT_TRUE(both.keeps_for_progress_thread());
  comes(frame_lane::progress_thread, 4);
  EXPECT_EQ(all_of(for_progress_thread), (numbers{1, 3, 4}));
  EXPECT_FALSE(both.keeps_for_progress_thread());
  EXPECT_EQ(net.held(), 0U);
  EXPECT_EQ(net.released_wrongly, 0);
}

TEST_F(shared_network_test, a_progress_thread_that_may_not_look_gets_what_is_kept) {
  both.let_progress_thread_look(false);
  comes(frame_lane::progress_thread, 0);
  EXPECT_EQ(for_progress_thread.poll().data, nullptr);
  EXPECT_EQ(for_rank.poll().data, nullptr);
  EXPECT_EQ(all_of(for_progress_thread), numbers{0});
}

TEST_F(shared_network_test, who_sleeps_is_woken_for_what_is_kept) {
  progress_thread->sleeping = asleep;
  rank->sleeping = asleep;
  comes(frame_lane::progress_thread, 0);
  (void)for_rank.poll();
  EXPECT_EQ(progress_thread->sleeping, awake);
  EXPECT_EQ(rank->sleeping, asleep) << "nothing came for it";
  network_head credit = head(frame_lane::bodies, 0);
  credit.bytes = 0;
  net.comes(credit, {});
  EXPECT_EQ(all_of(for_progress_thread), numbers{0});
  EXPECT_EQ(rank->sleeping, asleep) << "a word about credit can wait";
  EXPECT_TRUE(both.keeps_for_rank());
}

TEST_F(shared_network_test, a_rank_does_what_it_finds_for_its_progress_thread) {
  int served = 0;
  struct all_kept {
    network& side;
    int& count;
  } what{for_progress_thread, served};
  both.serve_by({[](void* argument) {
                   const auto& mine = *static_cast<all_kept*>(argument);
                   mine.count += int(all_of(mine.side).size());
                   return true;
                 },
                 &what});
  both.let_progress_thread_look(false);
  progress_thread->sleeping = asleep;
  comes(frame_lane::progress_thread, 0);
  EXPECT_FALSE(both.wants_service());
  (void)for_rank.poll();
  EXPECT_EQ(progress_thread->sleeping, asleep) << "to wake it would take longer";
  EXPECT_TRUE(both.wants_service());
  EXPECT_TRUE(both.serve());
  EXPECT_EQ(served, 1);
  EXPECT_FALSE(both.wants_service());
  both.set_under_way(true);
  EXPECT_TRUE(both.wants_service());
  both.serve_by({});
  EXPECT_FALSE(both.serve());
}

TEST_F(shared_network_test, a_rank_does_not_wait_for_a_progress_thread_that_works) {
  both.serve_by({[](void*) { return true; }, nullptr});
  const std::lock_guard working(both.serving());
  bool served = true;
  std::thread rank_thread([&] { served = both.serve(); });
  rank_thread.join();
  EXPECT_FALSE(served);
}

TEST_F(shared_network_test, by_default_a_thread_answers_where_a_descriptor_can_wake_it) {
  options set;
  EXPECT_FALSE(answers_by_thread(set, net));
  net.waits_at = 0;
  EXPECT_TRUE(answers_by_thread(set, net));
  set.progress = progress_mode::poll;
  EXPECT_FALSE(answers_by_thread(set, net));
  net.waits_at = -1;
  for (const progress_mode asked : {progress_mode::thread, progress_mode::signal}) {
    set.progress = asked;
    EXPECT_TRUE(answers_by_thread(set, net));
  }
}

bool is_readable(int descriptor) {
  pollfd at{descriptor, POLLIN, 0};
  return poll(&at, 1, 0) == 1;
}

TEST_F(shared_network_test, a_rank_that_looks_takes_the_descriptor_from_a_progress_thread_that_sleeps) {
  const int comes = net.waits_at = eventfd(1, EFD_CLOEXEC);  // something has come
  net.arms = true;
  const int sleeps_at = for_progress_thread.descriptor();
  EXPECT_EQ(for_rank.descriptor(), comes);
  ASSERT_TRUE(for_progress_thread.arm());
  EXPECT_TRUE(is_readable(sleeps_at));
  EXPECT_EQ(both.looked_at(7), 7U) << "the rank has not looked";
  (void)for_rank.poll();
  EXPECT_FALSE(is_readable(sleeps_at));
  const std::uint64_t looked = now_ns();
  usleep(5000);
  const std::uint64_t asked = now_ns(), then = both.looked_at(asked);
  EXPECT_LE(then, looked + 1'000'000);
  EXPECT_GE(then, looked - 1'000'000'000);
  EXPECT_EQ(for_progress_thread.descriptor(), sleeps_at);
  ASSERT_TRUE(for_progress_thread.arm());
  EXPECT_TRUE(is_readable(sleeps_at));
  close(comes);
}

TEST_F(shared_network_test, a_progress_thread_that_always_looks_keeps_the_descriptor) {
  const int comes = net.waits_at = eventfd(1, EFD_CLOEXEC);
  net.arms = true;
  shared_network always(net, *rank, *progress_thread, 0);
  const int sleeps_at = always.for_progress_thread().descriptor();
  ASSERT_TRUE(always.for_progress_thread().arm());
  (void)always.for_rank().poll();
  EXPECT_TRUE(is_readable(sleeps_at));
  close(comes);
}

TEST_F(shared_network_test, frames_that_cannot_be_right_are_for_the_rank) {
  const std::uint64_t word = 1;
  net.comes(2, &word, sizeof word);
  EXPECT_EQ(for_progress_thread.poll().data, nullptr);
  const network::arrival a = for_rank.poll();
  EXPECT_EQ(a.bytes, sizeof word);
  EXPECT_EQ(a.source, 2);
}

TEST_F(shared_network_test, several_may_be_held_by_both_and_released_in_any_order) {
  for (std::uint64_t i = 0; i < 4; ++i) comes(i % 2 == 0 ? frame_lane::bodies : frame_lane::progress_thread, i);
  network::arrival held[4];
  for (int i = 0; i < 4; ++i) held[i] = (i < 2 ? for_rank : for_progress_thread).poll();
  for (const int i : {1, 0}) for_rank.release(held[i].token);
  for (const int i : {2, 3}) {
    EXPECT_EQ(number_of(held[i]), std::uint64_t(2 * i - 3));
    for_progress_thread.release(held[i].token);
  }
  EXPECT_EQ(net.held(), 0U);
}

TEST_F(shared_network_test, nobody_comes_between_acquire_and_submit) {
  std::atomic<bool> polled = false;
  std::byte* const room = for_rank.acquire(1, 8);
  ASSERT_NE(room, nullptr);
  std::thread other([&] {
    (void)for_progress_thread.poll();
    polled = true;
  });
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(polled);
  for_rank.submit(1, 8);
  other.join();
  EXPECT_TRUE(polled);
  net.full = true;
  EXPECT_EQ(for_rank.acquire(1, 8), nullptr);
  EXPECT_EQ(for_progress_thread.poll().data, nullptr) << "who got no room is outside";
}

TEST_F(shared_network_test, a_rank_that_wakes_wakes_a_progress_thread_that_rests) {
  EXPECT_FALSE(both.rest());
  both.rested();
  both.rank_sleeps();
  EXPECT_TRUE(both.rest());
  progress_thread->sleeping = asleep;
  both.rank_woke();
  EXPECT_EQ(progress_thread->sleeping, awake);
}

TEST_F(shared_network_test, two_threads_share_it) {
  constexpr std::uint64_t frames = 20'000;
  for (std::uint64_t i = 0; i < frames; ++i) comes(i % 3 == 0 ? frame_lane::progress_thread : frame_lane::bodies, i);
  const auto take = [](network& side, std::uint64_t count, bool& ordered) {
    std::uint64_t last = 0;
    while (count != 0) {
      const network::arrival a = side.poll();
      if (a.data == nullptr) continue;
      ordered &= number_of(a) >= last;
      last = number_of(a);
      side.release(a.token);
      if (std::byte* const room = side.acquire(1, 8)) {
        std::memset(room, 0, 8);
        side.submit(1, 8);
      }
      --count;
    }
  };
  bool in_order[2] = {true, true};
  std::thread other([&] { take(for_progress_thread, (frames + 2) / 3, in_order[0]); });
  take(for_rank, frames - (frames + 2) / 3, in_order[1]);
  other.join();
  EXPECT_TRUE(in_order[0] && in_order[1]);
  EXPECT_EQ(net.sent.size(), frames);
  EXPECT_EQ(net.held(), 0U);
}

TEST_F(shared_network_test, what_is_kept_for_the_other_is_bounded) {
  shared_network small(net, *rank, *progress_thread, 0, 3 * (sizeof(network_head) + 8));
  for (std::uint64_t n = 0; n < 3; ++n) comes(frame_lane::bodies, n);
  EXPECT_EQ(small.for_progress_thread().poll().data, nullptr);
  comes(frame_lane::bodies, 3);
  EXPECT_THROW(small.for_progress_thread().poll(), decode_error);
  EXPECT_EQ(all_of(small.for_rank()), (numbers{0, 1, 2}));
  EXPECT_EQ(net.held(), 0U) << "the last was given back";
}

TEST_F(shared_network_test, whom_one_gives_up_the_other_has_lost) {
  for_progress_thread.give_up(1);
  EXPECT_EQ(for_progress_thread.lost().rank, no_rank);
  EXPECT_EQ(for_rank.lost().rank, 1);
  EXPECT_EQ(for_rank.lost().rank, no_rank);
}

}  // namespace
}  // namespace armilla::detail
