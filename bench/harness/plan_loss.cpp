// SPDX-License-Identifier: Apache-2.0
// Suite loss: how long the others wait for what a lost rank will never do.
#include "bench/harness/plan.hpp"

namespace bench {

void add_loss(std::vector<spec>& t) {
  const auto row = [&](const char* name, worker_kind who, long deaths, double limit_ms, int runs, int ranks = 4) {
    t.push_back({.name = name,
                 .suite = "loss",
                 .row = name,
                 .unit = "ms",
                 .iterations = deaths,
                 .limit_value = limit_ms,
                 .ranks = ranks,
                 .runs = runs,
                 .worker = who});
  };
  row("loss_local", worker_kind::mourners, 10, 1000, 10);
  row("survivors_ready", worker_kind::mourners, 10, 10, 10, 8);
  row("fence_ready", worker_kind::mourners, 10, 10, 10, 8);
  row("replaced_ready", worker_kind::mourners, 10, 100, 10, 8);
  row("loss_hosts", worker_kind::mourners_on_hosts, 1, 3000, 3);  // the time-out of the row, 2 s, and one
}

}  // namespace bench
