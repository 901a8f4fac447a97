// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace conformance {

/// Between ranks 0 and 1; times in nanoseconds.
struct figures {
  double round_trip = 0;  ///< frames of frame_bytes
  double one_way = 0;     ///< a frame, when one follows the other, with credit for each half of `window`
  double idle_poll = 0;
  double bulk = 0;  ///< bandwidth, GB/s: bulk_bytes into memory that is used again, four under way
};

/// What is measured, so that a network and the same by hand do the same.
struct measured_work {
  int rank = 0;
  std::uint32_t receives = 16;
  std::size_t longest = 0;  ///< of the receives
  std::size_t frame_bytes = 40;
  std::uint32_t window = 16;
  std::size_t bulk_bytes = std::size_t{1} << 20;
  int round_trips = 5000;
  int frames = 40000;
  int polls = 50000;
  int bulks = 100;
};

/// What a helper by hand exports: `extern "C" void armilla_measure(const measured_work&, figures&)`. Both ranks call it.
using measure_function = void (*)(const measured_work&, figures&);

/// Nanoseconds that `work()` takes, per each of `n`.
template <class Work>
double time_per(int n, Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() / n;
}

}  // namespace conformance
