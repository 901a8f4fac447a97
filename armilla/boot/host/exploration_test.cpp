// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/host/exploration.hpp"

#include <sys/mman.h>

#include <chrono>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace {

using armilla::detail::exploration;

/// Memory that is zero until it is written, as in the file that armilla-run makes.
struct job {
  job() : memory(::mmap(nullptr, sizeof(exploration), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {}
  ~job() { ::munmap(memory, sizeof(exploration)); }
  exploration& run() const { return *static_cast<exploration*>(memory); }
  void* memory;
};

TEST(exploration, the_first_rank_waits_for_all_of_more_than_100) {
  const job here;
  exploration& run = here.run();
  constexpr armilla::rank_t ranks = 150;
  std::uint32_t entered = 0;
  std::thread first([&] {
    run.enter(0, ranks, false);
    entered = run.entered.load();
    run.let_go(0, ranks);
  });
  std::vector<std::thread> others;
  for (armilla::rank_t r = 1; r < ranks; ++r) {
    std::this_thread::sleep_for(std::chrono::microseconds(500));  // so that each wakes the first
    others.emplace_back([&run, r] {
      run.enter(r, ranks, false);
      run.let_go(r, ranks);
    });
  }
  first.join();
  for (std::thread& each : others) each.join();
  EXPECT_EQ(entered, std::uint32_t(ranks));
}

}  // namespace
