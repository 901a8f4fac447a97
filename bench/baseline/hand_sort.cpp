// SPDX-License-Identifier: Apache-2.0
// Sorts of suite algorithms by hand: vqsort on one core; a sketch that deals the numbers to two threads, which sort with it; and
// the standard's sort on one core.
#include <algorithm>
#include <array>
#include <barrier>
#include <random>
#include <thread>
#include <vector>

#include <hwy/contrib/sort/vqsort.h>

#include "bench/baseline/by_one.hpp"
#include "bench/baseline/hand.hpp"
#include "bench/kernels/keys.hpp"

namespace bench::hand {
namespace {

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

template <class T, std::vector<T> make(std::size_t, std::size_t)>
double vqsort(row_context& c) {
  return by_one<T>(c, make, [](std::vector<T>& data) { hwy::Sorter()(data.data(), data.size(), hwy::SortAscending()); });
}
template <class T, std::vector<T> make(std::size_t, std::size_t)>
double two_threads(row_context& c) {
  std::vector<T> room(std::size_t(c.size) + 2);
  return by_one<T>(c, make, [&room](std::vector<T>& data) { sketch<T>(data, room); });
}
template <class T, std::vector<T> make(std::size_t, std::size_t)>
double standard(row_context& c) {
  return by_one<T>(c, make, [](std::vector<T>& data) { std::sort(data.begin(), data.end()); });
}

}  // namespace

void add_sorts(row_table& rows) {
  using number = std::uint32_t;
  rows.insert(rows.end(), {{"hand_vqsort", vqsort<number, uniform_keys<number>>},
                           {"hand_vqsort_double", vqsort<double, uniform_keys<double>>},
                           {"hand_vqsort_log_uniform", vqsort<number, log_uniform_keys>},
                           {"hand_vqsort_equal", vqsort<number, equal_keys>},
                           {"hand_sort_sketch", two_threads<number, uniform_keys<number>>},
                           {"hand_sort_sketch_double", two_threads<double, uniform_keys<double>>},
                           {"hand_sort_sketch_log_uniform", two_threads<number, log_uniform_keys>},
                           {"std_sort_pairs", standard<keyed, keyed_keys>},
                           {"std_sort_letters", standard<letters, letter_keys>}});
}

}  // namespace bench::hand
