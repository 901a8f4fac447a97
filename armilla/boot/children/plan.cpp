// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/children/plan.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>

#include "armilla/base/core/options.hpp"
#include "armilla/base/values/limits.hpp"
#include "armilla/boot/host/host_memory.hpp"
#include "armilla/boot/host/membership.hpp"
#include "armilla/boot/host/pin.hpp"
#include "armilla/boot/watch/ending.hpp"
#include "armilla/error.hpp"

namespace armilla::detail {
namespace {

bool same_file(const std::string& a, const std::string& b) {
  struct stat first{}, second{};
  return a == b || (stat(a.c_str(), &first) == 0 && stat(b.c_str(), &second) == 0 && first.st_dev == second.st_dev &&
                    first.st_ino == second.st_ino);
}

// For each entry the number of its program.
std::vector<std::uint32_t> number_programs(const std::vector<program_spec>& programs) {
  std::vector<std::uint32_t> number;
  std::vector<const program_spec*> distinct;
  for (const auto& one : programs) {
    std::uint32_t n = 0;
    while (n < distinct.size() && !same_file(distinct[n]->path, one.path)) ++n;
    if (n == distinct.size()) distinct.push_back(&one);
    number.push_back(n);
  }
  return number;
}

bool has_other_progress(const options& settings) noexcept {
  return settings.progress == progress_mode::thread || settings.progress == progress_mode::signal;
}

// For ranks that join later.
void require_places(long long ranks, const options& settings) {
  if (settings.max_ranks == 0) return;
  const std::string asked = "ARMILLA_MAX_RANKS=" + settings.get("max_ranks");
  if (settings.max_ranks < ranks)
    throw_usage("start", fmt::format("{}, and the job starts with {} ranks already; set it to as many or more", asked, ranks));
  if (settings.max_ranks == ranks) return;
  if (settings.on_loss == loss_use::end)
    throw_usage("start", asked +
                             " lets ranks join the running job, which has to go on when one of them is lost; set "
                             "ARMILLA_ON_LOSS=continue, or replace");
  if (has_other_progress(settings))
    throw_usage("start", fmt::format("{} with ARMILLA_PROGRESS_MODE={}: ranks join only where ranks poll; unset "
                                     "ARMILLA_PROGRESS_MODE",
                                     asked, settings.get("progress_mode")));
  if (!(settings.record.empty() && settings.replay.empty()))
    throw_usage("start", asked +
                             " with ARMILLA_RECORD or ARMILLA_REPLAY: these handle only the ranks of the start; "
                             "unset ARMILLA_MAX_RANKS");
}

// Where ranks do not go on without lost ones.
const char* why_not_over(const std::string& fabric) {
  if (fabric == "threads")
    return "a rank that crashes ends the process, and so all ranks; set ARMILLA_FABRIC=shm, or unset ARMILLA_ON_LOSS";
  if (fabric == "loop") return "it is for tests of jobs that lose no rank; set ARMILLA_FABRIC=shm, or unset ARMILLA_ON_LOSS";
  return nullptr;
}

void require_possible(const std::vector<program_spec>& programs, long long ranks, const options& settings) {
  if (ranks < 1 || ranks > most_local_ranks)
    throw_usage("start", fmt::format("{} ranks asked for; a host runs 1 to {}", ranks, most_local_ranks));
  if (programs.size() > job_block::max_programs)
    throw_usage("start", fmt::format("{} programs asked for; a job holds up to {}", programs.size(), job_block::max_programs));
  if (settings.fabric == "threads" && programs.size() > 1)
    throw_usage("start", "ARMILLA_FABRIC=threads runs all ranks in one process, so it takes one program; use shm for several");
  require_places(ranks, settings);
  if (settings.on_loss == loss_use::end) return;
  const std::string on_loss = settings.get("on_loss");
  if (const char* const why = why_not_over(settings.fabric); why != nullptr)
    throw_usage("start", fmt::format("ARMILLA_ON_LOSS={} with ARMILLA_FABRIC={}: {}", on_loss, settings.fabric, why));
  require_replaceable(settings);
}

void fill_programs(job_plan& plan, const std::vector<program_spec>& programs) {
  const auto number = number_programs(programs);
  job_block& job = *plan.job;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    char* name = job.program_names[number[i]];
    if (*name == 0) std::snprintf(name, job_block::max_name, "%s", programs[i].arguments.at(0).c_str());
    job.program_count = std::max(job.program_count, number[i] + 1);
    for (rank_t r = 0; r < programs[i].ranks; ++r) {
      job.rank[plan.program_of.size()].program = number[i];
      plan.program_of.push_back(&programs[i]);
    }
  }
}

void fill_spare_places(job_plan& plan) {
  job_block& job = *plan.job;
  plan.program_of.resize(job.places);
  for (std::uint32_t r = job.places - job.spare_places; r < job.places; ++r) {
    job.life_word[r].store(rank_life{0, presence::lost}.word(), std::memory_order_relaxed);
    for (auto& cpu : job.rank[r].cpu) cpu = -1;
  }
}

void fill_options(job_block& job, const options& settings) {
  const std::string shared = settings.shared();
  if (shared.size() > sizeof job.options)
    throw_usage("start", fmt::format("the names of files in ARMILLA_* take {} bytes; up to {} are possible", shared.size(),
                                     sizeof job.options));
  std::memcpy(job.options, shared.data(), shared.size());
  job.options_bytes = std::uint32_t(shared.size());
}

void fill_processors(job_plan& plan, const options& settings) {
  const machine here = look_at_machine(settings.pin != pin_kind::none);
  plan.job->cores = std::uint32_t(here.cores.size());
  plan.job->processors = here.processors;
  std::vector<std::size_t> wanted;
  for (rank_t r = 0; r < plan.world_size; ++r) wanted.push_back(cores_wanted(plan.program_of[std::size_t(r)]->environment));
  chosen_places chosen = choose_places(here, wanted, settings.pin);
  for (std::size_t r = 0; r < wanted.size(); ++r) note_place(chosen.where[r], plan.job->rank[r].cpu);
  plan.cores = std::make_shared<core_claims>(std::move(chosen.claims));
}

}  // namespace

