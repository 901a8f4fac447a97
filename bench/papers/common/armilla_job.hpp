// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdlib>
#include <string>

#include <armilla/armilla.hpp>

#include "bench/papers/common/command_line.hpp"
#include "bench/papers/common/measure.hpp"

namespace papers {

/// The ranks of a job of Armilla. See measure.hpp.
struct armilla_job {
  int rank() const { return armilla::rank(); }
  int ranks() const { return armilla::ranks(); }
  std::string by() const { return "armilla"; }
  /// As the job has chosen; "-by-message": nothing is loaded or stored directly.
  std::string fabric() const {
    const char* const by_message = std::getenv("ARMILLA_ACCESS_BY_MESSAGE");
    return armilla::fabric() + (by_message == nullptr || *by_message == '0' ? "" : "-by-message");
  }
  void barrier() const { armilla::barrier(); }
  double greatest(double x) const {
    return armilla::world().all_reduce(x, [](double a, double b) { return a < b ? b : a; });
  }
};

/// Where the time of the measured parts went, of all ranks, with ARMILLA_STATS=timing; otherwise it does nothing.
template <>
class meter<armilla_job> {
 public:
  void begin() {
    if (on_) before_ = armilla::stats();
  }
  void end() {
    if (on_) took_ += armilla::stats() - before_;
  }
  /// Collective. Null without times.
  json of_all(const armilla_job&) const {
    if (!on_) return {};
    const auto sum = [](double x) { return armilla::world().all_reduce(x, [](double a, double b) { return a + b; }); };
    const armilla::component_times& t = took_.time;
    return {{"cpu", sum(t.cpu)},
            {"net", sum(t.net)},
            {"thread_mgmt", sum(t.thread_management)},
            {"thread_sync", sum(t.thread_synchronisation)},
            {"runtime", sum(t.runtime)},
            {"wall", sum(took_.seconds)},
            {"borders", sum(double(took_.borders))}};
  }

 private:
  bool on_ = armilla::stats().time.sum() > 0;
  armilla::statistics before_, took_;
};

/// Runs `f` on the ranks of the job; where they are fewer than `least`, says so and returns 2.
template <class F>
int run_on(int least, const command_line& line, int argc, char** argv, F f) {
  return armilla::run(argc, argv, [&line, least, f] {
    if (armilla::ranks() >= least) return f(), 0;
    return armilla::rank() == 0 ? line.refuse_ranks(armilla::ranks(), least) : 0;
  });
}

/// From here on ranks reach each other's memory by messages although it is mapped. Before `run`: each process of the job does it.
inline void cut_short_cut() { ::setenv("ARMILLA_ACCESS_BY_MESSAGE", "1", 1); }

}  // namespace papers
