// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "bench/harness/row.hpp"

namespace bench {

/// Raw round trip of a cache line between the cores of ranks 0 and 1, ns: two lines, one writer each. Collective; 0 on
/// the other ranks and where there is one rank only.
double yardstick(row_context& c);

/// Serves one rank of a worker: does the coordinator's commands until it says end. Each row is taken between two yardsticks.
void serve(const std::string& coordinator, int rank, int ranks, const row_table& rows);

}  // namespace bench
