// SPDX-License-Identifier: Apache-2.0
#include <barrier>
#include <thread>

#include "bench/papers/fence/threads.hpp"
#include "bench/papers/fence/turns.hpp"

namespace fences {

bool std_barriers(const papers::seats& threads, long times) {
  turns shown(threads.count());
  std::barrier<> all(threads.count());
  std::atomic<bool> right{true};
  const auto meet = [&](int me) {
    threads.take(me);
    for (long i = 1; i < times; ++i) all.arrive_and_wait();
    shown.show(me, times);
    all.arrive_and_wait();
    if (!shown.met(me, times)) right = false;
  };
  std::vector<std::jthread> others;
  for (int t = 1; t < threads.count(); ++t) others.emplace_back(meet, t);
  meet(0);
  others.clear();
  return right;
}

}  // namespace fences
