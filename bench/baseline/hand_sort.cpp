// SPDX-License-Identifier: Apache-2.0
// Sorts of suite algorithms by hand: vqsort on one core; a sketch that deals the numbers to two threads, which sort with it; and
// the standard's sort on one core.
#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <chrono>
#include <random>
#include <thread>
#include <vector>

#include <hwy/contrib/sort/vqsort.h>

#include "bench/baseline/hand.hpp"
#include "bench/kernels/keys.hpp"

namespace bench::hand {
namespace {

/// Nanoseconds of `sort(data)`, done by rank 0 alone, with the same data each time. The others sleep: their cores are free.
template <class T, class Sort>
double by_one(const row_context& c, std::vector<T> (*make)(std::size_t, std::size_t), Sort sort) {
  std::atomic_ref<long> done(*c.scratch<long>());
  if (c.rank == 0) done = 0;
  c.sync();
  double sum = 0;
  if (c.rank == 0) {
    const std::vector<T> keys = make(0, std::size_t(c.size));
    std::vector<T> data(keys.size());
    for (long i = -1; i < c.iterations; ++i) {  // one to warm up
      std::copy(keys.begin(), keys.end(), data.begin());
      const std::uint64_t start = now_ns();
      sort(data);
      if (i >= 0) sum += double(now_ns() - start);
      verify(std::is_sorted(data.begin(), data.end()), "a sort by hand");
    }
    done = 1;
  }
  while (done == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  c.sync();
  return sum / double(c.iterations);
}

void pin_to(int core) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  sched_setaffinity(0, sizeof one, &one);
}

/// Each thread deals its half into low and high numbers, and takes the low or the high ones of both.
template <class T>
class sketch {
 public:
  sketch(std::vector<T>& data, std::vector<T>& room) : data_(data), dealt_(room.data()) {
    std::vector<T> sample;
    std::minstd_rand random;
    for (int k = 0; k < 4096; ++k) sample.push_back(data[random() % data.size()]);
    std::nth_element(sample.begin(), sample.begin() + 2048, sample.end());
    middle_ = sample[2048];
    std::thread other([this] { pin_to(1), run(1); });
    run(0);
    other.join();
  }

 private:
  void run(std::size_t me) {
    const std::size_t half = data_.size() / 2;
    const T* const begin = data_.data() + me * half;
    const T* const end = me == 0 ? begin + half : data_.data() + data_.size();
    T *low = dealt_ + me * half, *high = low + (end - begin);
    first_[me] = low, last_[me] = high;
    for (const T* p = begin; p < end; ++p) {  // no branch: both are written
      const bool is_low = *p < middle_;
      *low = *p;
      high[-1] = *p;
      low += is_low, high -= !is_low;
    }
    border_[me] = low;
    dealt_by_all_.arrive_and_wait();
    const std::size_t lows = std::size_t((border_[0] - first_[0]) + (border_[1] - first_[1]));
    T* const to = data_.data() + (me == 0 ? 0 : lows);
    T* at = to;
    for (std::size_t t = 0; t < 2; ++t) at = me == 0 ? std::copy(first_[t], border_[t], at) : std::copy(border_[t], last_[t], at);
    hwy::Sorter()(to, std::size_t(at - to), hwy::SortAscending());
  }

  std::vector<T>& data_;
  T* dealt_;
  T middle_;
  std::array<T*, 2> first_, border_, last_;
  std::barrier<> dealt_by_all_{2};
};

template <class T>
double vqsort(row_context& c) {
  return by_one<T>(c, &uniform_keys<T>,
                   [](std::vector<T>& data) { hwy::Sorter()(data.data(), data.size(), hwy::SortAscending()); });
}
template <class T>
double two_threads(row_context& c) {
  std::vector<T> room(std::size_t(c.size) + 2);
  return by_one<T>(c, &uniform_keys<T>, [&room](std::vector<T>& data) { sketch<T>(data, room); });
}
double equal(row_context& c) {
  return by_one<std::uint32_t>(
      c, &equal_keys, [](std::vector<std::uint32_t>& data) { hwy::Sorter()(data.data(), data.size(), hwy::SortAscending()); });
}
double pairs(row_context& c) {
  return by_one<keyed>(c, &keyed_keys, [](std::vector<keyed>& data) { std::sort(data.begin(), data.end()); });
}

}  // namespace

void add_sorts(row_table& rows) {
  rows.insert(rows.end(), {{"hand_vqsort", vqsort<std::uint32_t>},
                           {"hand_vqsort_double", vqsort<double>},
                           {"hand_sort_sketch", two_threads<std::uint32_t>},
                           {"hand_sort_sketch_double", two_threads<double>},
                           {"hand_vqsort_equal", equal},
                           {"std_sort_pairs", pairs}});
}

}  // namespace bench::hand
