// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/wire_up/join_job.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <numeric>

#include <fmt/format.h>

#include "armilla/base/core/options.hpp"
#include "armilla/boot/host/bootstrap.hpp"
#include "armilla/boot/host/build_id.hpp"
#include "armilla/boot/host/control_block.hpp"
#include "armilla/boot/host/descriptor.hpp"
#include "armilla/boot/host/exploration.hpp"
#include "armilla/boot/host/host_memory.hpp"
#include "armilla/boot/host/membership.hpp"
#include "armilla/boot/watch/ending.hpp"
#include "armilla/boot/watch/failure_record.hpp"
#include "armilla/boot/watch/tell_loss.hpp"
#include "armilla/boot/wire_up/gathering.hpp"
#include "armilla/boot/wire_up/launcher.hpp"
#include "armilla/boot/wire_up/new_rank.hpp"
#include "armilla/error.hpp"

// Model: tests/models/protocols/end.pml
namespace armilla::detail {
namespace {

int number_in(const char* variable) {
  const char* text = std::getenv(variable);
  char* end = nullptr;
  const long n = text != nullptr ? std::strtol(text, &end, 10) : -1;
  if (text == nullptr || *text == 0 || *end != 0 || n < 0 || n > INT_MAX)
    throw_usage("start",
                fmt::format("{}='{}' is damaged; start the program by itself or by armilla-run", variable, text ? text : ""));
  return int(n);
}

// The supervisor did this for its own children before they ran. A rank started through another program (a shell, a debugger) has
// that one for its parent, which the supervisor's end kills in turn.
void die_with_parent(pid_t supervisor) noexcept {
  const pid_t parent = getppid();
  if (parent == supervisor) return;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const bool gone = kill(supervisor, 0) != 0 && errno == ESRCH;
  if (gone || getppid() != parent) std::raise(SIGKILL);
}

// Some systems let a process read the memory of its descendants only (ptrace_scope 1); ranks are each other's siblings.
void open_to_siblings(const job_block& job, const options& settings) noexcept {
  if (job.supervisor > 0 && settings.cross_copy) prctl(PR_SET_PTRACER, static_cast<unsigned long>(job.supervisor));
}

struct place_in_job {
  int memory, rank;
};

place_in_job find_place() try {
  const place_in_job place{number_in(job_variable), number_in(rank_variable)};
  unsetenv(job_variable);
  unsetenv(rank_variable);
  exploration_here();  // before its name goes: a job that this rank starts is another one
  unsetenv(exploration_variable);
  return place;
} catch (const error& why) {
  say(why.what());  // and no job to note it in
  throw;
}

void require_sound(const job_block& job, int rank) {
  if (job.magic != job_block::good_magic) throw_usage("start", "the launcher's description of the job is damaged");
  if (job.version != job_block::good_version)
    throw_usage("start",
                fmt::format("rank {} was built with version {} of Armilla's wire, the launcher with version {}; build all "
                            "programs of the job and the launcher from one version of Armilla",
                            rank, job_block::good_version, job.version));
  if (job.places > job_block::max_ranks || job.locals.count > most_local_ranks || !job.locals.holds(rank) ||
      job.spare_places >= job.places || job.program_count > job_block::max_programs || std::uint32_t(rank) >= job.places)
    throw_usage("start", "the launcher's description of the job is damaged");
}

std::vector<program_entry> programs_of(const job_block& job, rank_t self) {
  std::vector<program_entry> programs(job.program_count);
  for (std::uint32_t i = 0; i < job.program_count; ++i) programs[i].name = job.program_names[i];
  for (rank_t r = 0; r < rank_t(job.places); ++r)
    if (job.was_taken(r) || r == self) programs.at(job.rank[r].program).ranks.push_back(r);
  return programs;
}

job_block& map_block(int descriptor, int rank) try {
  auto& first = *reinterpret_cast<job_block*>(map_host_memory(descriptor, host_layout::job_bytes));
  require_sound(first, rank);
  return first;
} catch (const error& why) {
  say(why.what());
  throw;
}

job_block& map_job(int descriptor, int rank) {
  auto& first = map_block(descriptor, rank);
  try {
    return *reinterpret_cast<job_block*>(map_host_memory(descriptor, layout_of(first).total()));
  } catch (const error& why) {
    record_failure(first, rank, failure_kind::start, 1, why.what());
    throw;
  }
}

// A rank may have variables of its own, by a script between: where all must do the same, what the job was started with counts.
void share_options(job_block& job, int rank, options& settings) {
  const auto bytes = std::min<std::size_t>(job.options_bytes, sizeof job.options);
  const auto overruled = settings.take_shared({job.options, bytes});
  if (overruled.here.empty() || job.options_told.exchange(1, std::memory_order_relaxed) != 0) return;
  say(fmt::format("armilla: rank {} has {}, the job was started with {}: all ranks go by that; set this alike for all", rank,
                  overruled.here, overruled.there));
}

}  // namespace

void announce(job_block& job, rank_t rank, std::uint64_t build) noexcept {
  job.rank[rank].pid.store(getpid(), std::memory_order_relaxed);
  job.rank[rank].build = build;
  setenv(joined_variable, "1", 1);
  job.rank[rank].stage.store(rank_stage::joined, std::memory_order_release);
}

launch describe_launch(job_block& job, rank_t rank, const options& settings) {
  launch self;
  self.rank = rank;
  self.places = rank_t(job.places);
  self.spare_places = rank_t(job.spare_places);
  self.program = job.rank[rank].program;
  self.programs = programs_of(job, rank);
  self.new_rank = is_new_rank(job, rank);
  self.threads = job.threads != 0;
  self.cores = job.cores;
  self.processors = job.processors;
  self.oversubscribed = std::uint32_t(job.world_size()) > job.processors;
  self.host_base = reinterpret_cast<std::byte*>(&job);
  self.layout = layout_of(job);
  self.job = &job;
  self.settings = &settings;
  return self;
}

bool started_as_rank() noexcept { return std::getenv(job_variable) != nullptr; }

std::vector<launch> join_job(options& settings) {
  const place_in_job place = find_place();
  job_block& job = map_job(place.memory, place.rank);
  close(place.memory);  // the mapping keeps it, and what this rank starts shall not inherit it
  if (job.supervisor > 0) die_with_parent(job.supervisor);
  if (is_new_rank(job, place.rank)) clear_control(job, place.rank);
  answer_signals(job, place.rank);
  if (job.label != 0) std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);  // the supervisor labels whole lines
  try {
    settings = options::from_environment();
    share_options(job, place.rank, settings);
  } catch (const error& why) {
    record_failure(job, place.rank, failure_kind::start, 1, why.what());
    throw;
  }
  settings.ranks = int(job.world_size());
  open_to_siblings(job, settings);
  std::vector<launch> here;
  const std::uint64_t build = build_id();
  const bool all = job.threads != 0;
  for (rank_t r = all ? 0 : place.rank; r < (all ? rank_t(job.places) : place.rank + 1); ++r) {
    announce(job, r, build);
    here.push_back(describe_launch(job, r, settings));
  }
  prefer_large_pages(here.front().host_base, here.front().layout, settings);
  return here;
}

