// SPDX-License-Identifier: Apache-2.0
#include "armilla/fabric/descriptor_gate.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>

#include <gtest/gtest.h>

namespace armilla::detail {
namespace {

constexpr std::uint64_t an_hour = 3'600'000'000'000, a_millisecond = 1'000'000;

class descriptor_gate_test : public testing::Test {
 protected:
  ~descriptor_gate_test() override { ::close(watched); }
  bool is_readable(int milliseconds = 0) {
    pollfd at{gate.descriptor(watched), POLLIN, 0};
    return poll(&at, 1, milliseconds) == 1;
  }
  void something_comes() {
    const std::uint64_t one = 1;
    ASSERT_EQ(write(watched, &one, sizeof one), ssize_t(sizeof one));
  }
  void it_is_taken() {
    std::uint64_t all;
    ASSERT_EQ(read(watched, &all, sizeof all), ssize_t(sizeof all));
  }

  const int watched = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  descriptor_gate gate;
};

TEST_F(descriptor_gate_test, an_open_one_is_readable_when_what_it_watches_is) {
  ASSERT_GE(gate.descriptor(watched), 0);
  gate.open();
  EXPECT_FALSE(is_readable());
  something_comes();
  EXPECT_TRUE(is_readable());
  it_is_taken();
  EXPECT_FALSE(is_readable());
}

TEST_F(descriptor_gate_test, what_comes_while_it_is_shut_is_seen_when_it_opens) {
  ASSERT_GE(gate.descriptor(watched), 0);
  something_comes();
  EXPECT_FALSE(is_readable()) << "it begins shut";
  gate.open();
  gate.shut(an_hour);
  EXPECT_FALSE(is_readable());
  gate.open();
  EXPECT_TRUE(is_readable());
}

TEST_F(descriptor_gate_test, a_shut_one_wakes_in_time) {
  ASSERT_GE(gate.descriptor(watched), 0);
  gate.open();
  gate.shut(a_millisecond);
  EXPECT_TRUE(is_readable(10'000));
  gate.open();
  EXPECT_FALSE(is_readable()) << "the timer is over";
}

TEST(descriptor_gate, there_is_none_of_what_is_no_descriptor) {
  descriptor_gate gate;
  EXPECT_EQ(gate.descriptor(-1), -1);
  gate.open();
  gate.shut(0);
  EXPECT_FALSE(gate.is_open());
}

TEST_F(descriptor_gate_test, there_is_none_while_the_watched_one_tells_of_nothing) {
  const int at = gate.descriptor(watched);
  EXPECT_EQ(gate.descriptor(-1), -1);
  EXPECT_EQ(gate.descriptor(watched), at);
}

}  // namespace
}  // namespace armilla::detail
