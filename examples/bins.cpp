// SPDX-License-Identifier: Apache-2.0
// A histogram spread over all ranks: each bin lies on one of them, and every rank counts random numbers into all bins, its own
// included. An update is a one-way call to the part of a distributed object that has the bin; the library sends many together.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <numeric>
#include <random>
#include <stdexcept>
#include <vector>

#include <armilla/armilla.hpp>

#include "examples/arguments.hpp"

namespace am = armilla;

namespace {

/// One rank's bins.
class histogram {
 public:
  explicit histogram(std::size_t bins) : count_(bins) {}
  void add(std::uint32_t bin) { ++count_[bin]; }
  long total() const { return std::accumulate(count_.begin(), count_.end(), 0L); }
  const std::vector<long>& counts() const { return count_; }

 private:
  std::vector<long> count_;
};

/// Calls `use(number)` for each of a rank's random numbers below `limit`: the same ones every time.
template <class Use>
void each_number(am::rank_t rank, long updates, std::uint64_t limit, Use use) {
  std::mt19937_64 random(std::uint64_t(rank) + 1);
  for (long i = 0; i < updates; ++i) use((random() >> 32) * limit >> 32);
}

/// What this rank's bins must hold, by counting all ranks' numbers once more without sending any.
std::vector<long> expected(std::uint64_t bins, long updates) {
  std::vector<long> count(bins);
  for (am::rank_t r = 0; r < am::ranks(); ++r)
    each_number(r, updates, bins * std::uint64_t(am::ranks()), [&](std::uint64_t n) {
      if (n / bins == std::uint64_t(am::rank())) ++count[n % bins];
    });
  return count;
}

void count_numbers(std::uint64_t bins, long updates) {
  am::distributed<histogram> h(bins);  // a part on every rank, under one name
  am::barrier();
  const auto start = std::chrono::steady_clock::now();
  each_number(am::rank(), updates, bins * std::uint64_t(am::ranks()),
              [&](std::uint64_t n) { am::async<&histogram::add>(h.on(am::rank_t(n / bins)), std::uint32_t(n % bins)); });
  am::fence();  // all updates of all ranks have been made
  const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;

  const long total = am::all_reduce(h->total(), std::plus<>{});
  if (total != updates * am::ranks()) throw std::runtime_error("some updates were lost");
  if (h->counts() != expected(bins, updates)) throw std::runtime_error("an update went to the wrong bin");
  if (am::rank() == 0)
    std::printf("%ld updates of %llu bins on %d ranks: %.1f ns an update; right\n", total,
                static_cast<unsigned long long>(bins * std::uint64_t(am::ranks())), am::ranks(), time.count() / double(updates));
}

}  // namespace

int main(int argc, char** argv) {
  examples::arguments arguments("Counts random numbers into bins that are spread over all ranks.");
  std::uint64_t bins = 1 << 16;
  long updates = 1'000'000;
  arguments.take("--bins", bins, "bins on each rank", 1, 1 << 26);
  arguments.take("--updates", updates, "numbers that each rank counts", 1L, 1'000'000'000L);
  if (const auto ended = arguments.read(argc, argv)) return *ended;
  return am::run(argc, argv, [=] { count_numbers(bins, updates); });
}
