// SPDX-License-Identifier: Apache-2.0
// What a rank shows to those that look at it from outside.
#include "armilla/client/look.hpp"

#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <utility>

#include <fmt/format.h>

#include "armilla/attach.hpp"
#include "armilla/base/values/clock.hpp"
#include "armilla/boot/host/control_block.hpp"
#include "armilla/boot/visitors/job_search.hpp"
#include "armilla/boot/watch/posted_text.hpp"
#include "armilla/client/client_state.hpp"
#include "armilla/client/remote_look.hpp"
#include "armilla/stats/counter_table.hpp"

namespace armilla {
namespace {

using detail::control_block;
using detail::job_block;
using detail::rank_stage;

double seconds_since(std::uint64_t then, std::uint64_t now) noexcept { return now > then ? double(now - then) * 1e-9 : 0; }

// The rank goes on counting: each counter is read at once, all of them one after the other.
void read_counters(const detail::counters& from, statistics& to) {
  for (const detail::counter_row& row : detail::counter_table())
    to.*row.member = __atomic_load_n(&(from.*row.member), __ATOMIC_RELAXED);
}

std::uint64_t memory_of(int process) {
  std::uint64_t size = 0, resident = 0;
  std::ifstream(fmt::format("/proc/{}/statm", process)) >> size >> resident;
  return resident * std::uint64_t(sysconf(_SC_PAGESIZE));
}

// The kernel counts by process: threads of one cannot be told apart.
double cpu_of(int process) noexcept {
  clockid_t clock{};
  timespec used{};
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &used) != 0) return 0;
  return double(used.tv_sec) + double(used.tv_nsec) * 1e-9;
}

void look_at_running(const control_block& rank, rank_look& result) {
  const std::uint64_t idle = rank.idle.load(std::memory_order_acquire), now = detail::now_ns();
  if (idle != 0) {
    result.doing = "waiting";
    result.seconds = seconds_since(idle >> 1, now);
    result.waits_for = detail::posted_text(rank.waits_for);
    return;
  }
  const std::uint64_t looked = rank.looked.load(std::memory_order_relaxed);
  result.doing = "busy";
  result.seconds = looked != 0 ? seconds_since(looked, now) : 0;
}

const char* stage_name(rank_stage stage) noexcept {
  switch (stage) {
    case rank_stage::absent:
    case rank_stage::joined: return "starting";
    case rank_stage::running: return "busy";
    case rank_stage::ending: return "ending";
    case rank_stage::finished: return "finished";
  }
  return "";
}

// The pages of a process that has ended keep its last state, so ask the kernel whether it still lives.
void look_at_process(rank_look& result) {
  const char state = detail::process_state(result.process);
  if (state == 'T' || state == 't') result.doing = "stopped";
  if (result.doing != "finished" && (state == 0 || state == 'Z')) result.doing = "gone";
  if (result.doing != "gone") result.memory = memory_of(result.process);
}

void add_other_hosts(const detail::job_memory& memory, std::vector<rank_look>& ranks) {
  for (rank_look& far : detail::ask_agents(memory))
    if (far.rank >= 0 && std::size_t(far.rank) < ranks.size() && !ranks[std::size_t(far.rank)].here)
      ranks[std::size_t(far.rank)] = std::move(far);
}

}  // namespace

namespace detail {

rank_look look_at(const job_memory& memory, rank_t r) {
  job_block& job = memory.job();
  const rank_record& record = job.rank[r];
  const rank_stage stage = record.stage.load(std::memory_order_acquire);
  rank_look result;
  result.rank = r;
  result.process = record.pid.load(std::memory_order_relaxed);
  result.program = memory.program(r);
  result.doing = stage_name(stage);
  // Under a launcher the ranks of this host alone know this memory.
  result.here = result.known = result.process > 0;
  if (!result.here) return result.doing.clear(), result;
  const control_block& control = control_of(job, r);
  if (stage == rank_stage::running) look_at_running(control, result);
  look_at_process(result);
  if (job.threads == 0) result.cpu = cpu_of(result.process);
  result.algorithm = detail::posted_text(control.algorithm);
  read_counters(control.count, result.counts);
  result.segment = memory.resident(memory.layout().segment(job.locals.of(r)), memory.layout().segment_bytes);
  return result;
}

std::string what_it_does(const rank_look& rank) {
  if (rank.doing == "stopped") return "is stopped by a signal";
  if (rank.doing == "waiting") return fmt::format("sleeps in {}, and was woken", rank.waits_for);
  if (rank.doing != "busy") return fmt::format("is {}", rank.doing);
  return rank.seconds > 0
             ? fmt::format("is busy, and last looked for messages {:.1f} s ago: it computes, or is outside of the library",
                           rank.seconds)
             : "is busy, and has not waited yet: it computes, or is outside of the library";
}

}  // namespace detail

std::vector<rank_look> client::look() const {
  std::vector<rank_look> result;
  for (rank_t r = 0; r < ranks(); ++r) result.push_back(detail::look_at(state_->memory(), r));
  if (!std::ranges::all_of(result, &rank_look::here)) add_other_hosts(state_->memory(), result);
  return result;
}

}  // namespace armilla
