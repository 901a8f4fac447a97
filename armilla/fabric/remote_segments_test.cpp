// SPDX-License-Identifier: Apache-2.0
#include "armilla/fabric/remote_segments.hpp"

#include <array>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "armilla/base/core/context.hpp"
#include "armilla/base/core/options.hpp"
#include "armilla/boot/host/control_block.hpp"
#include "armilla/boot/host/launch.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/fabric/shared_network.hpp"
#include "armilla/fabric/testing/scripted_network.hpp"

namespace armilla::detail {
namespace {

constexpr std::uint64_t half = 4 * heap::chunk_bytes;

/// A network that maps what the test says of rank 1, and has memory for so many parts.
class mapping_network final : public scripted_network {
 public:
  mapping_network() : scripted_network(256) {}
  bool hold(std::byte* base, std::size_t bytes) override {
    asked_to_hold.emplace_back(base, bytes);
    return asked_to_hold.size() <= has_parts;
  }
  std::byte* reach(rank_t r, unsigned part) override {
    ++asked;
    return r == 1 ? there[part] : nullptr;
  }

  std::size_t has_parts = 2;
  std::vector<std::pair<std::byte*, std::size_t>> asked_to_hold;
  std::array<std::byte*, 2> there{};
  int asked = 0;
};

class remote_segments_test : public testing::Test {
 protected:
  remote_segments_test() {
    self.places = 3;
    host.layout.places = host.layout.locals = 3;
    host.layout.segment_bytes = 2 * half + 4096;  // the upper half takes what is over
    host.beyond = &net;
  }
  static std::byte* place(std::uintptr_t at) { return reinterpret_cast<std::byte*>(at); }

  mapping_network net;
  context self;
  host_map host;
};

TEST_F(remote_segments_test, each_half_is_where_the_network_says) {
  net.there = {place(0x10000000), place(0x50000000)};
  remote_segments all(self, host);
  EXPECT_EQ(all.at(1, 0, 8), place(0x10000000));
  EXPECT_EQ(all.at(1, half - 8, 8), place(0x10000000 + half - 8));
  EXPECT_EQ(all.at(1, half, 8), place(0x50000000));
  EXPECT_EQ(all.at(1, 2 * half, 4096), place(0x50000000 + half));
}

TEST_F(remote_segments_test, what_lies_across_is_asked_for) {
  net.there = {place(0x10000000), place(0x50000000)};
  remote_segments all(self, host);
  EXPECT_EQ(all.at(1, half - 8, 16), nullptr);
}

TEST_F(remote_segments_test, the_network_is_asked_once_a_rank) {
  net.there = {place(0x10000000), place(0x50000000)};
  remote_segments all(self, host);
  for (int i = 0; i < 5; ++i) EXPECT_NE(all.at(1, 64, 8), nullptr);
  EXPECT_EQ(net.asked, 2);  // for two halves
  for (int i = 0; i < 5; ++i) EXPECT_EQ(all.at(2, 64, 8), nullptr);
  EXPECT_EQ(net.asked, 3);
}

TEST_F(remote_segments_test, one_half_alone_is_nothing) {
  net.there = {place(0x10000000), nullptr};
  remote_segments all(self, host);
  EXPECT_EQ(all.at(1, 0, 8), nullptr);
  EXPECT_EQ(all.at(1, half, 8), nullptr);
}

TEST_F(remote_segments_test, the_memory_of_a_lost_rank_is_asked_for) {
  net.there = {place(0x10000000), place(0x50000000)};
  remote_segments all(self, host);
  EXPECT_NE(all.at(1, 0, 8), nullptr);
  all.forget(1);
  all.forget(2);
  EXPECT_EQ(all.at(1, 0, 8), nullptr);
  EXPECT_EQ(all.at(2, 0, 8), nullptr);
  EXPECT_EQ(net.asked, 2);
}

TEST_F(remote_segments_test, the_progress_thread_takes_its_own_turn) {
  net.there = {place(0x10000000), place(0x50000000)};
  const auto rank = std::make_unique<control_block>(), progress_thread = std::make_unique<control_block>();
  shared_network both(net, *rank, *progress_thread);
  host.shared = &both;
  remote_segments all(self, host);
  set_current(&self);
  ASSERT_NE(both.for_rank().acquire(1, 8), nullptr);  // inside until it is submitted
  both.for_rank().submit(1, 8);
  EXPECT_NE(all.at(1, 0, 8), nullptr);
  context beside;
  set_current(&beside);
  EXPECT_EQ(all.at(2, 0, 8), nullptr);
  set_current(nullptr);
  EXPECT_EQ(net.asked, 3);
}

class hold_segment_test : public testing::Test {
 protected:
  hold_segment_test() : job(std::make_unique<job_block>()) {
    self.rank = 1;
    self.places = 2;
    self.settings = &settings;
    self.layout.places = self.layout.locals = 2;
    self.layout.segment_bytes = 2 * half + 4096;
    self.job = job.get();
    self.host_base = reinterpret_cast<std::byte*>(job.get());  // nothing behind it is touched
  }
  std::unique_ptr<job_block> job;
  options settings;
  launch self;
  mapping_network net;
};

TEST_F(hold_segment_test, its_halves_fill_the_segment) {
  hold_segment(net, self);
  std::byte* const segment = self.host_base + self.segment();
  const std::vector<std::pair<std::byte*, std::size_t>> halves = {{segment, half}, {segment + half, half + 4096}};
  EXPECT_EQ(net.asked_to_hold, halves);
}

TEST_F(hold_segment_test, without_the_first_the_second_is_left_alone) {
  net.has_parts = 0;
  hold_segment(net, self);
  EXPECT_EQ(net.asked_to_hold.size(), 1u);
}

}  // namespace
}  // namespace armilla::detail
