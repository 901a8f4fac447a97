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

/// One exchange between the two: rank 0 begins. A side has `send`, `receive`, `look` (one idle poll) and `bulk`.
template <class Side>
void round_trip(Side& side, const measured_work& w) {
  if (w.rank == 0) side.send();
  side.receive();
  if (w.rank != 0) side.send();
}

/// `frames` frames from rank 0, with a word back for each half of the window; the last word comes when all are there.
template <class Side>
void one_way(Side& side, const measured_work& w) {
  const int part = int(w.window / 2);
  for (int sent = 0, credit = int(w.window); sent < w.frames; sent += part) {
    if (w.rank == 0) {
      if (credit < part) {
        side.receive();
        credit += part;
      }
      for (int i = 0; i < part; ++i) side.send();
      credit -= part;
    } else {
      for (int i = 0; i < part; ++i) side.receive();
      if (sent + int(w.window) < w.frames) side.send();
    }
  }
  if (w.rank == 0)
    side.receive();
  else
    side.send();
}

/// All figures of a side: what is measured is the same for a network and for what is written by hand.
template <class Side>
figures measure(Side& side, const measured_work& w) {
  constexpr int warm_up = 1000;
  const auto round_trips = [&](int n) {
    for (int i = 0; i < n; ++i) round_trip(side, w);
  };
  figures f;
  round_trips(warm_up);
  f.round_trip = time_per(w.round_trips, [&] { round_trips(w.round_trips); });
  f.one_way = time_per(w.frames, [&] { one_way(side, w); });
  f.bulk = double(w.bulk_bytes) / time_per(w.bulks, [&] {
             side.bulk();
             round_trip(side, w);
           });
  f.idle_poll = time_per(w.polls, [&] {
    for (int i = 0; i < w.polls; ++i) side.look();
  });
  round_trip(side, w);
  return f;
}

}  // namespace conformance
