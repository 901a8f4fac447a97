// SPDX-License-Identifier: Apache-2.0
#include "armilla/global/retired_blocks.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <vector>

#include <gtest/gtest.h>

namespace armilla::detail {
namespace {

constexpr std::uint64_t first = 8192, page = 4096, most = 1 << 20;

struct retired_blocks_test : ::testing::Test {
  static constexpr std::size_t bytes = 64 << 20;
  std::byte* base = static_cast<std::byte*>(
      mmap(nullptr, first + bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  heap h = heap::create(base, first, bytes);
  retired_blocks retired;
  int pipes[2] = {-1, -1};

  retired_blocks_test() { EXPECT_EQ(pipe2(pipes, O_NONBLOCK), 0); }
  ~retired_blocks_test() override {
    for (const int each : pipes) close(each);
    munmap(base, first + bytes);
  }

  /// A call of the system gives an error where a load would end the process.
  bool is_accessible(std::uint64_t offset) const {
    char one = 0;
    return write(pipes[1], base + offset, 1) == 1 && read(pipes[0], &one, 1) == 1;
  }
  heap::block retire(std::uint64_t size, std::uint64_t alignment = page) {
    const heap::block made = h.allocate(size, alignment);
    const heap::extent all = h.extent_of(made.offset);
    EXPECT_EQ(h.retire(made.offset, made.generation), heap::status::live);
    retired.add(h, base, all, call_stack{{std::uintptr_t(size)}, 1}, most);
    return made;
  }
  std::uintptr_t address(std::uint64_t offset) const { return reinterpret_cast<std::uintptr_t>(base + offset); }
};

TEST_F(retired_blocks_test, a_retired_block_is_inaccessible_and_knows_where_it_ended) {
  for (const std::uint64_t size : {std::uint64_t(1), page, 3 * page, std::uint64_t(300'000)}) {
    const heap::block old = retire(size);
    for (const std::uint64_t at : {std::uint64_t(0), size - 1}) {
      EXPECT_FALSE(is_accessible(old.offset + at));
      const call_stack* const end = retired.end_of(address(old.offset + at));
      ASSERT_NE(end, nullptr);
      EXPECT_EQ(end->address[0], size);
    }
    const heap::block live = h.allocate(size, page);
    EXPECT_TRUE(is_accessible(live.offset));
    EXPECT_EQ(retired.end_of(address(live.offset)), nullptr);
  }
}

TEST_F(retired_blocks_test, blocks_are_reused_when_there_are_too_many) {
  const heap::block old = retire(page);
  for (std::uint64_t all = 0; all < most; all += 300'000) retire(300'000);
  EXPECT_TRUE(is_accessible(old.offset));
  EXPECT_EQ(h.allocate(page, page).offset, old.offset);
  EXPECT_TRUE(h.is_valid());
}

TEST_F(retired_blocks_test, all_are_reused_when_memory_runs_short) {
  EXPECT_FALSE(retired.reuse_all(h));
  std::vector<heap::block> all;
  for (int i = 0; i < 10; ++i) all.push_back(retire(20'000));
  EXPECT_TRUE(retired.reuse_all(h));
  for (const heap::block& each : all) EXPECT_TRUE(is_accessible(each.offset));
  EXPECT_EQ(h.used().blocks, 0u);
}

TEST_F(retired_blocks_test, blocks_without_a_whole_page_or_too_large_are_reused_at_once) {
  retire(100, 64);
  retire(2 * most);
  EXPECT_EQ(h.used().blocks, 0u);
  EXPECT_FALSE(retired.reuse_all(h));
}

}  // namespace
}  // namespace armilla::detail
