// SPDX-License-Identifier: Apache-2.0
#include "armilla/grid_dims.hpp"

#include <vector>

#include <fmt/format.h>

#include "armilla/error.hpp"

namespace armilla::detail {
namespace {

// In rising order.
std::vector<rank_t> divisors_of(rank_t n) {
  std::vector<rank_t> all, large;
  for (rank_t d = 1; d <= n / d; ++d) {
    if (n % d != 0) continue;
    all.push_back(d);
    if (d != n / d) large.push_back(n / d);
  }
  all.insert(all.end(), large.rbegin(), large.rend());
  return all;
}

// Writes `n` factors of `product` in falling order, none above `most`; false if there are none.
bool factors(rank_t product, rank_t most, const std::vector<rank_t>& candidates, rank_t* to, std::size_t n) {
  if (n == 1) {
    *to = product;
    return product <= most;
  }
  for (const rank_t first : candidates)
    if (first <= most && product % first == 0 && factors(product / first, first, candidates, to + 1, n - 1)) {
      *to = first;
      return true;
    }
  return false;
}

rank_t rest_of(rank_t ranks, const rank_t* dims, std::size_t n) {
  rank_t rest = ranks;
  for (std::size_t i = 0; i < n; ++i) {
    if (dims[i] == 0) continue;
    if (dims[i] < 0 || rest % dims[i] != 0)
      throw_usage("grid_dims",
                  fmt::format("{} ranks cannot be divided by the given dimension {}; 0 lets it be chosen", rest, dims[i]));
    rest /= dims[i];
  }
  return rest;
}

}  // namespace

void choose_grid_dims(rank_t ranks, rank_t* dims, std::size_t n) {
  if (ranks <= 0) throw_usage("grid_dims", fmt::format("a grid of {} ranks; there must be one at least", ranks));
  const rank_t rest = rest_of(ranks, dims, n);
  std::size_t free = 0;
  for (std::size_t i = 0; i < n; ++i) free += dims[i] == 0;
  if (free == 0 && rest != 1)
    throw_usage("grid_dims", fmt::format("the given dimensions leave {} ranks over; let one be 0", rest));
  if (free == 0) return;
  std::vector<rank_t> chosen(free);
  factors(rest, rest, divisors_of(rest), chosen.data(), free);
  for (std::size_t i = 0, next = 0; i < n; ++i)
    if (dims[i] == 0) dims[i] = chosen[next++];
}

}  // namespace armilla::detail
