// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/watch/stall_detector.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "armilla/base/host/regular_file.hpp"
#include "armilla/base/values/clock.hpp"
#include "armilla/boot/host/membership.hpp"
#include "armilla/boot/host/units.hpp"
#include "armilla/boot/visitors/client_mailbox.hpp"
#include "armilla/boot/watch/busy_place.hpp"
#include "armilla/boot/watch/ending.hpp"
#include "armilla/boot/watch/posted_text.hpp"
#include "armilla/boot/watch/tell_loss.hpp"
#include "armilla/error.hpp"

// Model: tests/models/order/counters.rs
namespace armilla::detail {
namespace {

constexpr std::uint64_t answers_within_ns = 200 * milli;
constexpr std::uint64_t look_for_answers_ns = 5 * milli;
constexpr std::uint64_t most_patience_ns = 1000 * milli;

double seconds(std::uint64_t ns) noexcept { return double(ns) / 1e9; }

// A letter as in /proc/PID/stat; 0: not known.
char state_of(const job_block& job, rank_t r) {
  if (job.threads != 0) return 0;  // all ranks have one process
  std::string wrong;
  const auto text = read_small_file(fmt::format("/proc/{}/stat", job.rank[r].pid.load(std::memory_order_relaxed)), 4096, wrong);
  const std::size_t name_end = text ? text->rfind(')') : std::string::npos;
  return name_end != std::string::npos && name_end + 2 < text->size() ? (*text)[name_end + 2] : '\0';
}

const char* text_of_state(char state) noexcept {
  switch (state) {
    case 'R': return "it computes";
    case 'S':
    case 'D': return "it sleeps in a system call, outside of the library";
    case 'T':
    case 't': return "it was stopped";
    default: return "it computes, or is outside of the library";
  }
}

std::string name_of(const job_block& job, rank_t r) {
  const rank_record& record = job.rank[r];
  return fmt::format("rank {} ({}, pid {})", r, job.program_names[record.program % job_block::max_programs],
                     record.pid.load(std::memory_order_relaxed));
}

std::string seen_from_outside(job_block& job, rank_t r, std::uint64_t now) {
  const rank_stage stage = job.rank[r].stage.load(std::memory_order_acquire);
  if (job.life(r).now == presence::coming)
    return std::string(job.was_taken(r) ? "starts in the place of a lost rank" : "joins the job") +
           ": it waits until each rank that lives has waited or polled";
  if (const departure* const lost = job.why_left(r)) return std::string("is lost: it ") + lost->cause;
  if (stage == rank_stage::absent) return "has not joined the job yet";
  if (stage == rank_stage::joined) return "is starting";
  if (stage == rank_stage::ending) return "has ended its function and waits for the other ranks to end theirs";
  if (stage == rank_stage::finished) return "has finished";
  const std::uint64_t looked = control_of(job, r).looked.load(std::memory_order_relaxed);
  std::string state = text_of_state(state_of(job, r));
  if (const busy_rank busy = find_busy(job, r); !busy.place.empty())
    state = busy.waits_for_lock ? "it waits for a lock of the system, " + busy.place +
                                      " (a std::mutex that is held across a wait stops all of the rank; use am::mutex)"
                                : "it computes, " + busy.place;
  if (looked == 0) return "is busy and has not waited yet: " + state;
  const std::string last = posted_text(control_of(job, r).waits_for), algorithm = posted_text(control_of(job, r).algorithm);
  return fmt::format("is busy; it last waited {:.1f} s ago{}{}{}{}: {}", now > looked ? seconds(now - looked) : 0.0,
                     last.empty() ? "" : ", in ", last, algorithm.empty() ? "" : ", in ", algorithm, state);
}

}  // namespace

// A sum changes when one of them does, but for accidents that only delay the report.
std::uint64_t signs_of_life(job_block& job, rank_t r) noexcept {
  const control_block &rank = control_of(job, r), &progress_thread = progress_thread_of(job, r);
  return rank.count.polls + rank.count.frames_received + rank.looked.load(std::memory_order_relaxed) +
         progress_thread.looked.load(std::memory_order_relaxed) + rank.idle.load(std::memory_order_relaxed);
}

std::uint64_t silence_after(std::uint64_t stall_ns) noexcept {
  constexpr std::uint64_t times = 15;
  return stall_ns > ~std::uint64_t{0} / times ? 0 : times * stall_ns;
}

bool may_be_silent(job_block& job, rank_t r) noexcept {
  return control_of(job, r).idle.load(std::memory_order_acquire) == 0 &&
         job.rank[r].stage.load(std::memory_order_acquire) == rank_stage::running && job.why_left(r) == nullptr;
}

std::string silence_headline(const std::vector<rank_t>& silent, std::uint64_t stall_ns) {
  return fmt::format(
      "armilla: rank {}{} taken in no messages for {:.1f} s, and another rank waits (the job goes on; a loop that waits for "
      "messages must call poll(); ARMILLA_STALL=0: never look); who waits for what:",
      silent.front(), silent.size() == 1 ? " has" : fmt::format(" and {} more have", silent.size() - 1),
      seconds(silence_after(stall_ns)));
}

namespace {

// Whether it can answer.
bool runs(const job_block& job, std::uint32_t r) {
  return job.rank[r].stage.load(std::memory_order_acquire) == rank_stage::running && job.why_left(rank_t(r)) == nullptr;
}

}  // namespace

bool has_answered(const control_block& rank) noexcept {
  return rank.answered.load(std::memory_order_acquire) == rank.asked.load(std::memory_order_relaxed);
}

bool has_given_lines(const control_block& rank) noexcept {
  return rank.lines_given.load(std::memory_order_acquire) == rank.lines_asked.load(std::memory_order_relaxed);
}

std::string seen_of(job_block& job, rank_t r, std::uint64_t now) {
  return name_of(job, r) + " " + seen_from_outside(job, r, now) + "\n";
}

std::string waits_of(job_block& job, rank_t r, std::uint64_t now) {
  const control_block& rank = control_of(job, r);
  if (!has_answered(rank) || !runs(job, std::uint32_t(r))) return seen_of(job, r, now);
  return name_of(job, r) + ":\n" + std::string(rank.text, std::min<std::size_t>(rank.text_bytes, control_block::text_room));
}

std::vector<std::string> answers_of(job_block& job, std::uint64_t now) {
  std::vector<std::string> all(job.places);
  for (std::uint32_t r = 0; r < job.places; ++r)
    if (!job.is_unused(rank_t(r))) all[r] = waits_of(job, rank_t(r), now);
  return all;
}

void say_waits(job_block& job, const std::string& headline, const std::vector<std::string>& before) noexcept try {
  const std::uint64_t now = now_ns();
  std::string text = headline;
  for (std::uint32_t r = 0; r < job.places; ++r) {
    if (job.is_unused(rank_t(r))) continue;
    const control_block& rank = control_of(job, rank_t(r));
    const bool is_new = before.empty() || (runs(job, r) && has_answered(rank) && has_given_lines(rank));
    text += "\n" + (is_new ? waits_of(job, rank_t(r), now) : before[r]);
    text.pop_back();  // `say` ends the line
  }
  say(text);
} catch (...) { say(headline); }

std::string stall_headline(std::uint64_t stall_ns) {
  return fmt::format(
      "armilla: the job stands still: for {:.1f} s all ranks have waited for what only they themselves could do "
      "(ARMILLA_STALL sets the time; 0: never look):",
      seconds(stall_ns));
}

stall_detector::stall_detector(job_block& job, std::uint64_t stall_ns, std::uint64_t report_ns) noexcept
    : job_(job), stall_ns_(stall_ns), report_ns_(report_ns) {
  const std::uint64_t shorter = std::min(stall_ns - 1, report_ns - 1);  // 0 is never
  every_ns_ = (stall_ns | report_ns) == 0 ? 0 : std::clamp((shorter + 1) / 4, 10 * milli, most_patience_ns);
  next_ns_ = now_ns() + every_ns_;
}

void stall_detector::ask_for_report() {
  headline_ = "armilla: who waits for what:";
  begin(phase::reporting);
}

void stall_detector::begin(phase p) {
  phase_ = p;
  answers_.clear();
  asked_ns_ = now_ns();
  until_ns_ = asked_ns_ + answers_within_ns;
  for (std::uint32_t r = 0; r < job_.places; ++r)
    if (runs(job_, r)) {
      p == phase::suspecting ? ask(control_of(job_, rank_t(r))) : ask_with_lines(control_of(job_, rank_t(r)));
      wake(progress_thread_of(job_, rank_t(r)));
    }
}

bool stall_detector::look() {
  if (job_.report_wanted.exchange(0, std::memory_order_acquire) != 0) ask_for_report();
  const std::uint64_t now = now_ns();
  if (phase_ != phase::idle) return finish(now);
  if (every_ns_ == 0 || now < next_ns_) return false;
  next_ns_ = now + every_ns_;
  look_for_waits(now);
  return false;
}

// Only ranks that sleep show anything; each showed since when, or 0.
void stall_detector::look_for_waits(std::uint64_t now) {
  now_.resize(job_.places);
  reported_.resize(job_.places);
  bool news = false;
  for (std::uint32_t r = 0; r < job_.places; ++r) {
    now_[r] = control_of(job_, rank_t(r)).idle.load(std::memory_order_acquire);
    const std::uint64_t since = now_[r] >> 1;
    if (job_.why_left(rank_t(r)) != nullptr) continue;
    if (report_ns_ == 0 || since == 0 || now < since + report_ns_ || reported_[r] == since) continue;
    reported_[r] = since;
    news = true;
  }
  latest_ns_ = now > stall_ns_ ? now - stall_ns_ : 0;
  const std::vector<rank_t> silent = find_silent(now);
  if (stall_ns_ != 0 && all_closed_since(latest_ns_)) {
    before_ = now_;
    begin(phase::suspecting);
  } else if (news) {
    headline_ =
        fmt::format("armilla: a rank has waited for {:.1f} s (ARMILLA_WAIT_REPORT); who waits for what:", seconds(report_ns_));
    begin(phase::reporting);
  } else if (!silent.empty()) {
    headline_ = silence_headline(silent, stall_ns_);
    begin(phase::reporting);
  }
}

// Since then, and not for the end of a function that others run.
bool stall_detector::waits_for_ranks(std::uint32_t r, std::uint64_t latest_ns) {
  return (now_[r] & 1) != 0 && now_[r] >> 1 <= latest_ns && runs(job_, r) &&
         posted_text(control_of(job_, rank_t(r)).waits_for) != serving_wait;
}

// Those that have not looked for messages as long as another has waited for ranks of this job. Each is told once.
std::vector<rank_t> stall_detector::find_silent(std::uint64_t now) {
  seen_.resize(job_.places);
  std::vector<rank_t> found;
  const std::uint64_t patience = silence_after(stall_ns_);
  if (patience == 0) return found;
  for (std::uint32_t r = 0; r < job_.places; ++r) {
    const std::uint64_t sum = signs_of_life(job_, rank_t(r));
    sign_of_life& last = seen_[r];
    if (const std::uint32_t life = job_.life(rank_t(r)).number; last.life != life) last = {.life = life};
    if (last.sum != sum || last.since_ns == 0) last.sum = sum, last.since_ns = now;
    if (!last.told && may_be_silent(job_, rank_t(r)) && now - last.since_ns >= patience) found.push_back(rank_t(r));
  }
  bool waited = false;
  for (std::uint32_t r = 0; !found.empty() && !waited && r < job_.places && now >= patience; ++r)
    waited = waits_for_ranks(r, now - patience);
  if (!waited) found.clear();
  for (const rank_t r : found) seen_[std::size_t(r)].told = true;
  return found;
}

bool stall_detector::all_closed_since(std::uint64_t latest_ns) {
  if (job_.stall.load(std::memory_order_relaxed) != stall_state::seen_in_memory) return false;
  now_.resize(job_.places);
  for (std::uint32_t r = 0; r < job_.places; ++r) {
    const control_block& rank = control_of(job_, rank_t(r));
    now_[r] = rank.idle.load(std::memory_order_acquire);
    if (job_.life(rank_t(r)).now == presence::coming) return false;  // it computes, before it joins
    if (job_.why_left(rank_t(r)) != nullptr) {
      if (rank_t(r) >= job_.world_size()) return false;  // one that joins may end any wait
      continue;
    }
    if ((now_[r] & 1) == 0 || now_[r] >> 1 > latest_ns || has_client(rank)) return false;
    // A rank that has been woken is not asleep any more, even if it has not got its core yet. One at the last meeting needs no
    // wake-up.
    const bool ending = job_.rank[r].stage.load(std::memory_order_acquire) == rank_stage::ending;
    if (!ending && rank.sleeping.load(std::memory_order_acquire) != asleep) return false;
    const control_block& progress_thread = progress_thread_of(job_, rank_t(r));
    if (progress_thread.present.load(std::memory_order_acquire) == 0) continue;
    const std::uint64_t since = progress_thread.idle.load(std::memory_order_acquire) >> 1;
    if (since == 0 || since > latest_ns || progress_thread.sleeping.load(std::memory_order_acquire) != asleep) return false;
  }
  return true;
}

bool stall_detector::all_answered() const {
  for (std::uint32_t r = 0; r < job_.places; ++r)
    if (runs(job_, r)) {
      const control_block& progress_thread = progress_thread_of(job_, rank_t(r));
      const bool looks = progress_thread.present.load(std::memory_order_acquire) != 0;
      if (!has_answered(control_of(job_, rank_t(r))) ||
          (looks && progress_thread.looked.load(std::memory_order_acquire) < asked_ns_))
        return false;
    }
  return true;
}

bool stall_detector::all_lines_given() const {
  for (std::uint32_t r = 0; r < job_.places; ++r)
    if (const control_block& rank = control_of(job_, rank_t(r)); runs(job_, r) && has_answered(rank) && !has_given_lines(rank))
      return false;
  return true;
}

// Since a stall was suspected. A rank that looks for its lines does not sleep, and shows nothing.
bool stall_detector::has_moved() const {
  for (std::uint32_t r = 0; r < job_.places; ++r) {
    const control_block &rank = control_of(job_, rank_t(r)), &progress_thread = progress_thread_of(job_, rank_t(r));
    if (job_.why_left(rank_t(r)) != nullptr || (has_answered(rank) && !has_given_lines(rank))) continue;
    if (rank.idle.load(std::memory_order_acquire) != before_[r] || has_client(rank)) return true;
    const std::uint64_t since = progress_thread.idle.load(std::memory_order_acquire) >> 1;
    if (progress_thread.present.load(std::memory_order_acquire) != 0 && (since == 0 || since > latest_ns_)) return true;
  }
  return false;
}

// A suspicion waits for no lines: a rank that looks for them does not sleep. When nothing moves any more, there is time for them.
bool stall_detector::finish(std::uint64_t now) {
  const bool late = now >= until_ns_;
  if (phase_ != phase::suspecting) {
    if (!late && !all_answered()) return false;
    if (answers_.empty()) answers_ = answers_of(job_, now);
    if (now < until_ns_ + lines_within_ns && !all_lines_given()) return false;
    if (phase_ == phase::stalled && has_moved()) {  // or has not come back to its sleep yet
      if (late) phase_ = phase::idle;
      return false;
    }
    say_waits(job_, headline_, std::exchange(answers_, {}));
    return std::exchange(phase_, phase::idle) == phase::stalled;
  }
  if (all_answered() && all_closed_since(latest_ns_) && now_ == before_) {
    headline_ = stall_headline(stall_ns_);
    begin(phase::stalled);
    return false;
  }
  if (late) phase_ = phase::idle;  // something does move
  return false;
}

int stall_detector::patience_ms() const {
  if (phase_ != phase::idle) return int(look_for_answers_ns / milli);
  if (every_ns_ == 0) return -1;
  const std::uint64_t now = now_ns();
  return now >= next_ns_ ? 0 : int((next_ns_ - now) / milli) + 1;
}

}  // namespace armilla::detail
