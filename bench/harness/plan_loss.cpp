// SPDX-License-Identifier: Apache-2.0
// Suite loss: how long the others wait for what a lost rank will never do, and what a job pays that is ready for it.
#include <utility>

#include "armilla/base/host/memory_left.hpp"
#include "bench/harness/plan.hpp"

namespace bench {
namespace {

/// A job that would outlive a rank, beside one that would not; none dies.
void add_readiness(std::vector<spec>& t) {
  const auto row = [&](const std::string& name, const std::string& worker_row, long iterations) {
    t.push_back({.name = name + "_goes_on",
                 .suite = "loss",
                 .row = worker_row,
                 .iterations = iterations,
                 .baselines = {{worker_kind::armilla, worker_row, 1.01}},
                 .worker = worker_kind::goes_on});
  };
  row("call_empty", "call_empty", 3000);
  row("async_oneway", "async_oneway", 200'000);
  row("barrier", "barrier", 3000);
  row("fence_idle", "fence_idle", 3000);
  row("all_reduce", "reduce_all", 3000);
}

/// 1 GiB, or what leaves half of this host's memory free: two ranks have a part, two copies and a copy for the baseline each.
long copied_bytes() {
  long bytes = 1L << 30;
  while (bytes > 64L << 20 && armilla::detail::memory_left() / 2 < 8 * std::uint64_t(bytes)) bytes /= 2;
  return bytes;
}

/// Copies of a container, of all ranks together.
void add_copies(std::vector<spec>& t) {
  const auto row = [&](const std::string& name, long iterations, baseline beside) {
    t.push_back({.name = name,
                 .suite = "loss",
                 .row = name,
                 .unit = "ms",
                 .size = copied_bytes(),
                 .quick_size = 64L << 20,
                 .iterations = iterations,
                 .baselines = {std::move(beside)},
                 .ranks = 2,
                 .runs = 7,
                 .worker = worker_kind::goes_on});
  };
  row("checkpoint", 3, {worker_kind::goes_on, "copy_to_next", 1.1});
  row("save", 1, {worker_kind::goes_on, "dd", 1.3});
}

}  // namespace

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
  add_readiness(t);
  add_copies(t);
  row("loss_hosts", worker_kind::mourners_on_hosts, 1, 3000, 3);  // the time-out of the row, 2 s, and one
}

}  // namespace bench