launch join_alone(const options& settings, const char* name) {
  std::string note;
  const host_layout layout = layout_within_limit(1, settings, note);
  if (!note.empty()) say(note);
  auto host_memory = std::make_shared<descriptor>(create_host_memory(layout));
  std::byte* const base = map_host_memory(host_memory->get(), layout.total());
  prefer_large_pages(base, layout, settings);
  auto& job = *reinterpret_cast<job_block*>(base);
  job.magic = job_block::good_magic;
  job.version = job_block::good_version;
  job.places = job.locals.count = job.program_count = 1;
  job.ring_bytes = layout.ring_bytes;
  job.segment_bytes = layout.segment_bytes;
  cpu_set_t allowed;
  job.cores = job.processors = sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? std::uint32_t(CPU_COUNT(&allowed)) : 1;
  std::snprintf(job.program_names[0], job_block::max_name, "%s", name);
  for (auto& cpu : job.rank[0].cpu) cpu = -1;
  answer_signals(job, 0);
  announce(job, 0, build_id());
  launch self = describe_launch(job, 0, settings);
  self.host_memory = std::move(host_memory);
  return self;
}

void meet(const launch& self, std::uint32_t point) {
  // Where armilla-run has to know that the start is over, it is asked even by ranks that share all memory.
  if (!self.host_of.empty() || self.left != nullptr) {
    if (!self.started->meet())
      throw_limit("meet", fmt::format("the ranks cannot meet by {}: {}", self.started->name(), self.started->error()));
    return;
  }
  auto& arrived = self.job->arrived[point];
  const auto word = reinterpret_cast<std::uint32_t*>(&arrived);
  const auto ranks = std::uint32_t(self.world_size());
  std::uint32_t n = arrived.fetch_add(1, std::memory_order_acq_rel) + 1;
  const std::uint32_t all = (n + ranks - 1) / ranks * ranks;  // no rank begins a meeting before the last is over
  if (n == all) {
    syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
    return;
  }
  for (; n < all; n = arrived.load(std::memory_order_acquire)) syscall(SYS_futex, word, FUTEX_WAIT, n, nullptr, nullptr, 0);
}

// No loss wakes this futex, so it is looked for now and then.
void meet_living(const launch& self, std::uint32_t point) {
  if (self.left != nullptr) {
    const gathering_row row{gathering_row::kind::meeting, point};
    std::vector<rank_t> all(std::size_t(self.places));
    std::iota(all.begin(), all.end(), 0);
    self.left->ask(row, 1, all, {});
    self.left->await_answer(row);
    return;
  }
  job_block& job = *self.job;
  std::atomic<std::uint32_t>& arrived = job.arrived[point];
  const auto word = reinterpret_cast<std::uint32_t*>(&arrived);
  job.met[self.rank].store(std::uint8_t(point), std::memory_order_release);
  arrived.fetch_add(1, std::memory_order_acq_rel);
  syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
  const timespec patience{0, 5'000'000};
  for (rank_t r = 0; r < self.places; ++r)
    for (;;) {
      const std::uint32_t n = arrived.load(std::memory_order_acquire);
      if (job.met[r].load(std::memory_order_acquire) >= point || job.why_left(r) != nullptr) break;
      syscall(SYS_futex, word, FUTEX_WAIT, n, &patience, nullptr, 0);
    }
}

void require_same_build(const launch& self) {
  const auto& job = *self.job;
  const auto& program = self.programs[self.program];
  for (rank_t other : program.ranks)
    if (job.life(other).now == presence::living && job.rank[other].build != job.rank[self.rank].build)
      throw_usage("start", fmt::format("ranks {} and {} run different builds of {}; start all of them from one file", other,
                                       self.rank, program.name));
}

}  // namespace armilla::detail
