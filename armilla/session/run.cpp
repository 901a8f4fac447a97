// SPDX-License-Identifier: Apache-2.0
#include "armilla/run.hpp"

#include <unistd.h>

#include <algorithm>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "armilla/base/core/helper_thread.hpp"
#include "armilla/boot/watch/ending.hpp"
#include "armilla/boot/watch/failure_record.hpp"
#include "armilla/boot/wire_up/join_job.hpp"
#include "armilla/error.hpp"
#include "armilla/on_join.hpp"
#include "armilla/session/joining.hpp"
#include "armilla/session/session_state.hpp"

namespace armilla::detail {
namespace {

constexpr int could_not_start = 2;

constinit job_function join_function{};

// Before the rank starts, so that no job begins that cannot go on as it was asked to.
void require_join_function(const launch& self) {
  if (join_function.call != nullptr || (self.job->replaces == 0 && !self.new_rank)) return;
  if (self.new_rank)
    throw_usage("run",
                "this rank joins a running job, and the program does not say what it runs there; call armilla::on_join(f) before "
                "run");
  throw_usage("run",
              "ARMILLA_ON_LOSS=replace starts another process in place of a lost rank, and the program does not say what that "
              "runs; call armilla::on_join(f) before run, or set ARMILLA_ON_LOSS=continue");
}

void require_possible(const launch& self, who_runs who) try {
  if (who == who_runs::everybody) require_join_function(self);
  take_kind(self, who == who_runs::first ? program_kind::run_main : program_kind::run);
} catch (const error& why) {
  record_failure(*self.job, self.rank, failure_kind::start, 1, why.what());
  if (self.new_rank) say(why.what());
  throw;
}

int run_rank(const launch& self, const job_function& asked, who_runs who) {
  require_possible(self, who);
  session_state rank(self);
  const job_function& f = self.new_rank && who == who_runs::everybody ? join_function : asked;
  const int code = rank.run(f.call, f.function, who);
  rank.finish();
  return code != 0 ? code : int(rank.failed);
}

int run_rank_thread(const launch& self, const job_function& f, who_runs who) noexcept {
  try {
    return run_rank(self, f, who);
  } catch (const std::exception&) {
    return could_not_start;  // noted
  }
}

// Without it the others would wait for ever at their first meeting.
template <class F>
void start_rank(std::vector<std::thread>& threads, const launch& self, const F& life) {
  try {
    threads.emplace_back(life);
  } catch (const std::system_error& why) {
    const limit_error named("start", no_thread_text(("rank " + std::to_string(self.rank)).c_str(), why));
    record_failure(*self.job, self.rank, failure_kind::start, 1, named.what());
    _exit(could_not_start);
  }
}

// The calling thread is rank 0.
int run_threads(const std::vector<launch>& ranks, const job_function& f, who_runs who) {
  std::vector<int> codes(ranks.size());
  std::vector<std::thread> threads;
  for (std::size_t r = 1; r < ranks.size(); ++r)
    start_rank(threads, ranks[r], [&, r] { codes[r] = run_rank_thread(ranks[r], f, who); });
  codes[0] = run_rank_thread(ranks[0], f, who);
  for (auto& thread : threads) thread.join();
  return *std::ranges::max_element(codes);
}

}  // namespace

void set_join_function(const job_function& f) noexcept { join_function = f; }

int run_job(int argc, char** argv, rank_main call, const void* function, who_runs who) {
  const bool is_rank = started_as_rank();
  try {
    const joined_process process = join_or_supervise(argc, argv);
    const job_function f{call, function};
    return process.ranks.size() > 1 ? run_threads(process.ranks, f, who) : run_rank(process.ranks[0], f, who);
  } catch (const error& why) {      // nothing ran
    if (!is_rank) say(why.what());  // else the supervisor says it
    return could_not_start;
  }
}

}  // namespace armilla::detail

namespace armilla {

bool joined() { return detail::here("joined").session->self.new_rank; }

}  // namespace armilla
