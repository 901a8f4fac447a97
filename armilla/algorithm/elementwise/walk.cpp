// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <new>
#include <numeric>

#include <fmt/format.h>

#include "armilla/algorithm/elementwise/fold_inline.hpp"
#include "armilla/algorithm/elementwise/in_order.hpp"
#include "armilla/base/values/extents.hpp"
#include "armilla/base/values/limits.hpp"
#include "armilla/gather.hpp"
#include "armilla/global/memory_need.hpp"

namespace armilla::detail {

void throw_does_not_fit(const char* operation, std::size_t n, std::size_t room) {
  throw_usage(operation, fmt::format("{} elements for a range of {}; make it as long, or take fewer (views::take)", n, room));
}

void throw_unlike_lists(const char* operation, std::size_t indices, std::size_t values) {
  throw_usage(operation, fmt::format("{} indices and {} values; give one value for each index", indices, values));
}

part_counts count_of_all(const team& t, const char* operation, failure& why, std::size_t mine) {
  std::vector<ballot<std::uint64_t>> all;
  {
    const meeting here(t);
    all = t.all_gather(ballot<std::uint64_t>{vote_of(t, why), mine});
  }
  std::uint64_t loser = no_loser;
  part_counts sums;
  for (std::size_t m = 0; m < all.size(); ++m) {
    loser = all[m].loser < loser ? all[m].loser : loser;
    sums.each.push_back(all[m].value);
    sums.all += all[m].value;
    if (m < std::size_t(t.rank())) sums.before += all[m].value;
  }
  if (loser != no_loser) throw_failure_of(t, operation, loser, why);
  return sums;
}

std::vector<std::size_t> stable_order(const std::vector<std::uint64_t>& numbers) {
  std::vector<std::size_t> order(numbers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (!std::ranges::is_sorted(numbers)) std::ranges::stable_sort(order, {}, [&](std::size_t k) { return numbers[k]; });
  return order;
}

void require_bounds(double low, double high) {
  if (low < high && high - low <= std::numeric_limits<double>::max()) return;
  throw_usage("histogram", fmt::format("buckets from {} to {}; give a lower and a higher number, both finite", low, high));
}

std::vector<std::uint64_t> make_buckets(const team& t, std::size_t n, failure& why) {
  const std::uint64_t bytes = bounded_product(n, sizeof(std::uint64_t));
  if (bytes > most_segment_bytes)
    throw_limit("histogram", fmt::format("{} buckets of {} bytes are more than a rank has memory for{}; ask for fewer", n,
                                         sizeof(std::uint64_t), looks_negative(n) ? " (is the number negative?)" : ""));
  require_memory(t, "histogram", bytes, bytes);
  std::vector<std::uint64_t> all;
  try {
    all.resize(n);
  } catch (const detail::passing&) { throw; } catch (...) {
    why.note();
  }
  return all;
}

void throw_no_elements(const char* operation) { throw_usage(operation, "the range is empty; check its size first"); }
void throw_vector_length(const char* operation, const char* which, std::size_t n, std::size_t wanted) {
  throw_usage(operation, fmt::format("the {} has {} elements and must have {}", which, n, wanted));
}

}  // namespace armilla::detail
