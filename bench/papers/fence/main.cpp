// SPDX-License-Identifier: Apache-2.0
// The fence beside the barrier of the same pattern, and barriers of threads. Paper: STAPL, section 7.2, figures 4 and 5.
#include <cstdlib>

#include "bench/papers/common/armilla_job.hpp"
#include "bench/papers/common/first_alone.hpp"
#include "bench/papers/common/measure.hpp"
#include "bench/papers/fence/in_stapl.hpp"
#include "bench/papers/fence/meetings.hpp"
#include "bench/papers/fence/options.hpp"
#include "bench/papers/fence/threads.hpp"

namespace papers {
namespace {

using namespace fences;

constexpr long checked_times = 20;  // of each sample, beside the time

struct settings {
  options how;
  std::string pattern = "auto";
};

template <class Meet, class Right>
void measure(runner<armilla_job>& run, const settings& s, const char* version, Meet meet, Right right,
             const char* source = "bench/papers/fence/meetings.hpp") {
  if (!run.wants(version)) return;
  const long times = s.how.times_of(am::ranks());
  run.measure(describe(version, source, s.pattern), work{.prepare = [] { am::fence(); },
                                                         .body = [&] { meet(times); },
                                                         .right = right,
                                                         .value = [&](double seconds) { return seconds * 1e9 / double(times); }});
}

void measure_threads(const command_line& line, const settings& s, const char* by, bool (*meet)(const seats&, long)) {
  if (!line.wants(by)) return;
  first_alone([&](const seats& threads) {
    const long times = s.how.times_of(threads.count());
    bool right = false;
    runner<alone> run(line, alone{by, threads.count()});
    run.measure(describe(by, ""), work{.prepare = [&] { right = false; },
                                       .body = [&] { right = meet(threads, times); },
                                       .right = [&] { return right; },
                                       .value = [&](double seconds) { return seconds * 1e9 / double(times); }});
  });
}

void run_all(const command_line& line, const settings& s) {
  runner<armilla_job> run(line);
  const auto waits = [](auto meet) { return [meet] { return meetings_wait(checked_times, meet); }; };
  measure(run, s, "fence", idle_fences, waits([] { am::fence(); }));
  measure(run, s, "fence-busy", busy_fences, [] { return fences_complete(checked_times); });
  const char* const stapl_source = "bench/papers/fence/in_stapl.hpp";
  measure(run, s, "rmi_fence", in_stapl::idle_fences, waits([] { stapl::rmi_fence(); }), stapl_source);
  measure(run, s, "rmi_fence-busy", in_stapl::busy_fences, [] { return fences_complete(checked_times); }, stapl_source);
  measure(run, s, "barrier", barriers, waits([] { am::barrier(); }));
#ifdef ARMILLA_PAPERS_OPENMP
  measure_threads(line, s, "openmp", openmp_barriers);
#endif
  measure_threads(line, s, "std", std_barriers);
}

}  // namespace
}  // namespace papers

int main(int argc, char** argv) {
  papers::command_line line(
      "fence", "Fences with nothing and with a one-way call under way, barriers of the same pattern, barriers of threads.",
      {"fence", "fence-busy", "rmi_fence", "rmi_fence-busy", "barrier", "openmp", "std"});
  papers::settings s;
  s.how.add_to(line);
  line.choice("--pattern", s.pattern, "of fence and barrier: auto, flat, tree, hypercube, dissemination",
              {"auto", "flat", "tree", "hypercube", "dissemination"});
  if (const auto code = line.read(argc, argv)) return *code;
  if (s.pattern != "auto") {  // each process of the job does it, before it joins
    ::setenv("ARMILLA_FENCE", s.pattern.c_str(), 1);
    ::setenv("ARMILLA_BARRIER", s.pattern.c_str(), 1);
  }
  return armilla::run(argc, argv, [&line, &s] { papers::run_all(line, s); });
}
