// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/wire_up/launched_end.hpp"

#include <unistd.h>

#include <cstdio>
#include <utility>

#include "armilla/base/core/helper_thread.hpp"
#include "armilla/base/core/options.hpp"
#include "armilla/boot/watch/ending.hpp"
#include "armilla/boot/watch/failure_record.hpp"
#include "armilla/boot/watch/tell_loss.hpp"
#include "armilla/boot/wire_up/agent_line.hpp"
#include "armilla/error.hpp"

namespace armilla::detail {
namespace {

constexpr unsigned others_speak_within_s = 5;
constexpr unsigned launcher_reads_us = 100'000;  // what was said: MPICH's forgets it when the job is aborted before

void end_launched(bootstrap* started, const job_block& job, rank_t rank, const std::function<void()>& meanwhile) {
  if (started == nullptr) return;
  agent_line* const line = started->to_agent();
  if (line != nullptr && line->inherited_memory() >= 0) return;  // the job goes on without it
  if (job.goes_on != 0 && job.rank[rank].stage.load(std::memory_order_acquire) >= rank_stage::running) return;  // its agent tells
  for (unsigned waited = 0; job.failure.stage.load(std::memory_order_acquire) != 2 && waited < 1000; ++waited) usleep(1000);
  ending how = from_record(job);
  if (line != nullptr) how.host = line->host();
  // Another rank of this host was first: ours is most likely its consequence, and the launcher is about to end us.
  if (how.first != rank) {
    if (line != nullptr) line->tell_over();
    if (meanwhile) meanwhile();
    let_others_speak();
  } else if (line != nullptr) {
    line->tell_failure(exit_code(how), job.failure.is_primary(), account_of(how));
  } else {
    say_to_launcher(report_of(account_of(how)));
  }
  if (how.first == rank && meanwhile) meanwhile();
  if (line != nullptr) let_others_speak();  // it stops all of us
  started->abort(exit_code(how));
}

}  // namespace

void end_launched(const launch& self, const std::function<void()>& meanwhile) noexcept {
  end_launched(self.started, *self.job, self.rank, meanwhile);
}

void end_launched(bootstrap* started, const job_block& job, rank_t rank) noexcept { end_launched(started, job, rank, {}); }

void end_after_loss(const launch& self, rank_t lost) noexcept try {
  const departure* const known = self.job->why_left(lost);
  const bool speaks = record_failure(*self.job, lost, failure_kind::lost, 1, known != nullptr ? known->cause : "is lost");
  end_soon(*self.started, self.settings->loss_grace_ns, [started = self.started, job = self.job, lost, speaks] {
    if (speaks)
      say_loss(*started, *job, lost);
    else
      let_others_speak();
  });
} catch (...) { self.started->abort(1); }

void say_to_launcher(const std::string& text) {
  say(text);
  usleep(launcher_reads_us);
}

void say_loss(bootstrap& started, const job_block& job, rank_t lost) {
  ending what = from_record(job);
  if (const departure* const known = job.why_left(lost)) what.host = known->host;
  agent_line* const line = started.to_agent();
  if (line == nullptr) return say(report_of(account_of(what)));
  line->tell_failure(exit_code(what), false, account_of(what));
  let_others_speak();  // it stops all of us
}

void let_others_speak() { sleep(others_speak_within_s); }

void end_soon(bootstrap& started, std::uint64_t grace_ns, std::function<void()> speak) {
  start_helper_thread("ending", [&started, grace_ns, speak = std::move(speak)] {
    usleep(useconds_t(grace_ns / 1000));
    std::fflush(stdout);
    speak();
    started.abort(1);
  }).detach();
}

}  // namespace armilla::detail
