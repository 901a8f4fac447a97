// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "armilla/attach.hpp"
#include "armilla/client/method_rates.hpp"

namespace armilla::top {

/// One rank between two looks.
struct rank_rates {
  rank_look last;
  double messages = 0;  ///< sent a second: one-way calls, two-way calls, replies
  double bytes = 0;     ///< sent a second, by frames and by blocks
  double busy = 0;      ///< processors that it kept busy: processor time a second
};

/// What the ranks did between two looks that lie `seconds` apart.
std::vector<rank_rates> rates_of(const std::vector<rank_look>& before, const std::vector<rank_look>& after, double seconds);

/// The most that one rank had by the mean of the ranks of which something is known, 1 where all had the same; 0: none had any.
struct imbalance {
  double messages = 0, bytes = 0, busy = 0;
};
imbalance imbalance_of(const std::vector<rank_rates>& ranks);

enum class order { rank, messages, bytes, waits, memory };
void sort_by(std::vector<rank_rates>& ranks, order by);
const char* name_of(order by) noexcept;

/// Lines for a terminal, a head of two or three and one for each rank; at most `lines` of them.
std::string table_of(const job_summary& job, const std::vector<rank_rates>& ranks, order by, std::size_t lines);
/// The same of what comes in, a line for each method, the most frequent first.
std::string table_of(const job_summary& job, const std::vector<detail::method_rate>& methods, std::size_t lines);
/// One JSON object; its names are an interface: docs/guide/attach.md lists them.
std::string json_of(const job_summary& job, const std::vector<rank_rates>& ranks, const std::vector<detail::method_rate>& methods,
                    double seconds);

}  // namespace armilla::top
