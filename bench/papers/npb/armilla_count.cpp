// SPDX-License-Identifier: Apache-2.0
#include "bench/papers/npb/armilla_count.hpp"

#include <vector>

#include <armilla/stats/counter_table.hpp>

namespace npb {

papers::json armilla_count::each(const papers::armilla_job& job) const {
  const armilla::statistics took = after_ - before_;
  const auto table = armilla::detail::counter_table();
  std::vector<double> counts;
  for (const auto& row : table) counts.push_back(double(took.*row.member));
  const std::vector<double> sum = armilla::all_reduce(counts, [](std::vector<double> a, const std::vector<double>& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
    return a;
  });
  papers::json mean = papers::json::object();
  for (std::size_t i = 0; i < sum.size(); ++i)
    if (sum[i] != 0) mean[table[i].name] = sum[i] / job.ranks();
  return mean;
}

}  // namespace npb
