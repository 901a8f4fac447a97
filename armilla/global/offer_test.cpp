// SPDX-License-Identifier: Apache-2.0
// Halves of long writes that the owner of the memory copies. Offers are made by hand, so that no test depends on which rank is
// first.
#include <atomic>
#include <utility>
#include <vector>

#include <armilla/error.hpp>
#include <armilla/fabric/host_map.hpp>
#include <armilla/global/offer.hpp>

#include "armilla/ring/heap.hpp"
#include "tests/rank_test.hpp"

namespace am = armilla;
namespace detail = armilla::detail;

namespace {

constexpr std::size_t count = 50'000;

am::per_rank<long> ended;
am::per_rank<am::global_ptr<double>> place;

detail::rank_memory& memory() { return detail::memory_of(*detail::current); }

// Rank 0 owns the memory, rank 1 writes.
bool can_be_offered() {
  const detail::host_map& host = *detail::current->host;
  return am::ranks() > 1 && !host.threads && !host.far[0] && !host.far[1];
}

// Behind the library's back: a rank that spins on it takes in no messages.
std::atomic_ref<long> ended_of(am::rank_t r) {
  return std::atomic_ref(*reinterpret_cast<long*>(detail::current->host->segment_start(r) + ended.on(r).address().offset));
}

std::uint64_t blocks_in_use() {
  detail::heap& mine = memory().local;
  mine.deallocate(mine.allocate(64).offset);  // what others have freed is collected
  return mine.used().blocks;
}

// Whether the kernel lets rank 0 read what rank 1 has: else it refuses what it is offered.
bool owner_may_read() { return memory().cross[1] == 0; }

// Rank 1 offers to fill the array at `to`, and waits until its owner has begun. Whether it has to copy by itself.
bool offer_and_wait(am::global_ptr<double> to) {
  const std::vector<double> from(count, 7.0);
  detail::copy_offer offer(memory(), to.address(), reinterpret_cast<const std::byte*>(from.data()), count * sizeof(double));
  while (!offer.begun()) {}
  return offer.take_back();
}

}  // namespace

RANK_TEST(an_owner_that_waits_copies_what_it_is_offered) {
  if (!can_be_offered()) return;
  if (am::rank() == 0) {
    std::vector<double> mine(count);
    EXPECT_EQ(am::call<&offer_and_wait>(1, am::to_global(mine.data())).get(), !owner_may_read());
    EXPECT(mine == std::vector<double>(count, owner_may_read() ? 7.0 : 0.0));
  }
  am::barrier();
}

RANK_TEST(what_the_owner_may_not_read_the_writer_copies_itself) {
  if (!can_be_offered()) return;
  if (am::rank() == 0) {
    const auto before = std::exchange(memory().cross[1], 1);
    std::vector<double> mine(count);
    EXPECT(am::call<&offer_and_wait>(1, am::to_global(mine.data())).get());
    EXPECT(mine == std::vector<double>(count));
    memory().cross[1] = before;
  }
  am::barrier();
}

RANK_TEST(an_offer_that_is_withdrawn_changes_nothing) {
  if (!can_be_offered()) return;
  std::vector<double> mine(count);
  place.local() = am::to_global(mine.data());
  ended_of(am::rank()).store(0);
  am::barrier();
  const am::global_ptr<double> to = *place.on(0);
  const std::uint64_t before = blocks_in_use();
  am::barrier();
  if (am::rank() == 1) {
    const std::vector<double> from(count, 7.0);
    detail::copy_offer offer(memory(), to.address(), reinterpret_cast<const std::byte*>(from.data()), count * sizeof(double));
    EXPECT(!offer.begun());
    EXPECT(offer.take_back());
    EXPECT(offer.take_back());
    ended_of(0).store(1);
  }
  if (am::rank() == 0)
    while (ended_of(0).load() == 0) {}
  am::fence();
  EXPECT(mine == std::vector<double>(count));
  EXPECT_EQ(blocks_in_use(), before);
}

RANK_TEST(an_offer_that_was_taken_gives_its_block_back) {
  if (!can_be_offered()) return;
  const std::uint64_t before = blocks_in_use();
  am::barrier();
  if (am::rank() == 0) {
    std::vector<double> mine(count);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(am::call<&offer_and_wait>(1, am::to_global(mine.data())).get(), !owner_may_read());
  }
  am::barrier();
  EXPECT_EQ(blocks_in_use(), before);
}

RANK_TEST(long_writes_arrive_whole) {
  for (const std::size_t n : {std::size_t(16'383), std::size_t(16'384), std::size_t(131'073), std::size_t(400'003)}) {
    std::vector<double> mine(n + 2, -1.0);
    const am::rank_t next = (am::rank() + 1) % am::ranks();
    const auto write = [](am::global_ptr<double> to, std::size_t elements) {
      std::vector<double> from(elements);
      for (std::size_t i = 0; i < elements; ++i) from[i] = double(i);
      detail::write_far(to.address(), from.data(), {"write", elements * sizeof(double), alignof(double), detail::may_write});
    };
    am::call(next, write, am::to_global(mine.data() + 1), n).get();
    bool right = mine[0] == -1.0 && mine[n + 1] == -1.0;
    for (std::size_t i = 0; i < n; ++i) right = right && mine[i + 1] == double(i);
    EXPECT(right);
    am::barrier();
  }
}
