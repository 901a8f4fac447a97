// SPDX-License-Identifier: Apache-2.0
// Rank 0 sends k pings to rank 1, which then sends a pong: by one-way calls, by two-way calls, in STAPL's words, and by a shared
// flag; so many pings in a message. Paper: STAPL, section 7.1, table 1, figures 2 and 3.
#include "bench/papers/common/armilla_job.hpp"
#include "bench/papers/common/measure.hpp"
#include "bench/papers/ping/flag.hpp"
#include "bench/papers/ping/in_stapl.hpp"
#include "bench/papers/ping/one_way_calls.hpp"

namespace papers {
namespace {

using namespace pings;

/// The ranks of a job, without Armilla's messages.
struct line_job : armilla_job {
  std::string by() const { return "line"; }
};

constexpr am::rank_t partner = 1;  // the receiver

/// `play` makes all moves of rank 0 (and of rank 1, if it takes part).
template <job Job, class Play>
void measure(runner<Job>& run, const game& g, record r, Play&& play) {
  run.measure(std::move(r), work{.prepare =
                                     [] {
                                       am::barrier();  // no rank plays any more
                                       *mine = {};
                                       am::barrier();
                                     },
                                 .body =
                                     [&] {
                                       play();
                                       am::barrier();
                                     },
                                 .right =
                                     [&] {
                                       const bool got = am::rank() != partner || mine->got == g.expected();
                                       return got && (am::rank() != 0 || mine->pongs == g.rounds);
                                     },
                                 .value = [&](double seconds) { return g.ns_per_ping(seconds); }});
}

void measure_messages(runner<armilla_job>& run, const game& g, std::uint64_t together) {
  const std::size_t before = am::aggregation();
  am::set_aggregation(together == 1 ? 0 : together * sizeof(ping));
  const auto by = [&](const char* version, auto play) {
    if (run.wants(version))
      measure(run, g, options::describe(version, g, together, "bench/papers/ping/one_way_calls.hpp"), [&] {
        if (am::rank() == 0) play(partner, g);
      });
  };
  by("one_way_calls", ping_by_one_way_calls);
  by("two_way_calls", ping_by_two_way_calls);
  am::set_aggregation(before);
}

/// The factor counts messages, whatever fits into a buffer.
void measure_stapl(runner<armilla_job>& run, const game& g, std::uint64_t together) {
  in_stapl::player here;
  const stapl::rmi_object<in_stapl::player> registered(&here);
  const std::size_t before = am::aggregation();
  am::set_aggregation(together == 1 ? 0 : 4 * together * sizeof(ping));
  stapl::set_aggregation_factor(together == 1 ? 0 : int(together));
  const auto by = [&](const char* version, auto play) {
    if (run.wants(version))
      measure(run, g, options::describe(version, g, together, "bench/papers/ping/in_stapl.hpp"), [&] {
        if (am::rank() == 0) (here.*play)(partner, g);
      });
  };
  by("async_rmi", &in_stapl::player::ping_by_async_rmi);
  by("sync_rmi", &in_stapl::player::ping_by_sync_rmi);
  stapl::set_aggregation_factor(0);
  am::set_aggregation(before);
  stapl::rmi_fence();
}

void measure_flag(runner<line_job>& run, const game& g) {
  if (!run.wants("flag")) return;
  flagged_ping *const here = &flags.local(), *const there = am::rank() > 1 ? nullptr : flags.on(1 - am::rank()).local();
  const bool mapped = am::rank() > 1 || there != nullptr;
  if (!am::all_reduce(mapped, [](bool a, bool b) { return a && b; })) return;  // nothing is shared
  measure(run, g, options::describe("flag", g, "bench/papers/ping/flag.hpp"), [&] {
    if (am::rank() < 2) ping_by_flag(*here, *there, am::rank() == 0, g);
  });
}

void run_all(const command_line& line, const options& how) {
  runner<armilla_job> run(line);
  runner<line_job> run_flag(line);
  for (const std::uint64_t k : how.pings) {
    for (const std::uint64_t together : how.together) {
      measure_messages(run, how.of(k), together);
      measure_stapl(run, how.of(k), together);
    }
    measure_flag(run_flag, how.of(k));
  }
}

}  // namespace
}  // namespace papers

int main(int argc, char** argv) {
  papers::command_line line(
      "ping", "Pings from rank 0 to rank 1, then a pong: by one-way calls, by two-way calls, in STAPL's words, by a shared flag.",
      {"one_way_calls", "two_way_calls", "async_rmi", "sync_rmi", "flag"});
  pings::options how({1, 8, 16, 32, 64, 128, 256, 512});
  how.add_to(line);
  if (const auto code = line.read(argc, argv)) return *code;
  return papers::run_on(2, line, argc, argv, [&line, &how] { papers::run_all(line, how); });
}
