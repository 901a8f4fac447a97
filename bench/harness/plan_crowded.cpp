// SPDX-License-Identifier: Apache-2.0
// Suite crowded: more ranks than cores do what two ranks do, which is the baseline.
#include "bench/harness/plan.hpp"

namespace bench {

void add_crowded(std::vector<spec>& t) {
  constexpr long million = 1'000'000;
  for (const int ranks : {4, 8}) {
    const auto row = [&](const std::string& name, long size, long iterations) {
      t.push_back({.name = name + "_" + std::to_string(ranks) + "on2",
                   .suite = "crowded",
                   .row = name,
                   .size = size,
                   .iterations = iterations,
                   .baselines = {{.worker = worker_kind::armilla, .row = name, .limit = 1.5, .ranks = 2}},
                   .ranks = ranks,
                   .runs = 5});
    };
    row("for_each", 10 * million, 4);
    row("reduce", 10 * million, 4);
    row("inclusive_scan", 10 * million, 4);
    row("sort", 1 << 24, 2);
    row("copy_if", 10 * million, 4);
    row("merge", 10 * million, 4);
    row("map_update", million, 2 * million);
    row("map_find", million, 2 * million);
    row("ordered_insert", million, million / 4);
    row("queue", 0, million);
    row("work_queue", 20'000, 1);
    row("bag", 0, 2 * million);
    row("list", 0, million);
    row("disjoint_set", million, million);
    row("push_back", 0, 4 * million);
    row("texts_reduce", 0, million / 2);
  }
}

}  // namespace bench
