// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/wire_up/exchange.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "armilla/base/core/options.hpp"
#include "armilla/boot/host/bootstrap.hpp"
#include "armilla/boot/host/host_memory.hpp"
#include "armilla/error.hpp"

namespace armilla::detail {
namespace {

/// A host's memory, whose ranks are threads.
struct host_of_threads {
  explicit host_of_threads(rank_t n) : ranks(n) {
    options settings;
    settings.segment = 1 << 20;
    layout = layout_for(n, n, settings);
    const int memory = create_host_memory(layout);
    base = map_host_memory(memory, layout.total());
    close(memory);
    ::new (base) job_block;
  }
  ~host_of_threads() { munmap(base, layout.total()); }
  host_of_threads(const host_of_threads&) = delete;

  launch rank(rank_t r) const {
    launch self;
    self.rank = r;
    self.places = ranks;
    self.host_base = base;
    self.layout = layout;
    self.job = reinterpret_cast<job_block*>(base);
    return self;
  }
  template <class F>
  void in_ranks(F f) const {
    std::vector<std::thread> all;
    for (rank_t r = 0; r < ranks; ++r) all.emplace_back([=, this] { f(rank(r)); });
    for (std::thread& t : all) t.join();
  }

  rank_t ranks;
  host_layout layout;
  std::byte* base = nullptr;
};

TEST(exchange, each_rank_has_what_all_have_given_by_rank) {
  const host_of_threads host(4);
  std::vector<std::vector<int>> seen(4, std::vector<int>(8));
  host.in_ranks([&](const launch& self) {
    const int mine[2] = {self.rank * 10, self.rank * 10 + 1};
    exchange(self, mine, seen[std::size_t(self.rank)].data(), sizeof mine);
  });
  for (const auto& one : seen) EXPECT_EQ(one, (std::vector<int>{0, 1, 10, 11, 20, 21, 30, 31}));
}

TEST(exchange, a_later_one_is_not_mixed_with_the_one_before) {
  const host_of_threads host(3);
  std::vector<int> wrong(3);
  host.in_ranks([&](const launch& self) {
    for (int round = 0; round < 200; ++round) {
      const int mine = round * 100 + self.rank;
      int all[3] = {};
      exchange(self, &mine, all, sizeof mine);
      for (int r = 0; r < 3; ++r) wrong[std::size_t(self.rank)] += all[r] != round * 100 + r;
    }
  });
  EXPECT_EQ(wrong, std::vector<int>(3));
}

TEST(exchange, leaves_nothing_in_the_memory_of_the_host) {
  const host_of_threads host(2);
  host.in_ranks([&](const launch& self) {
    const std::vector<std::byte> mine(1000, std::byte{7});
    std::vector<std::byte> all(2000);
    exchange(self, mine.data(), all.data(), mine.size());
  });
  for (rank_t r = 0; r < 2; ++r) {
    const std::byte* const first = host.base + host.layout.staging(local_rank(r));
    EXPECT_TRUE(std::all_of(first, first + 1000, [](std::byte b) { return b == std::byte{0}; })) << r;
  }
}

TEST(exchange, one_that_is_too_long_is_refused) {
  const host_of_threads host(1);
  const std::vector<std::byte> mine(host.layout.staging_bytes() + 1);
  std::vector<std::byte> all(mine.size());
  try {
    exchange(host.rank(0), mine.data(), all.data(), mine.size());
    FAIL();
  } catch (const limit_error& e) { EXPECT_NE(std::string(e.what()).find("more than the "), std::string::npos) << e.what(); }
}

struct broken_bootstrap final : bootstrap {
  const char* name() const noexcept override { return "PMIx"; }
  rank_t rank() const noexcept override { return 0; }
  rank_t ranks() const noexcept override { return 2; }
  bool exchange(const void*, void*, std::size_t) override { return false; }
  bool meet() override { return false; }
  const char* error() const noexcept override { return "the server has gone"; }
  [[noreturn]] void abort(int code) override { _exit(code); }
  void finish() override {}
};

TEST(exchange, where_a_launcher_cannot_the_error_names_it_and_its_reason) {
  broken_bootstrap others;
  launch self;
  self.started = &others;
  int mine = 0, all[2];
  try {
    exchange(self, &mine, all, sizeof mine);
    FAIL();
  } catch (const limit_error& e) {
    EXPECT_NE(std::string(e.what()).find("by PMIx: the server has gone"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace armilla::detail
