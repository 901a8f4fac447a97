// SPDX-License-Identifier: Apache-2.0
// A blocking transfer whose wait ends by an error while the network moves its bytes: the caller gets its memory back when the
// network has left it.
#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <vector>

#include <armilla/armilla.hpp>

#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

constexpr std::size_t longs = std::size_t{1} << 22;  // a transfer that takes many looks
constexpr long mark = 7;

void broken(am::sender) { throw std::runtime_error("broken off"); }

void wait_for_it() {
  while (true) am::wait_for_message();
}

am::global_ptr<long> of_last(const am::distributed<am::global_ptr<long>>& all) {
  return am::call(
             am::ranks() - 1, [](am::object_ref<am::global_ptr<long>> p) { return *p.local(); }, all.on(am::ranks() - 1))
      .get();
}

}  // namespace

RANK_TEST(a_read_that_breaks_off_gives_the_memory_back_when_the_network_has_left_it) {
  const am::global_ptr<long> mine = am::allocate<long>(longs);
  std::fill_n(mine.local(), longs, mark);
  const am::distributed<am::global_ptr<long>> all(mine);
  am::barrier();
  if (am::rank() == 0 && am::ranks() > 1) {
    const am::global_ptr<long> there = of_last(all);
    std::vector<long> buffer(longs);
    // As soon as some of it has come, a message whose handler throws.
    auto breaker = am::spawn([&] {
      while (static_cast<volatile long&>(buffer[0]) == 0) am::yield();
      am::request<broken>(0);
    });
    const am::detail::access_request wanted{"a long read", longs * sizeof(long), alignof(long), am::detail::may_read};
    bool has_thrown = false;
    try {
      armilla::detail::read_far(buffer.data(), there.address(), wanted);
    } catch (const std::runtime_error&) { has_thrown = true; }
    EXPECT(std::ranges::all_of(buffer, [](long x) { return x == mark; }));
    if (!has_thrown) EXPECT_THROWS(std::runtime_error, wait_for_it());  // all has come in one look
    breaker.join();
  }
  am::barrier();
  am::deallocate(mine);
}