void require_replaceable(const options& settings) {
  if (settings.on_loss != loss_use::replace) return;
  if (has_other_progress(settings))
    throw_usage("start", fmt::format("ARMILLA_ON_LOSS={} with ARMILLA_PROGRESS_MODE={}: lost ranks are replaced only where ranks "
                                     "poll; unset ARMILLA_PROGRESS_MODE, or set ARMILLA_ON_LOSS=continue",
                                     settings.get("on_loss"), settings.get("progress_mode")));
  if (!(settings.record.empty() && settings.replay.empty()))
    throw_usage("start",
                "ARMILLA_ON_LOSS=replace with ARMILLA_RECORD or ARMILLA_REPLAY: these handle only the ranks of the "
                "start; set ARMILLA_ON_LOSS=continue");
}

job_plan make_plan(const std::vector<program_spec>& programs, const options& settings) {
  long long ranks = 0;
  for (const auto& one : programs) ranks += one.ranks;
  require_possible(programs, ranks, settings);
  job_plan plan;
  plan.world_size = rank_t(ranks);
  const rank_t places = std::max(plan.world_size, rank_t(settings.max_ranks));
  std::string note;
  const host_layout layout = layout_within_limit(places, settings, note);
  if (!note.empty()) say(note);
  plan.memory = create_host_memory(layout);
  plan.job = reinterpret_cast<job_block*>(map_host_memory(plan.memory, layout.addresses()));
  job_block& job = *plan.job;
  job.magic = job_block::good_magic;
  job.version = job_block::good_version;
  job.places = job.locals.count = layout.places;
  job.spare_places = job.places - std::uint32_t(plan.world_size);
  job.ring_bytes = layout.ring_bytes;
  job.segment_bytes = layout.segment_bytes;
  job.threads = settings.fabric == "threads";
  job.label = settings.label;
  job.supervisor = getpid();
  job.losses_told = 1;
  job.goes_on = settings.on_loss != loss_use::end;
  job.replaces = settings.on_loss == loss_use::replace;
  fill_options(job, settings);
  fill_programs(plan, programs);
  fill_spare_places(plan);
  fill_processors(plan, settings);
  return plan;
}

namespace {

// A place whose process has ended has had its program; those of failed joiners would use up the numbers.
bool is_in_use(const job_plan& plan, std::uint32_t number) {
  const job_block& job = *plan.job;
  for (std::uint32_t r = 0; r < job.places; ++r)
    if (const pid_t process = job.rank[r].pid.load(std::memory_order_relaxed);
        job.rank[r].program == number && (r < job.places - job.spare_places || (process > 0 && kill(process, 0) == 0)))
      return true;
  return false;
}

// A known program with that file, else a number that none has.
std::uint32_t number_for(const job_plan& plan, const program_spec& program) {
  const job_block& job = *plan.job;
  for (std::uint32_t r = 0; r < job.places; ++r)
    if (const program_spec* const known = plan.program_of[r]; known != nullptr && same_file(known->path, program.path))
      return job.rank[r].program;
  std::uint32_t number = 0;
  while (number < job.program_count && is_in_use(plan, number)) ++number;
  return number;
}

}  // namespace

bool add_program(job_plan& plan, rank_t place, const program_spec& program) {
  job_block& job = *plan.job;
  const std::uint32_t number = number_for(plan, program);
  if (number == job_block::max_programs) return false;
  if (!is_in_use(plan, number))  // else it has its name, which others may read now
    std::snprintf(job.program_names[number], job_block::max_name, "%s", program.arguments.at(0).c_str());
  job.program_count = std::max(job.program_count, number + 1);
  job.rank[place].program = number;
  plan.program_of[std::size_t(place)] = &program;
  return true;
}

}  // namespace armilla::detail
