// SPDX-License-Identifier: Apache-2.0
#include <barrier>
#include <thread>

#include "bench/papers/sort/baselines.hpp"
#include "bench/papers/sort/sampling.hpp"

namespace sorting {

// parallel
void sort_by_threads(std::vector<key>& keys, const papers::seats& threads) {
  const std::size_t parts = std::size_t(threads.count());
  std::vector<std::span<const key>> shares(parts);
  for (std::size_t t = 0; t < parts; ++t) {
    const std::size_t first = keys.size() * t / parts;
    shares[t] = std::span(keys).subspan(first, keys.size() * (t + 1) / parts - first);
  }
  std::vector<std::vector<key>> samples;
  for (const auto& share : shares) samples.push_back(sample_of(share));
  const std::vector<key> splitters = splitters_of(samples, parts);
  std::vector<partition> partitions(parts);
  std::barrier partitioned(threads.count());

  const auto sort_part = [&](std::size_t me) {
    threads.take(int(me));
    partitions[me] = partition_of(shares[me], splitters);
    partitioned.arrive_and_wait();
    std::size_t begin = 0;  // of my part: behind all smaller ones
    for (const partition& p : partitions)
      for (std::size_t part = 0; part < me; ++part) begin += p.counts[part];
    std::size_t end = begin;
    for (const partition& p : partitions) {
      std::size_t from = 0;
      for (std::size_t part = 0; part < me; ++part) from += p.counts[part];
      std::copy_n(&p.keys[from], p.counts[me], &keys[end]);
      end += p.counts[me];
    }
    std::sort(keys.begin() + std::ptrdiff_t(begin), keys.begin() + std::ptrdiff_t(end));
  };
  std::vector<std::jthread> others;
  for (std::size_t t = 1; t < parts; ++t) others.emplace_back(sort_part, t);
  sort_part(0);
}
// end of parallel

}  // namespace sorting
