// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/children/child.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <csignal>

#include <fmt/format.h>

#include "armilla/base/values/clock.hpp"
#include "armilla/boot/host/units.hpp"
#include "armilla/boot/wire_up/new_rank.hpp"

// Model: tests/models/order/losses.rs
// Model: tests/models/protocols/end.pml
namespace armilla::detail {
namespace {

constexpr std::uint64_t short_life_ns = 100 * milli;
constexpr int most_short_lives = 10;  // of one place in a row: its program cannot live there

void note_short_life(child& c) {
  const bool brief = c.began != 0 && now_ns() - c.began < short_life_ns;
  c.short_lives = brief ? c.short_lives + 1 : 0;
}

// One that has ended by itself, by a code or an exception, would do so again; or another is lost, and it had nothing to go on
// with.
bool can_be_replaced(const job_block& job, const child& c) {
  return job.replaces != 0 && c.short_lives < most_short_lives && WIFSIGNALED(c.status) &&
         job.rank[c.first].stage.load(std::memory_order_acquire) <= rank_stage::running;
}

}  // namespace

void vacate(const job_block& job, child& c) {
  note_short_life(c);
  c.place = can_be_replaced(job, c) ? child::state::lost : child::state::given_up;
}

std::string why_given_up(const child& c) {
  if (c.short_lives < most_short_lives) return "";
  return fmt::format("{} processes in a row lived less than {} ms, so the rank is not replaced again", c.short_lives,
                     short_life_ns / milli);
}

bool is_refused(const child& c) noexcept { return WIFEXITED(c.status) && WEXITSTATUS(c.status) == not_needed_exit_code; }

bool try_again(child& c) { return !c.joins && ++c.short_lives < most_short_lives; }

bool finished(const job_plan& plan, const child& c) {
  for (rank_t r = c.first; r <= c.last; ++r)
    if (plan.job->rank[r].stage.load(std::memory_order_acquire) != rank_stage::finished) return false;
  return true;
}

bool noted_by(const job_plan& plan, const child& c) {
  const failure_record& record = plan.job->failure;
  return record.stage.load(std::memory_order_acquire) == 2 && record.rank <= c.last &&
         (record.rank >= c.first || record.rank < 0);
}

void end_new_rank(child& c) noexcept {
  if (c.alive) kill(c.pid, SIGKILL);
  if (c.place != child::state::coming) c.place = child::state::given_up;
}

ending base_of(const job_plan& plan, const child& c) {
  ending e;
  e.first = c.first;
  e.last = c.last;
  e.pid = plan.job->rank[c.first].pid.load(std::memory_order_relaxed);
  e.program = plan.program_of[std::size_t(c.first)]->arguments[0];
  return e;
}

void set_how(ending& e, int exec_error, int status, bool finished, bool joined) {
  if (exec_error != 0) {
    e.kind = ending::how::not_started;
    e.code = exec_error;
    e.pid = 0;
  } else if (WIFSIGNALED(status)) {
    e.kind = ending::how::signal;
    e.code = WTERMSIG(status);
    e.core = WCOREDUMP(status);
  } else {
    e.code = WEXITSTATUS(status);
    e.kind = finished ? ending::how::code : joined ? ending::how::exited : ending::how::never_joined;
  }
}

std::optional<ending> look_at(const job_plan& plan, const child& c) {
  if (c.alive) return std::nullopt;
  ending e = base_of(plan, c);
  const rank_record& record = plan.job->rank[c.first];
  const bool joined = record.stage.load(std::memory_order_acquire) != rank_stage::absent;
  set_how(e, record.exec_error, c.status, finished(plan, c), joined);
  e.out_of_memory = e.kind == ending::how::signal && e.code == SIGKILL && plan.killed_for_memory.since_start() != 0;
  if (e.code == 0 && e.kind == ending::how::code) return std::nullopt;
  return e;
}

namespace {

// It ended because another did, or may have: the end of that one will be seen in a moment.
bool is_secondary(const job_plan& plan, const child& c) { return noted_by(plan, c) && !plan.job->failure.is_primary(); }

// While a rank writes its record, a second one may fail, tell its loss, and a third one end because of that: it is not the cause.
std::optional<ending> first_told(const job_plan& plan, const std::vector<child>& children) {
  const departure& log = plan.job->departures[0];
  if (log.complete.load(std::memory_order_acquire) == 0) return std::nullopt;
  for (const child& c : children) {
    if (log.first < c.first || c.last < log.first) continue;
    ending e = base_of(plan, c);
    e.kind = ending::how::lost;
    e.first = log.first;
    e.last = log.last;
    e.text = log.cause;
    return e;
  }
  return std::nullopt;
}

}  // namespace

// An error that arose by itself is the cause, whatever has happened to other ranks since. Before one that may be a consequence
// comes a rank that was killed by a signal. An abort is a rank's own doing, and recorded by it; if the record is another's, both
// failed together and the first one counts.
std::optional<ending> find_failure(const job_plan& plan, const std::vector<child>& children) {
  if (plan.job->failure.is_primary()) return from_record(*plan.job);
  std::optional<ending> other;
  for (const child& c : children) {
    if (noted_by(plan, c)) continue;
    const auto e = look_at(plan, c);
    if (e && e->kind == ending::how::signal && e->code != SIGABRT) return e;
    if (e && !other) other = e;
  }
  if (other && std::ranges::any_of(children, [&](const child& c) { return is_secondary(plan, c); })) return other;
  if (std::ranges::any_of(children, [&](const child& c) { return c.alive && is_secondary(plan, c); })) return std::nullopt;
  const std::uint32_t noted = plan.job->failure.stage.load(std::memory_order_acquire);
  if (noted == 2) return from_record(*plan.job);
  if (other && noted == 1)
    if (auto e = first_told(plan, children)) return e;
  return other;
}

}  // namespace armilla::detail
