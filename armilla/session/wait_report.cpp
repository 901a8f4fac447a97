// SPDX-License-Identifier: Apache-2.0
#include "armilla/session/wait_report.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "armilla/am/endpoint/arrival_order.hpp"
#include "armilla/am/endpoint/endpoint.hpp"
#include "armilla/am/endpoint/parked.hpp"
#include "armilla/base/core/call_stack.hpp"
#include "armilla/base/core/options.hpp"
#include "armilla/base/values/clock.hpp"
#include "armilla/boot/host/units.hpp"
#include "armilla/boot/watch/busy_place.hpp"
#include "armilla/boot/watch/ending.hpp"
#include "armilla/boot/watch/posted_text.hpp"
#include "armilla/boot/watch/stall_detector.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/fiber/explain_wait.hpp"
#include "armilla/object/object_state.hpp"
#include "armilla/session/session_state.hpp"
#include "armilla/session/stall_search.hpp"

// Model: tests/models/order/counters.rs
namespace armilla::detail {
namespace {

constexpr std::size_t most_names = 8;      // of the fibers that wait for the same
constexpr std::size_t most_visits = 2000;  // to fibers, for their lines: each takes some 10 us
constexpr std::uint32_t one_report_within_ms = 1000;
constexpr std::uint64_t report_within_ns = 200 * milli;

/// In which lines of the program fibers wait. The fibers of a rank are in few: each is looked up once.
class wait_lines {
 public:
  explicit wait_lines(const context& self) : self_(self) {}

  /// "    at heat.cpp:42, in step(double)\n"; empty if it is not known.
  std::string of(fiber_record& f) {
    if (std::string lines; f.number == 0 && !(lines = lines_of_language()).empty()) return lines;
    if (visits_++ >= most_visits) return "";
    const call_stack calls = self_.fibers->calls_of(f);
    const auto [known, is_new] = found_.try_emplace({calls.address.begin(), calls.address.begin() + calls.size});
    if (std::string frame; is_new && !(frame = at_own_frame(own_frame(calls))).empty()) known->second = "    " + frame + "\n";
    return known->second;
  }

