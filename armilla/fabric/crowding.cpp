// SPDX-License-Identifier: Apache-2.0
#include "armilla/fabric/crowding.hpp"

#include <fcntl.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "armilla/base/values/clock.hpp"

namespace armilla::detail {
namespace {

using mode = crowd_record::mode;
constexpr auto relaxed = std::memory_order_relaxed;
constexpr double own_share = 0.93;        // of what they wanted, when no stranger had any
constexpr std::uint64_t step_bytes = 64;  // of messages taken in: a small one

void begin(crowd_record& host, mode how, std::uint64_t now, std::uint64_t length, const crowd_period& seen) noexcept {
  host.late.store(0, relaxed);
  host.began.store(now, relaxed);
  host.steps.store(seen.steps, relaxed);
  host.processor.store(seen.processor_ns, relaxed);
  host.queued.store(seen.queued_ns, relaxed);
  host.until.store(now + length, relaxed);
  host.now.store(how, relaxed);
}

std::uint64_t longer(crowd_record& host, std::uint64_t least) noexcept {
  const std::uint64_t next = std::clamp(2 * host.length.load(relaxed), least, longest_crowd_ns);
  host.length.store(next, relaxed);
  return next;
}

// What was found out counts no longer: ranks yield, and are watched at the next late yield.
void forget(crowd_record& host, std::uint64_t now, const crowd_period& seen) noexcept {
  host.sleep_rate.store(0, relaxed);
  host.length.store(0, relaxed);
  begin(host, mode::yields, now, 0, seen);
}

// Between both rates of late. The longer one of the two has been better, the longer it is kept without a comparison.
void decide(crowd_record& host, std::uint64_t now, const crowd_period& seen) noexcept {
  if (2 * host.sleep_rate.load(relaxed) > 3 * host.yield_rate.load(relaxed))
    return begin(host, mode::sleeps, now, longer(host, 2 * crowd_period_ns), seen);
  host.sleep_rate.store(0, relaxed);
  begin(host, mode::yields, now, longer(host, 8 * crowd_period_ns), seen);
}

// Whether the ranks have had less of the cores in these `ns` than they would have used. A core is idle only while fewer ranks
// than cores want one, so each ns that a rank wanted none leaves at most cores / ranks of a core's ns unused.
bool strangers_had_cores(const crowd_record& host, std::uint64_t ns, const crowd_period& seen) noexcept {
  const double had = double(seen.processor_ns - host.processor.load(relaxed));
  const double queued = double(seen.queued_ns - host.queued.load(relaxed));
  const double wanted_none = std::max(0.0, double(seen.ranks) * double(ns) - had - queued);
  return had < own_share * double(seen.cores) * (double(ns) - wanted_none / double(seen.ranks));
}

// How long a thread has waited for a core, in ns; 0 where the kernel does not say.
std::uint64_t queued_ns(pid_t process, pid_t thread) noexcept {
  char path[64], text[96] = {};
  std::snprintf(path, sizeof path, "/proc/%d/task/%d/schedstat", int(process), int(thread));
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  const auto n = read(fd, text, sizeof text - 1);
  close(fd);
  unsigned long long ran = 0, queued = 0;
  return n > 0 && std::sscanf(text, "%llu %llu", &ran, &queued) == 2 ? queued : 0;
}

}  // namespace

void judge_crowd(crowd_record& host, std::uint64_t now, const crowd_period& seen) noexcept {
  const mode how = host.now.load(relaxed);
  if (how == mode::sleeps) return begin(host, mode::tried, now, crowd_trial_ns, seen);
  const std::uint64_t ns = std::max<std::uint64_t>(now - host.began.load(relaxed), 1);
  // The ranks had something else to do meanwhile: nothing can be said.
  if (ns > 2 * crowd_trial_ns) return forget(host, now, seen);
  const auto rate = std::uint64_t(double(seen.steps - host.steps.load(relaxed)) * 1e9 / double(ns));
  const bool compared = host.sleep_rate.load(relaxed) != 0;  // both are known, once this period's is noted
  if (how == mode::tried) {
    host.sleep_rate.store(std::max<std::uint64_t>(rate, 1), relaxed);
    return compared ? begin(host, mode::watched, now, crowd_period_ns, seen) : decide(host, now, seen);
  }
  host.yield_rate.store(rate, relaxed);
  if (host.late.load(relaxed) == 0 || !strangers_had_cores(host, ns, seen)) return forget(host, now, seen);
  if (compared) return decide(host, now, seen);
  if (how == mode::watched) return begin(host, mode::suspected, now, crowd_period_ns, seen);
  begin(host, mode::tried, now, crowd_trial_ns, seen);
}

crowding::crowding(crowd_record& host, std::vector<const control_block*> ranks, std::vector<pid_t> processes, std::uint32_t cores)
    : host_(host), ranks_(std::move(ranks)), cores_(cores) {
  for (const pid_t each : processes) {
    clockid_t clock{};
    if (clock_getcpuclockid(each, &clock) == 0) clocks_.push_back(clock);
  }
}

crowd_period crowding::look() const noexcept {
  crowd_period seen{.ranks = std::uint32_t(ranks_.size()), .cores = cores_};
  for (const control_block* rank : ranks_) {
    seen.steps += rank->waits.load(relaxed) + glance(rank->count.bytes_received) / step_bytes;
    seen.queued_ns += queued_ns(rank->process.load(relaxed), rank->thread.load(relaxed));
  }
  for (const clockid_t clock : clocks_) {
    timespec had{};
    if (clock_gettime(clock, &had) == 0)
      seen.processor_ns += std::uint64_t(had.tv_sec) * 1'000'000'000 + std::uint64_t(had.tv_nsec);
  }
  return seen;
}

void crowding::yield(std::uint64_t now) noexcept {
  sched_yield();
  const std::uint64_t back = now_ns();
  if (back - now >= late_yield_ns) [[unlikely]]
    note_late(back);
}

void crowding::note_late(std::uint64_t now) noexcept {
  const mode how = host_.now.load(relaxed);
  if (how == mode::watched || how == mode::suspected) host_.late.fetch_add(1, relaxed);
  std::uint64_t until = host_.until.load(relaxed);
  if (how != mode::yields || now < until || ranks_.size() > std::size_t{judged_ranks_a_core} * cores_) return;
  if (host_.until.compare_exchange_strong(until, now + crowd_period_ns, relaxed))
    begin(host_, mode::watched, now, crowd_period_ns, look());
}

bool crowding::judge(std::uint64_t now) noexcept {
  std::uint64_t until = host_.until.load(relaxed);
  if (now >= until && host_.until.compare_exchange_strong(until, now + crowd_period_ns, relaxed)) judge_crowd(host_, now, look());
  return host_.now.load(relaxed) >= mode::tried;
}

}  // namespace armilla::detail
