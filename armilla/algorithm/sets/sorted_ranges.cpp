// SPDX-License-Identifier: Apache-2.0
#include "armilla/sorted_ranges.hpp"

#include <algorithm>
#include <vector>

namespace armilla::detail {
namespace {

/// Where a share begins in both ranges, or, of a merge, in the first range and in the output.
struct begin_of_share {
  std::uint64_t first, second;
};

pair_share share_of(rank_t me, const std::vector<begin_of_share>& begins) {
  const begin_of_share &from = begins[std::size_t(me)], &to = begins[std::size_t(me) + 1];
  return {from.first, to.first, from.second, to.second};
}

}  // namespace

pair_share share_of_merge(const team& t, std::size_t begin, std::size_t of_first, std::size_t n_first, std::size_t n_second) {
  const std::uint64_t n = n_first + n_second;
  std::vector<begin_of_share> begins = t.all_gather(begin_of_share{of_first, begin});  // `second` is the place in the output
  begins.push_back({n_first, n});
  for (std::size_t m = begins.size() - 1; m-- > 0;)
    if (begins[m].second >= n) begins[m] = begins[m + 1];  // without output: empty, where the next one begins
  begin_of_share last{0, 0};
  for (begin_of_share& b : begins) {
    // Not beyond its share, nor so few of the first range that the second has no more for the rest.
    const std::uint64_t least = std::max(last.first, b.second > n_second ? b.second - n_second : 0);
    b.first = std::clamp(b.first, least, std::min<std::uint64_t>(last.first + (b.second - last.second), n_first));
    last = b;
  }
  for (begin_of_share& b : begins) b.second -= b.first;
  return share_of(t.rank(), begins);
}

pair_share share_between(const team& t, std::size_t first, std::size_t second, std::size_t n_first, std::size_t n_second) {
  std::vector<begin_of_share> begins = t.all_gather(begin_of_share{first, second});
  begins.push_back({n_first, n_second});
  for (std::size_t m = 1; m < begins.size(); ++m) {
    begins[m].first = std::max(begins[m].first, begins[m - 1].first);
    begins[m].second = std::max(begins[m].second, begins[m - 1].second);
  }
  return share_of(t.rank(), begins);
}

}  // namespace armilla::detail