 private:
  const context& self_;
  std::size_t visits_ = 0;
  std::map<std::vector<std::uintptr_t>, std::string> found_;
};

struct group {
  std::string reason, lines;
  std::vector<std::string> names;
  std::size_t count = 0;
};

void add(std::vector<group>& groups, std::string reason, std::string lines, std::string name) {
  auto at = std::ranges::find_if(groups, [&](const group& g) { return g.reason == reason && g.lines == lines; });
  if (at == groups.end()) at = groups.insert(at, group{std::move(reason), std::move(lines), {}, 0});
  if (at->count++ < most_names) at->names.push_back(std::move(name));
}

void add_fiber(std::vector<group>& groups, const context& self, fiber_record& f, std::uint64_t now, wait_lines* lines) {
  using state = fiber_record::state_t;
  const scheduler& all = *self.fibers;
  if (&f == all.loop() || f.state == state::idle) return;
  if (f.state == state::ready) return add(groups, "nothing: its turn comes", "", name_of(f));
  add(groups, explain_wait(self, f, now), lines != nullptr ? lines->of(f) : "", name_of(f));
}

std::string lines_of(const std::vector<group>& groups) {
  std::string text;
  for (const group& g : groups) {
    text += fmt::format("  {}", fmt::join(g.names, ", "));
    if (g.count > g.names.size()) text += fmt::format(" and {} more", g.count - g.names.size());
    text += fmt::format(" wait{} for {}\n{}", g.count == 1 ? "s" : "", g.reason, g.lines);
  }
  return text;
}

std::string waiting_calls(const context& self) {
  std::string text;
  for (const auto& [id, calls] : self.objects->table.parked())
    text += fmt::format(
        "  {} call{} (the first from rank {}) for {}, which this rank has not made: all members make it, in the same order\n",
        calls->size(), calls->size() == 1 ? "" : "s", calls->first_source(), id.text());
  for (const auto& [key, count] : self.objects->creations.parked())
    text += fmt::format("  {} call{} for an object that rank {} creates here, whose constructor has not ended\n", count,
                        count == 1 ? "" : "s", key.creator);
  return text;
}

std::string describe_waits(const context& self, wait_lines* lines) {
  std::vector<group> groups;
  const std::uint64_t now = now_ns();
  add_fiber(groups, self, self.fibers->main(), now, lines);
  std::vector<fiber_record*> known;
  for (fiber_record* f = self.fibers->pool().known(); f != nullptr; f = f->next_known) known.push_back(f);
  std::ranges::sort(known, {}, &fiber_record::number);
  for (fiber_record* f : known) add_fiber(groups, self, *f, now, lines);
  const arrival_order* const order = order_of(self);
  return lines_of(groups) + waiting_calls(self) + (order != nullptr ? order->explain() : "");
}

void write_text(control_block& mine, std::string text) {
  if (text.size() > control_block::text_room) {
    constexpr std::string_view more = "  ... and more\n";
    text.resize(text.rfind('\n', control_block::text_room - more.size() - 1) + 1);
    text += more;
  }
  std::memcpy(mine.text, text.data(), text.size());
  mine.text_bytes = std::uint32_t(text.size());
}

control_block& block_of(const context& self) noexcept { return control_of(*self.session->self.job, self.rank); }

void write_down(const context& self) {
  control_block& mine = block_of(self);
  const std::uint32_t request = mine.asked.load(std::memory_order_acquire);
  write_text(mine, describe_waits(self, nullptr));
  mine.answered.store(request, std::memory_order_release);
}

// What was written down before, with the lines.
void write_lines(const context& self) {
  control_block& mine = block_of(self);
  const std::uint32_t request = mine.lines_asked.load(std::memory_order_relaxed);
  wait_lines lines(self);
  write_text(mine, describe_waits(self, &lines));
  mine.lines_given.store(request, std::memory_order_release);
}

bool alone(const context& self) noexcept { return self.session->self.job->supervisor == 0; }

// Whether an attached client has asked, which reads what is written down.
bool is_for_client(const control_block& mine) noexcept {
  return !has_answered(mine) &&
         mine.asked_by_client.load(std::memory_order_relaxed) == mine.asked.load(std::memory_order_relaxed);
}

// Of the ranks of a host that are all asked, as mpirun passes a signal to each, one speaks.
bool claims_report(job_block& job) {
  const auto now = std::uint32_t(now_ns() / milli);
  std::uint32_t before = job.report_wanted.load(std::memory_order_relaxed);
  return now - before >= one_report_within_ms && job.report_wanted.compare_exchange_strong(before, now);
}

void report_host(context& self) {
  self.session->stalls->let_others_report();
  ask_ranks_of_host(self, ask_with_lines);
  write_down(self);
  write_lines(self);
  const std::uint64_t until = now_ns() + report_within_ns;
  while (!have_ranks_of_host_answered(self) && now_ns() < until) usleep(1000);
  while (!have_ranks_of_host_given_lines(self) && now_ns() < until + lines_within_ns) usleep(1000);
  const auto& names = self.session->self.host_names;
  const std::string where = names.size() < 2 ? "" : " on " + names[self.session->self.host_of[std::size_t(self.rank)]];
  std::string text = "armilla: who waits for what" + where + ":\n" + waits_of_host(self);
  text.pop_back();  // `say` ends the line
  say(text);
}

void answer(void* rank) {
  context& self = *static_cast<context*>(rank);
  job_block& job = *self.session->self.job;
  const bool for_client = is_for_client(block_of(self));
  write_down(self);
  if (alone(self) || !has_given_lines(block_of(self))) write_lines(self);
  if (for_client) return;
  if (alone(self)) say_waits(job, "armilla: who waits for what:");
  if (job.supervisor == job_block::launched && claims_report(job)) report_host(self);  // else nothing asks all of them
}

// Whether this rank's progress thread may still do something.
bool progress_thread_busy(const context& self) noexcept {
  const control_block& progress_thread = progress_thread_of(*self.session->self.job, self.rank);
  if (progress_thread.present.load(std::memory_order_acquire) == 0) return false;
  const std::uint64_t since = progress_thread.idle.load(std::memory_order_acquire) >> 1;
  return since == 0 || now_ns() < since + self.settings->stall_ns;
}

// Since it began to go to sleep: then it does not.
bool was_woken(const context& self) noexcept { return block_of(self).sleeping.load(std::memory_order_acquire) == awake; }

std::uint64_t stalled(void* rank, std::uint64_t began_ns) {
  const context& self = *static_cast<context*>(rank);
  if (self.session->stalls != nullptr) return self.session->stalls->step(began_ns);
  if (progress_thread_busy(self)) return self.settings->stall_ns;
  write_down(self);
  write_lines(self);
  if (was_woken(self) || progress_thread_busy(self)) return self.settings->stall_ns;  // while it looked for its lines
  std::fflush(stdout);
  say_waits(*self.session->self.job, stall_headline(self.settings->stall_ns));
  _exit(stall_exit_code);  // fibers stand in the middle of their work: nothing can be unwound
}

// Of the ranks of this host: what this process knows of those of other hosts is no more than that they do not answer.
void look_for_silent(void* rank, bool again) {
  const context& self = *static_cast<context*>(rank);
  job_block& job = *self.session->self.job;
  if (posted_text(control_of(job, self.rank).waits_for) == serving_wait) return;
  std::vector<std::uint64_t>& seen = self.session->signs_of_life;
  std::vector<rank_t> silent;
  seen.resize(std::size_t(self.places));
  self.host->locals().each([&](rank_t r) {
    const std::uint64_t now = signs_of_life(job, r), before = std::exchange(seen[std::size_t(r)], now);
    if (r == self.rank || !again || before != now || !may_be_silent(job, r)) return;
    if (control_of(job, r).silence_told.exchange(1, std::memory_order_relaxed) == 0) silent.push_back(r);
  });
  if (silent.empty()) return;
  write_down(self);
  write_lines(self);
  std::string text = silence_headline(silent, self.settings->stall_ns) + "\n";
  for (const rank_t r : silent) text += seen_of(job, r, now_ns());
  text += waits_of(job, self.rank, now_ns());
  text.pop_back();  // `say` ends the line
  say(text);
}

// Mostly one that calls itself without end, until memory is short.
void tell_many_bodies(const context& self, std::uint32_t bodies) {
  const std::string frame = at_own_frame(own_frame(take_call_stack()));
  say(fmt::format(
      "armilla: rank {}: {} called functions wait at a time, the last one{}{}; does a function call itself without end? "
      "(the job goes on)",
      self.rank, bodies, frame.empty() ? "" : " ", frame));
}

}  // namespace

void start_wait_reports(context& self) {
  self.fibers->set_many_bodies(tell_many_bodies);
  note_calls_when_asked(*self.session->self.job, self.rank);
  event_count& sleeper = self.messages->sleeper;
  sleeper.set_reporter({&answer, &stalled, &look_for_silent, &self});
  const options& set = *self.settings;
  if (alone(self)) return sleeper.watch_alone(set.stall_ns, set.wait_report_ns, 0);
  // A launcher looks after its job, but knows nothing of waits. And nobody sees the messages in a network.
  const launch& how = self.session->self;
  const bool launched = how.job->supervisor == job_block::launched;
  if (how.beyond != nullptr) how.job->stall.store(stall_state::asked_of_ranks, std::memory_order_relaxed);
  if (how.beyond == nullptr && !launched) return;
  self.session->stalls = std::make_unique<stall_search>(self);
  sleeper.watch_alone(set.stall_ns, launched ? set.wait_report_ns : 0, launched ? silence_after(set.stall_ns) : 0);
}

void stop_wait_reports(context& self) {
  self.fibers->set_many_bodies(nullptr);
  note_no_calls(*self.session->self.job, self.rank);
  self.messages->sleeper.set_reporter({});
  self.messages->sleeper.watch_alone(0, 0, 0);
}

}  // namespace armilla::detail
