// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include <armilla/armilla.hpp>
#include <armilla/dialect/ccpp.hpp>

#include "bench/papers/sort/sampling.hpp"

/// The sample sort in CC++'s words: a processor object a rank, whose methods take samples and keys. Paper: STAPL, section 4.
namespace sorting::in_ccpp {
using namespace armilla::ccpp;
namespace am = armilla;

// parallel
class bucket {
 public:
  void take_sample(const std::vector<key>& sample) { samples.push_back(sample); }
  void take(const std::vector<key>& sent) { keys.insert(keys.end(), sent.begin(), sent.end()); }
  std::vector<std::vector<key>> samples;
  std::vector<key> keys;

  struct methods : armilla::ccpp::methods<bucket> {
    rpc<&bucket::take_sample> take_sample{this};
    rpc<&bucket::take> take{this};
    field<&bucket::samples> samples{this};
    field<&bucket::keys> keys{this};
  };
};

inline std::vector<key> sample_sort(std::span<const key> input) {
  const std::vector<global<bucket*>> buckets = am::all_gather(new_object<bucket>(am::rank()));
  const global<bucket*>& mine = buckets[std::size_t(am::rank())];

  const std::vector<key> sample = sample_of(input);
  parfor(buckets, [&](const global<bucket*>& b) { b->take_sample(sample); });
  am::barrier();
  const partition out = partition_of(input, splitters_of(mine->samples.get(), buckets.size()));

  std::vector<std::size_t> begins(buckets.size() + 1);
  std::partial_sum(out.counts.begin(), out.counts.end(), begins.begin() + 1);
  parfor(std::size_t{0}, buckets.size(), [&](std::size_t p) {
    buckets[p]->take({out.keys.begin() + std::ptrdiff_t(begins[p]), out.keys.begin() + std::ptrdiff_t(begins[p + 1])});
  });
  am::barrier();

  std::vector<key> keys = mine->keys;
  std::sort(keys.begin(), keys.end());
  return keys;
}
// end of parallel

}  // namespace sorting::in_ccpp
