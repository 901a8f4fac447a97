// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include <armilla/armilla.hpp>
#include <armilla/dialect/splitc.hpp>

#include "bench/papers/sort/sampling.hpp"

/// The sample sort in Split-C's words: samples are got, counts are stored one by one, keys in bulk. Paper: STAPL, section 4.
namespace sorting::in_splitc {
using namespace armilla::splitc;
using armilla::splitc::sync;

// parallel
/// The samples of all processors.
inline std::vector<std::vector<key>> all_samples(const std::vector<key>& mine) {
  spread_array<int> sizes(PROCS);
  spread_array<key, 1, 1> samples(PROCS, all_reduce_to_all_max(int(mine.size())) + 1);
  sizes[MYPROC] = int(mine.size());
  std::copy(mine.begin(), mine.end(), tolocal(samples[MYPROC]));
  barrier();
  std::vector<std::vector<key>> all;
  for (int p = 0; p < PROCS; p++) {
    all.emplace_back(int(sizes[p]));
    bulk_get(all.back().data(), samples[p], all.back().size() * sizeof(key));
  }
  sync();
  barrier();
  return all;
}

inline std::vector<key> sample_sort(std::span<const key> input) {
  const partition out = partition_of(input, splitters_of(all_samples(sample_of(input)), std::size_t(PROCS)));

  // How many keys come from each processor, and where in the bucket they begin.
  spread_array<int, 1, 1> counts(PROCS, PROCS), begins(PROCS, PROCS);
  for (int p = 0; p < PROCS; p++) counts[p][MYPROC] <<= store(out.counts[p]);
  all_store_sync();
  const int* const came = tolocal(counts[MYPROC]);
  for (int p = 0, begin = 0; p < PROCS; begin += came[p++]) begins[p][MYPROC] <<= store(begin);
  all_store_sync();
  const int total = std::accumulate(came, came + PROCS, 0);

  spread_array<key, 1, 1> buckets(PROCS, all_reduce_to_all_max(total) + 1);
  const key* from = out.keys.data();
  for (int p = 0; p < PROCS; from += out.counts[p++])
    bulk_store(buckets[p] + tolocal(begins[MYPROC])[p], from, out.counts[p] * sizeof(key));
  all_store_sync();

  key* const mine = tolocal(buckets[MYPROC]);
  std::sort(mine, mine + total);
  return {mine, mine + total};
}
// end of parallel

}  // namespace sorting::in_splitc
