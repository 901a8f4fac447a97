// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/watch/binding_watch.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "armilla/base/host/descriptor.hpp"
#include "armilla/base/values/clock.hpp"
#include "armilla/boot/host/control_block.hpp"
#include "armilla/boot/host/pin.hpp"
#include "armilla/boot/host/units.hpp"

namespace armilla::detail {
namespace {

constexpr std::uint64_t least_period_ns = 200 * milli, period_a_rank_ns = milli;  // a look takes some 10 us a rank
constexpr double taken_share = 0.2;                                               // of a core
constexpr int looks_to_be_sure = 2;                                               // in a row

bool same_place(const rank_record& a, const rank_record& b) noexcept { return std::memcmp(a.cpu, b.cpu, sizeof a.cpu) == 0; }

// Of its first thread; nothing where the kernel does not say.
core_use use_of(job_block& job, rank_t r) noexcept {
  const int process = job.rank[r].pid.load(std::memory_order_relaxed);
  const int thread = job.threads != 0 ? control_of(job, r).thread.load(std::memory_order_relaxed) : process;
  char path[64], text[96] = {};
  core_use use;
  if (process <= 0 || thread <= 0) return use;
  std::snprintf(path, sizeof path, "/proc/%d/task/%d/schedstat", process, thread);
  const descriptor file(open(path, O_RDONLY | O_CLOEXEC));
  unsigned long long ran = 0, queued = 0;
  if (file.get() >= 0 && read(file.get(), text, sizeof text - 1) > 0 && std::sscanf(text, "%llu %llu", &ran, &queued) == 2)
    use = {ran, queued};
  return use;
}

// Those that have the rank's own binding: a thread that the program has bound elsewhere stays there.
void free_threads(int process, const cpu_set_t& bound, const cpu_set_t& all) {
  const auto closing = [](DIR* folder) { closedir(folder); };
  const std::unique_ptr<DIR, decltype(closing)> folder(opendir(fmt::format("/proc/{}/task", process).c_str()), closing);
  if (!folder) return;
  while (const dirent* const entry = readdir(folder.get())) {
    const int thread = std::atoi(entry->d_name);
    cpu_set_t its;
    if (thread > 0 && sched_getaffinity(thread, sizeof its, &its) == 0 && CPU_EQUAL(&its, &bound))
      sched_setaffinity(thread, sizeof all, &all);
  }
}

}  // namespace

bool others_use_core(std::span<const core_use> spent, std::uint64_t ns) noexcept {
  std::uint64_t ran = 0;
  for (const core_use& one : spent) ran += one.ran_ns;
  return std::ranges::any_of(
      spent, [&](const core_use& one) { return double(one.queued_ns) > double(ran - one.ran_ns) + taken_share * double(ns); });
}

binding_watch::binding_watch(job_block& job, bool binds_itself) : job_(job), last_ns_(now_ns()) {
  for (rank_t r = 0; binds_itself && r < rank_t(job.places); ++r)
    if (job.rank[r].cpu[0] >= 0 && job.rank[r].cpu[1] > 0) ranks_.push_back({r});
  std::ranges::stable_sort(ranks_, [&](const bound_rank& a, const bound_rank& b) {
    return std::ranges::lexicographical_compare(job_.rank[a.rank].cpu, job_.rank[b.rank].cpu);
  });
  every_ns_ = std::max(least_period_ns, ranks_.size() * period_a_rank_ns);
  next_ns_ = last_ns_ + every_ns_;
}

int binding_watch::patience_ms() const {
  if (ranks_.empty()) return -1;
  const std::uint64_t now = now_ns();
  return now >= next_ns_ ? 0 : int((next_ns_ - now) / milli) + 1;
}

void binding_watch::look() {
  const std::uint64_t now = now_ns();
  if (ranks_.empty() || now < next_ns_) return;
  crowded_ = is_crowded(now - std::exchange(last_ns_, now)) ? crowded_ + 1 : 0;
  next_ns_ = now + every_ns_;
  if (crowded_ == looks_to_be_sure) let_go();
}

bool binding_watch::is_crowded(std::uint64_t ns) {
  bool crowded = false;
  std::vector<core_use> spent;
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    const core_use now = use_of(job_, ranks_[i].rank), before = std::exchange(ranks_[i].before, now);
    const bool known = before.ran_ns != 0 && now.ran_ns >= before.ran_ns && now.queued_ns >= before.queued_ns;
    spent.push_back(known ? core_use{now.ran_ns - before.ran_ns, now.queued_ns - before.queued_ns} : core_use{});
    if (i + 1 < ranks_.size() && same_place(job_.rank[ranks_[i].rank], job_.rank[ranks_[i + 1].rank])) continue;
    crowded |= others_use_core(spent, ns);
    spent.clear();
  }
  return crowded;
}

void binding_watch::let_go() {
  cpu_set_t all;
  if (sched_getaffinity(0, sizeof all, &all) == 0)
    for (const bound_rank& one : ranks_) {
      rank_record& its = job_.rank[one.rank];
      if (const int process = its.pid.load(std::memory_order_relaxed); process > 0)
        for (int pass = 0; pass < 2; ++pass)
          free_threads(process, processors_of(its.cpu), all);  // again: those it started meanwhile
    }
  ranks_.clear();
}

}  // namespace armilla::detail
