// SPDX-License-Identifier: Apache-2.0
// What ranks wait for, as they say it.
#include "armilla/client/who_waits.hpp"

#include <algorithm>
#include <ctime>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "armilla/attach.hpp"
#include "armilla/base/values/clock.hpp"
#include "armilla/boot/watch/stall_detector.hpp"
#include "armilla/client/client_state.hpp"
#include "armilla/error.hpp"

namespace armilla {
namespace detail {
namespace {

constexpr std::uint64_t answers_within_ns = 200'000'000, look_for_answers_ns = 1'000'000;
constexpr std::uint64_t lines_at_most_ns = 3'000'000'000, other_hosts_within_ns = 5'000'000'000;

// Ranks of hosts that do not answer are told to be so: it is then that one asks.
void add_answer(const asked_host& one, std::vector<remote_waits>& all) try {
  for (remote_waits& each : from_circuit<std::vector<remote_waits>>(one.host->take(*one.answer, other_hosts_within_ns)))
    all.push_back(std::move(each));
} catch (const error&) {}

void add_unheard(const client_state& job, std::vector<remote_waits>& all) {
  for (rank_t r = 0; r < job.memory().ranks(); ++r)
    if (!job.is_here(r) && std::ranges::find(all, r, &remote_waits::rank) == all.end())
      all.push_back({r, fmt::format("rank {} runs on another host, of which nothing is heard\n", r)});
}

}  // namespace

std::vector<remote_waits> waits_here(job_memory& memory) {
  if (!memory.write_control()) throw_limit("who_waits", "the job's control pages cannot be written to");
  job_block& job = memory.job();
  std::vector<rank_t> here;
  for (rank_t r = 0; r < memory.ranks(); ++r)
    if (job.rank[r].pid.load(std::memory_order_relaxed) > 0) here.push_back(r);
  const auto each = [&](auto&& use) {
    for (const rank_t r : here)
      if (job.rank[r].stage.load(std::memory_order_acquire) == rank_stage::running) use(control_of(job, r));
  };
  each([](control_block& rank) {
    rank.asked_by_client.store(rank.asked.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    ask_with_lines(rank);
  });
  const auto wait_until = [&](std::uint64_t end, auto&& done) {
    for (bool all = false; !all && now_ns() < end;) {
      const timespec nap{0, long(look_for_answers_ns)};
      nanosleep(&nap, nullptr);
      all = true;
      each([&](const control_block& rank) { all = all && done(rank); });
    }
  };
  const std::uint64_t until = now_ns() + answers_within_ns;
  wait_until(until, has_answered);
  wait_until(until + lines_at_most_ns, [](const control_block& rank) { return !has_answered(rank) || has_given_lines(rank); });
  std::vector<remote_waits> result;
  for (const rank_t r : here) result.push_back({r, waits_of(job, r, now_ns())});
  return result;
}

}  // namespace detail

std::string client::who_waits() const {
  const auto asked = state_->ask_other_hosts(detail::circuit_head::waits, "who_waits", detail::other_hosts_within_ns,
                                             detail::silent_hosts::leave_out);
  std::vector<detail::remote_waits> all = detail::waits_here(state_->memory());
  for (const detail::asked_host& one : asked) detail::add_answer(one, all);
  detail::add_unheard(*state_, all);
  std::ranges::stable_sort(all, {}, &detail::remote_waits::rank);
  std::string text;
  for (const detail::remote_waits& one : all) text += one.text;
  return text;
}

}  // namespace armilla
