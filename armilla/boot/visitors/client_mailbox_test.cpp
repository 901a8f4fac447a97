// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/visitors/client_mailbox.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <numeric>

#include <gtest/gtest.h>

#include "armilla/boot/host/descriptor.hpp"
#include "armilla/error.hpp"

namespace {

using namespace armilla::detail;

client_place place_of(int file) { return {getpid(), file, 7}; }

std::vector<std::byte> numbers(std::size_t n) {
  std::vector<std::byte> result(n);
  for (std::size_t i = 0; i < n; ++i) result[i] = std::byte(i * 31 >> 3);
  return result;
}

TEST(client_place, is_one_word) {
  const client_place all{(1 << 22) - 1, int(client_place::most_file), client_place::most_file};
  for (const client_place each : {client_place{1, 0, 0}, client_place{4711, 12, 99}, all}) {
    const client_place back = client_place::of(each.word());
    EXPECT_EQ(back.process, each.process);
    EXPECT_EQ(back.file, each.file);
    EXPECT_EQ(back.nonce, each.nonce);
  }
  EXPECT_NE((client_place{4711, 12, 1}).word(), (client_place{4711, 12, 2}).word());
}

TEST(client_mailbox, is_the_same_memory_on_both_sides) {
  const auto mine = mapped_mailbox::make();
  ASSERT_NE(mine, nullptr);
  const auto theirs = mapped_mailbox::open(place_of(mine->file()));
  ASSERT_NE(theirs, nullptr);
  EXPECT_NE(&**mine, &**theirs);
  (*mine)->slot[3].hash = 42;
  EXPECT_EQ((*theirs)->slot[3].hash, 42u);
  EXPECT_EQ((*theirs)->slot[0].state.load(), std::uint32_t(client_slot::free));
}

TEST(client_mailbox, can_not_shrink_under_the_rank) {
  const auto mine = mapped_mailbox::make();
  ASSERT_NE(mine, nullptr);
  EXPECT_NE(ftruncate(mine->file(), 0), 0);
}

TEST(client_mailbox, what_is_no_mailbox_is_refused) {
  EXPECT_EQ(mapped_mailbox::open(place_of(client_place::most_file)), nullptr);
  const descriptor empty(make_client_file()), unsealed(memfd_create("other", MFD_CLOEXEC | MFD_ALLOW_SEALING)),
      zeros(make_client_file());
  ASSERT_EQ(ftruncate(unsealed.get(), sizeof(client_mailbox)), 0);
  ASSERT_EQ(ftruncate(zeros.get(), sizeof(client_mailbox)), 0);
  for (const int file : {empty.get(), unsealed.get(), zeros.get()})
    EXPECT_EQ(mapped_mailbox::open(place_of(file)), nullptr) << file;
}

TEST(client_slot, bytes_pass_inside_and_beside_it) {
  const auto box = mapped_mailbox::make();
  ASSERT_NE(box, nullptr);
  const descriptor beside(make_client_file());
  client_slot& slot = (*box)->slot[0];
  slot.overflow = beside.get();
  for (const std::size_t n : {std::size_t(0), std::size_t(1), sizeof slot.room, sizeof slot.room + 1, std::size_t(3'000'000)}) {
    const auto sent = numbers(n);
    write_into_slot(slot, sent, *box);
    EXPECT_EQ(read_from_slot(slot, n, *box), sent) << n;
  }
}

TEST(client_slot, no_other_file_is_written_to) {
  const auto box = mapped_mailbox::make();
  ASSERT_NE(box, nullptr);
  const descriptor other(memfd_create("other", MFD_CLOEXEC));
  client_slot& slot = (*box)->slot[0];
  slot.overflow = other.get();
  EXPECT_THROW(write_into_slot(slot, numbers(8000), *box), armilla::limit_error);
  struct stat about{};
  ASSERT_EQ(fstat(other.get(), &about), 0);
  EXPECT_EQ(about.st_size, 0);
}

TEST(client_slot, a_length_beyond_the_file_is_refused_before_memory_is_taken) {
  const auto box = mapped_mailbox::make();
  ASSERT_NE(box, nullptr);
  const descriptor beside(make_client_file());
  client_slot& slot = (*box)->slot[0];
  slot.overflow = beside.get();
  write_into_slot(slot, numbers(8000), *box);
  for (const std::uint64_t bytes : {std::uint64_t(8001), std::uint64_t(1) << 39, ~std::uint64_t(0)})
    EXPECT_THROW(read_from_slot(slot, bytes, *box), armilla::limit_error) << bytes;
}

}  // namespace
