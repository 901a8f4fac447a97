// SPDX-License-Identifier: Apache-2.0
// How much memory a rank has at most while all sort, with its elements, as a multiple of what they take.
#include <algorithm>
#include <atomic>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>

#include <armilla/algorithms.hpp>

#include "bench/kernels/keys.hpp"
#include "bench/suites/common.hpp"
#include "bench/suites/suites.hpp"

namespace bench::suites {
namespace {

/// Bytes of this process; of pages that several processes have touched each has its share.
double own_bytes() {
  std::ifstream file("/proc/self/smaps_rollup");
  for (std::string word; file >> word;)
    if (double kilobytes = 0; word == "Pss:" && file >> kilobytes) return kilobytes * 1024;
  throw std::runtime_error("/proc/self/smaps_rollup does not tell Pss");
}

/// The most that is there while this exists, by looking again and again.
class highest {
 public:
  double end() {
    ends_ = true;
    thread_.join();
    return std::max(most_, own_bytes());
  }

 private:
  void look() {
    while (!ends_) most_ = std::max(most_, own_bytes());
  }
  std::atomic<bool> ends_ = false;
  double most_ = 0;
  std::thread thread_{[this] { look(); }};
};

/// `size` keys; where they are skewed, half of them are one.
template <bool skewed>
double sort_memory(row_context& c) {
  const double before = own_bytes();
  am::barrier();
  am::vector<std::uint32_t> keys(static_cast<std::size_t>(c.size));
  am::for_each_index(keys, [](std::size_t i, std::uint32_t& key) {
    const std::uint64_t bits = random_bits(i);
    key = skewed && bits % 2 == 0 ? 17 : std::uint32_t(bits >> 32);
  });
  highest most;
  am::sort(keys);
  const double mine = (most.end() - before) / (double(c.size) * sizeof(std::uint32_t) / double(c.ranks));
  verify(am::is_sorted(keys), "sort");
  return am::all_reduce(mine, [](double a, double b) { return std::max(a, b); });
}

}  // namespace

void add_footprint(row_table& rows) {
  rows.insert(rows.end(), {{"sort_memory", sort_memory<false>}, {"sort_memory_skewed", sort_memory<true>}});
}

}  // namespace bench::suites
