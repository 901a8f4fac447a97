// SPDX-License-Identifier: Apache-2.0
#include "armilla/ring/heap.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace armilla::detail {
namespace {

constexpr std::uint64_t first = 8192;

struct heap_test : ::testing::Test {
  static constexpr std::size_t bytes = 256 << 20;
  std::byte* base = static_cast<std::byte*>(
      mmap(nullptr, first + bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  heap h = heap::create(base, first, bytes);
  ~heap_test() override { munmap(base, first + bytes); }

  void fill(heap::block b, std::size_t n) { std::memset(base + b.offset, int(b.generation & 0xff), n); }
};

TEST_F(heap_test, gives_blocks_that_do_not_overlap) {
  std::map<std::uint64_t, std::uint64_t> taken;
  for (std::size_t n : {0, 1, 8, 16, 17, 100, 128, 129, 1000, 8191, 8192, 8193, 65536, 100000, 1 << 20}) {
    for (int i = 0; i < 20; ++i) {
      const auto b = h.allocate(n);
      ASSERT_NE(b.offset, heap::none);
      EXPECT_EQ(b.offset % 16, 0u);
      auto next = taken.lower_bound(b.offset);
      if (next != taken.end()) { EXPECT_LE(b.offset + n, next->first); }
      if (next != taken.begin()) { EXPECT_LE(std::prev(next)->first + std::prev(next)->second, b.offset); }
      taken[b.offset] = n == 0 ? 1 : n;
      fill(b, n);
    }
  }
  EXPECT_TRUE(h.is_valid());
}

TEST_F(heap_test, honours_every_alignment) {
  for (std::uint64_t alignment = 1; alignment <= (1 << 20); alignment *= 2) {
    for (std::size_t n : {1, 24, 100, 4096, 70000}) {
      const auto b = h.allocate(n, alignment);
      ASSERT_NE(b.offset, heap::none);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(base + b.offset) % alignment, 0u) << alignment << " " << n;
      fill(b, n);
    }
  }
  EXPECT_TRUE(h.is_valid());
}

TEST_F(heap_test, uses_freed_blocks_of_all_chunks_again) {
  std::vector<heap::block> all;
  for (int i = 0; i < 2000; ++i) all.push_back(h.allocate(1000));
  std::uint64_t top = 0;
  for (const heap::block b : all) top = std::max(top, b.offset);
  for (std::size_t i = 0; i < all.size(); i += 2) h.deallocate(all[i].offset);
  for (std::size_t i = 0; i < all.size(); i += 2) EXPECT_LT(h.allocate(1000).offset, top + 2 * heap::chunk_bytes);
  EXPECT_TRUE(h.is_valid());
}

TEST_F(heap_test, uses_freed_memory_again) {
  for (std::size_t n : {16, 5000, 200000, 30 << 20}) {
    for (int round = 0; round < 1000; ++round) {
      const auto b = h.allocate(n);
      ASSERT_NE(b.offset, heap::none);
      ASSERT_EQ(h.deallocate(b.offset, b.generation), heap::status::live);
    }
  }
  EXPECT_EQ(h.used().blocks, 0u);
  EXPECT_LT(h.used().touched, 40u << 20);
}

TEST_F(heap_test, joins_neighbours_that_are_free) {
  std::vector<heap::block> blocks;
  for (int i = 0; i < 100; ++i) blocks.push_back(h.allocate(2 << 20));
  const auto guard = h.allocate(2 << 20);
  for (int i = 0; i < 100; i += 2) h.deallocate(blocks[i].offset);
  for (int i = 1; i < 100; i += 2) h.deallocate(blocks[i].offset);
  EXPECT_TRUE(h.is_valid());
  const auto all = h.allocate(200 << 20);
  EXPECT_EQ(all.offset / heap::chunk_bytes, blocks[0].offset / heap::chunk_bytes);
  h.deallocate(guard.offset);
  h.deallocate(all.offset);
  EXPECT_TRUE(h.is_valid());
}

TEST_F(heap_test, begins_large_blocks_at_different_places_of_their_pages) {
  std::set<std::uint64_t> places;
  for (int i = 0; i < 32; ++i) {
    const auto b = h.allocate(1 << 20);
    EXPECT_EQ(b.offset % 64, 0u);
    places.insert(b.offset % 4096);
    fill(b, 1 << 20);
  }
  EXPECT_EQ(places.size(), 32u);
  EXPECT_TRUE(h.is_valid());
}

TEST_F(heap_test, gives_all_of_its_memory_as_one_block) {
  h.allocate(1 << 20);  // the next large block would not begin where its memory begins
  std::uint64_t most = bytes;
  while (h.allocate(most).offset == heap::none) most -= heap::chunk_bytes;
  EXPECT_GT(most, bytes - (4 << 20));
  EXPECT_EQ(h.allocate(1 << 16).offset, heap::none);
}

TEST_F(heap_test, says_that_nothing_fits) {
  EXPECT_EQ(h.allocate(bytes).offset, heap::none);
  EXPECT_EQ(h.allocate(~std::uint64_t{0} - 100).offset, heap::none);
  std::uint64_t got = 0;
  while (h.allocate(1 << 20).offset != heap::none) ++got;
  EXPECT_GT(got, (bytes >> 20) * 15 / 16 - 3);  // a block that fills its chunks has one more, to begin elsewhere in its page
  while (h.allocate(16).offset != heap::none) {}
  EXPECT_TRUE(h.is_valid());
}

TEST_F(heap_test, tells_a_pointer_that_was_freed) {
  for (std::size_t n : {16, 200000}) {
    const auto b = h.allocate(n);
    EXPECT_EQ(h.check(b.offset, n, b.generation), heap::status::live);
    EXPECT_EQ(h.check(b.offset + n / 2, n / 2, b.generation), heap::status::live);
    EXPECT_EQ(h.generation_at(b.offset + 7), b.generation);
    EXPECT_EQ(h.deallocate(b.offset, b.generation), heap::status::live);
    EXPECT_EQ(h.check(b.offset, n, b.generation), heap::status::freed);
    EXPECT_EQ(h.deallocate(b.offset, b.generation), heap::status::freed);
    const auto again = h.allocate(n);
    EXPECT_EQ(again.offset / heap::chunk_bytes, b.offset / heap::chunk_bytes);
    EXPECT_EQ(h.check(b.offset, n, b.generation), heap::status::freed);
    EXPECT_EQ(h.deallocate(b.offset, b.generation), heap::status::freed);
    EXPECT_EQ(h.check(again.offset, n, again.generation), heap::status::live);
  }
}

TEST_F(heap_test, refuses_pointers_that_are_not_the_start_of_a_block) {
  const auto small = h.allocate(64), large = h.allocate(300000);
  EXPECT_EQ(h.deallocate(small.offset + 16), heap::status::foreign);
  EXPECT_EQ(h.deallocate(large.offset + 65536), heap::status::foreign);
  EXPECT_EQ(h.deallocate(first), heap::status::foreign);
  EXPECT_EQ(h.deallocate(0), heap::status::outside);
  EXPECT_EQ(h.deallocate(first + bytes), heap::status::outside);
  EXPECT_EQ(h.check(small.offset + 60, 8, small.generation), heap::status::outside);
  EXPECT_TRUE(h.is_valid());
}

TEST_F(heap_test, takes_blocks_back_from_other_threads) {
  constexpr int n = 2000;
  std::vector<heap::block> blocks;
  for (int i = 0; i < n; ++i) blocks.push_back(h.allocate(i % 10 == 0 ? 100000 : 48));
  auto give = [&](int begin) {
    heap view = heap::attach(base, first);
    for (int i = begin; i < n; i += 2) EXPECT_EQ(view.remote_free(blocks[i].offset, blocks[i].generation), heap::status::live);
  };
  std::thread a(give, 0), b(give, 1);
  for (int i = 0; i < n; ++i) h.deallocate(h.allocate(32).offset);
  a.join();
  b.join();
  EXPECT_EQ(h.remote_free(blocks[0].offset, blocks[0].generation), heap::status::freed);
  h.deallocate(h.allocate(1).offset);
  EXPECT_EQ(h.used().blocks, 0u);
  EXPECT_TRUE(h.is_valid());
}

TEST_F(heap_test, a_retired_block_is_freed_but_not_given_out_before_it_is_reused) {
  for (const std::uint64_t bytes : {std::uint64_t(4096), std::uint64_t(100'000)}) {
    const heap::block old = h.allocate(bytes, 4096);
    EXPECT_EQ(h.retire(old.offset, old.generation), heap::status::live);
    EXPECT_EQ(h.check(old.offset, 1, old.generation), heap::status::freed);
    EXPECT_EQ(h.deallocate(old.offset, old.generation), heap::status::freed);
    const heap::block other = h.allocate(bytes, 4096);
    EXPECT_NE(other.offset, old.offset);
    h.reuse(old.offset);
    const heap::block again = h.allocate(bytes, 4096);
    EXPECT_EQ(again.offset, old.offset);
    EXPECT_EQ(h.check(old.offset, 1, old.generation), heap::status::freed);
    for (const heap::block& each : {other, again}) EXPECT_EQ(h.deallocate(each.offset, each.generation), heap::status::live);
  }
  EXPECT_EQ(h.used().blocks, 0u);
  EXPECT_TRUE(h.is_valid());
}

// What the progress thread does with what other ranks free, while the rank goes on.
TEST_F(heap_test, frees_a_block_once_when_its_owner_and_another_thread_try) {
  constexpr int n = 20'000;
  std::vector<heap::block> blocks;
  for (int i = 0; i < n; ++i) blocks.push_back(h.allocate(i % 100 == 0 ? 100'000 : 48));
  std::atomic<int> turn = 0;
  int freed_there = 0, freed_here = 0;
  std::thread other([&] {
    heap view = heap::attach(base, first);
    for (int i = 0; i < n; ++i) {
      while (turn.load() < i) std::this_thread::yield();
      freed_there +=
          view.remote_free(blocks[i].offset, i % 2 == 0 ? blocks[i].generation : std::uint16_t(0)) == heap::status::live;
    }
  });
  for (int i = 0; i < n; ++i) {
    turn = i;
    freed_here += h.deallocate(blocks[i].offset, blocks[i].generation) == heap::status::live;
  }
  other.join();
  EXPECT_EQ(freed_here + freed_there, n);
  h.deallocate(h.allocate(1).offset);
  EXPECT_EQ(h.used().blocks, 0u);
  EXPECT_TRUE(h.is_valid());
}

TEST_F(heap_test, stays_whole_under_random_use) {
  std::mt19937 random(7);
  struct item {
    heap::block block;
    std::size_t size;
  };
  std::vector<item> live;
  for (int step = 0; step < 20000; ++step) {
    if (live.size() < 300 && random() % 5 < 3) {
      const std::size_t n = random() % 10 == 0 ? random() % 500000 : random() % 3000;
      const auto b = h.allocate(n, std::uint64_t{1} << random() % 14);
      ASSERT_NE(b.offset, heap::none);
      fill(b, n);
      live.push_back({b, n});
    } else if (!live.empty()) {
      const std::size_t k = random() % live.size();
      const item it = live[k];
      for (std::size_t i = 0; i < it.size; i += 61) ASSERT_EQ(base[it.block.offset + i], std::byte(it.block.generation & 0xff));
      ASSERT_EQ(h.deallocate(it.block.offset, it.block.generation), heap::status::live);
      live[k] = live.back();
      live.pop_back();
    }
    if (step % 1000 == 0) { ASSERT_TRUE(h.is_valid()); }
  }
  for (const item& it : live) h.deallocate(it.block.offset);
  EXPECT_EQ(h.used().blocks, 0u);
  EXPECT_TRUE(h.is_valid());
}

}  // namespace
}  // namespace armilla::detail
