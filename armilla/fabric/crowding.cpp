// SPDX-License-Identifier: Apache-2.0
#include "armilla/fabric/crowding.hpp"

#include <sched.h>
#include <time.h>

#include <algorithm>
#include <utility>

#include "armilla/base/clock.hpp"

namespace armilla::detail {
namespace {

using mode = crowd_record::mode;
constexpr auto relaxed = std::memory_order_relaxed;
constexpr double own_share = 0.93;  // of the cores' time, when no stranger had any

void begin(crowd_record& host, mode how, std::uint64_t now, std::uint64_t length, const crowd_period& seen) noexcept {
  host.late.store(0, relaxed);
  host.began.store(now, relaxed);
  host.waits.store(seen.waits, relaxed);
  host.processor.store(seen.processor_ns, relaxed);
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

}  // namespace

void judge_crowd(crowd_record& host, std::uint64_t now, const crowd_period& seen) noexcept {
  const mode how = host.now.load(relaxed);
  if (how == mode::sleeps) return begin(host, mode::tried, now, crowd_trial_ns, seen);
  const std::uint64_t ns = std::max<std::uint64_t>(now - host.began.load(relaxed), 1);
  // The ranks had something else to do meanwhile: nothing can be said.
  if (ns > 2 * crowd_trial_ns) return forget(host, now, seen);
  const auto rate = std::uint64_t(double(seen.waits - host.waits.load(relaxed)) * 1e9 / double(ns));
  const bool compared = host.sleep_rate.load(relaxed) != 0;  // both are known, once this period's is noted
  if (how == mode::tried) {
    host.sleep_rate.store(std::max<std::uint64_t>(rate, 1), relaxed);
    return compared ? begin(host, mode::watched, now, crowd_period_ns, seen) : decide(host, now, seen);
  }
  host.yield_rate.store(rate, relaxed);
  const double had = double(seen.processor_ns - host.processor.load(relaxed));
  if (host.late.load(relaxed) == 0 || had > own_share * double(seen.cores) * double(ns)) return forget(host, now, seen);
  return compared ? decide(host, now, seen) : begin(host, mode::tried, now, crowd_trial_ns, seen);
}

crowding::crowding(crowd_record& host, std::vector<const control_block*> ranks, std::vector<pid_t> processes, std::uint32_t cores)
    : host_(host), ranks_(std::move(ranks)), cores_(cores) {
  for (const pid_t each : processes) {
    clockid_t clock{};
    if (clock_getcpuclockid(each, &clock) == 0) clocks_.push_back(clock);
  }
}

crowd_period crowding::look() const noexcept {
  crowd_period seen{.cores = cores_};
  for (const control_block* rank : ranks_) seen.waits += rank->waits.load(relaxed);
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
  if (how == mode::watched) host_.late.fetch_add(1, relaxed);
  std::uint64_t until = host_.until.load(relaxed);
  if (how != mode::yields || now < until) return;
  if (host_.until.compare_exchange_strong(until, now + crowd_period_ns, relaxed))
    begin(host_, mode::watched, now, crowd_period_ns, look());
}

bool crowding::judge(std::uint64_t now) noexcept {
  std::uint64_t until = host_.until.load(relaxed);
  if (now >= until && host_.until.compare_exchange_strong(until, now + crowd_period_ns, relaxed)) judge_crowd(host_, now, look());
  return host_.now.load(relaxed) >= mode::tried;
}

}  // namespace armilla::detail
