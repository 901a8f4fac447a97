// SPDX-License-Identifier: Apache-2.0
#include "armilla/session/stall_search.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <utility>

#include "armilla/am/endpoint/endpoint.hpp"
#include "armilla/am/endpoint/remote_traffic.hpp"
#include "armilla/am/handler/message_handlers.hpp"
#include "armilla/base/core/options.hpp"
#include "armilla/base/values/clock.hpp"
#include "armilla/boot/host/units.hpp"
#include "armilla/boot/visitors/client_mailbox.hpp"
#include "armilla/boot/watch/ending.hpp"
#include "armilla/boot/watch/stall_detector.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/session/session_state.hpp"

namespace armilla::detail {
namespace {

constexpr std::uint64_t soon_ns = 5 * milli;
constexpr std::uint64_t answers_within_ns = 1000 * milli;
// Ranks beside a network wake now and then, and show nothing meanwhile.
constexpr int most_looks = 20;
constexpr useconds_t between_looks_us = 200;

struct watch_message {
  static constexpr const char* method_name = "a word about the job";
  static void run(delivery& in, rank_t source, const std::byte* at, std::size_t size) {
    watch_word word;
    if (size < sizeof word) throw_damaged(source, "a word about the job, its length", size);
    std::memcpy(&word, at, sizeof word);
    stall_search* const mine = in.self.session == nullptr ? nullptr : in.self.session->stalls.get();
    const auto* const text = reinterpret_cast<const char*>(at + sizeof word);
    if (mine != nullptr) mine->heard(source, word, std::string_view(text, strnlen(text, size - sizeof word)));
  }
};
handler_slot& watch_slot = fixed_handler<watch_message, watch_handler>;

job_block& job_of(const context& self) noexcept { return self.host->job(); }

template <class Use>
void each_of_host(const context& self, Use&& use) {
  self.host->locals().each([&](rank_t r) {
    if (job_of(self).was_taken(r) && job_of(self).why_left(r) == nullptr) use(r);
  });
}

std::uint32_t host_of(const context& self, rank_t r) {
  const auto& all = self.session->self.host_of;
  return all.empty() ? 0 : all[std::size_t(r)];
}

bool runs(const context& self, rank_t r) {
  return job_of(self).rank[r].stage.load(std::memory_order_acquire) == rank_stage::running;
}

void mix(std::uint64_t& mark, std::uint64_t value) noexcept { mark = (mark ^ value) * 0x100000001b3; }

}  // namespace

void ask_ranks_of_host(context& self, void (*by)(control_block&) noexcept) {
  each_of_host(self, [&](rank_t r) {
    if (!runs(self, r)) return;
    control_block& rank = control_of(job_of(self), r);
    rank.asked_by_client.store(rank.asked.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    by(rank);
  });
}

bool have_ranks_of_host_answered(const context& self) {
  bool all = true;
  each_of_host(self, [&](rank_t r) { all = all && (!runs(self, r) || has_answered(control_of(job_of(self), r))); });
  return all;
}

bool have_ranks_of_host_given_lines(const context& self) {
  bool all = true;
  each_of_host(self, [&](rank_t r) {
    const control_block& rank = control_of(job_of(self), r);
    all = all && (!runs(self, r) || !has_answered(rank) || has_given_lines(rank));
  });
  return all;
}

std::string waits_of_host(const context& self) {
  std::string text;
  const std::uint64_t now = now_ns();
  self.host->locals().each([&](rank_t r) {
    if (!job_of(self).is_unused(r)) text += waits_of(job_of(self), r, now);
  });
  return text;
}

// ---- what each host's first rank sees ----

stall_search::host_state stall_search::look_once(std::uint64_t began_ns) const {
  host_state now{0xcbf29ce484222325, 0, 0};
  const std::uint64_t limit = self_.settings->stall_ns, latest = now_ns() > limit ? now_ns() - limit : 0;
  job_block& job = job_of(self_);
  bool all = job.spare_places == 0;  // a rank that joins may end any wait
  const auto shows = [&](std::uint64_t since) {
    all = all && since != 0 && since <= latest;
    mix(now.mark, since);
  };
  self_.host->locals().each([&](rank_t r) {
    if (job.life(r).now == presence::coming) all = false;  // it computes, before it joins
  });
  each_of_host(self_, [&](rank_t r) {
    const control_block &rank = control_of(job, r), &thread = progress_thread_of(job, r);
    if (r == self_.rank) {
      shows(began_ns);
    } else {
      const std::uint64_t idle = rank.idle.load(std::memory_order_acquire);
      shows((idle & 1) != 0 ? idle >> 1 : 0);
      const bool ending = job.rank[r].stage.load(std::memory_order_acquire) == rank_stage::ending;
      all = all && (ending || rank.sleeping.load(std::memory_order_acquire) != awake);
    }
    all = all && !has_client(rank);
    if (thread.present.load(std::memory_order_acquire) != 0) shows(thread.idle.load(std::memory_order_acquire) >> 1);
    for (const control_block* each : {&rank, &thread}) {
      now.sent += each->network_sent.load(std::memory_order_acquire);
      now.taken += each->network_taken.load(std::memory_order_relaxed);
    }
  });
  mix(now.mark, now.sent);
  mix(now.mark, now.taken);
  if (!all) now.mark = 0;
  return now;
}

stall_search::host_state stall_search::look(std::uint64_t began_ns) const {
  host_state now = look_once(began_ns);
  for (int i = 1; i < most_looks && now.mark == 0; ++i) {
    usleep(between_looks_us);
    now = look_once(began_ns);
  }
  return now;
}

// ---- between hosts ----

void stall_search::send(rank_t to, const watch_word& word, std::string_view text) {
  std::vector<std::byte> padded(align_up(text.size() + 1, 8));
  std::memcpy(padded.data(), text.data(), text.size());
  self_.messages->out.far()->send_control(to, watch_slot.id, &word, sizeof word, padded.data(), padded.size(),
                                          remote_link::kind::watch);
}

void stall_search::send_text(rank_t to) {
  const std::string all = waits_of_host(self_);
  const std::size_t most = std::min<std::size_t>(self_.messages->out.far()->longest_control(), 4096) - sizeof(watch_word) - 8;
  std::uint64_t left = (all.size() + most - 1) / most;
  for (std::size_t at = 0; left != 0; at += most)
    send(to, {watch_word::text, --left, 0, 0, 0}, std::string_view(all).substr(at, most));
}

// Anew after each loss: the first rank of a host may be the one that is lost.
void stall_search::find_hosts() {
  if (found_ && !self_.messages->out.is_lost(leader_) && !self_.messages->out.is_lost(first_)) return;
  std::map<std::uint32_t, rank_t> leaders;
  for (rank_t r = self_.places; r-- > 0;)
    if (job_of(self_).was_taken(r) && !self_.messages->out.is_lost(r)) leaders[host_of(self_, r)] = r;
  leader_ = leaders[host_of(self_, self_.rank)];
  first_ = self_.rank;
  others_.clear();
  for (const auto& [host, leader] : leaders) {
    first_ = std::min(first_, leader);
    if (leader != leader_) others_.emplace_back().leader = leader;
  }
  found_ = true;
}

void stall_search::heard(rank_t from, const watch_word& word, std::string_view text) {
  find_hosts();
  next_ns_ = 0;
  if (word.what == watch_word::confirm) {
    asked_round_ = word.round;
    ask_ranks_of_host(self_, ask);
    until_ns_ = now_ns() + answers_within_ns;
  }
  if (word.what == watch_word::tell) {
    tell_ = true;
    ask_ranks_of_host(self_, ask_with_lines);
    tell_by_ns_ = now_ns() + lines_within_ns;
  }
  if (word.what == watch_word::report) {
    asked_by_other_ = true;
    ask(self_.host->control(self_.rank));
  }
  const auto host = std::ranges::find(others_, from, &other_host::leader);
  if (host == others_.end()) return;
  const host_state said{word.mark, word.sent, word.taken};
  if (word.what == watch_word::quiet) host->quiet = said, host->heard_ns = now_ns();
  if (word.what == watch_word::still) host->still = said, host->confirmed = word.round;
  if (word.what == watch_word::text) host->text += text, host->told = word.round == 0;
}

void stall_search::let_others_report() {
  find_hosts();
  if (std::exchange(asked_by_other_, false) || self_.messages->out.far() == nullptr) return;
  for (const other_host& each : others_) send(each.leader, {watch_word::report, 0, 0, 0, 0});
}

std::uint64_t stall_search::step(std::uint64_t began_ns) {
  const std::uint64_t now = now_ns();
  if (now < next_ns_) return next_ns_ - now;
  find_hosts();
  if (leader_ != self_.rank) return self_.settings->stall_ns;
  const std::uint64_t after = first_ == self_.rank ? lead(began_ns) : follow(began_ns);
  next_ns_ = now_ns() + after;
  return after;
}

std::uint64_t stall_search::follow(std::uint64_t began_ns) {
  const std::uint64_t now = now_ns();
  if (tell_) {
    if (!(have_ranks_of_host_answered(self_) && have_ranks_of_host_given_lines(self_)) && now < tell_by_ns_) return soon_ns;
    send_text(first_);
    tell_ = false;
  }
  if (asked_round_ != 0) {
    if (!have_ranks_of_host_answered(self_) && now < until_ns_) return soon_ns;
    const host_state s = look(began_ns);
    send(first_, {watch_word::still, std::exchange(asked_round_, 0), s.mark, s.sent, s.taken});
    return soon_ns;
  }
  const std::uint64_t again_ns = self_.settings->stall_ns / 2;
  const host_state s = look(began_ns);
  if (s.mark == 0) return std::min(again_ns, 20 * soon_ns);
  if (s.mark != told_mark_ || now - told_ns_ >= again_ns) {
    send(first_, {watch_word::quiet, 0, s.mark, s.sent, s.taken});
    told_mark_ = s.mark;
    told_ns_ = now;
  }
  return again_ns;
}

// ---- the first rank of the job ----

void stall_search::begin_round(phase p) {
  ++round_;
  for (const other_host& each : others_) send(each.leader, {watch_word::confirm, round_, 0, 0, 0});
  ask_ranks_of_host(self_, ask);
  phase_ = p;
  until_ns_ = now_ns() + answers_within_ns;
}

bool stall_search::confirmed(std::uint64_t began_ns) {
  const host_state here = look(began_ns);
  std::uint64_t sent = here.sent, taken = here.taken;
  bool same = here.mark != 0 && here.mark == mine_.mark;
  for (const other_host& each : others_) {
    same = same && each.still.mark == each.quiet.mark && each.quiet.mark != 0;
    sent += each.still.sent;
    taken += each.still.taken;
  }
  return same && sent == taken;
}

std::uint64_t stall_search::lead(std::uint64_t began_ns) {
  const std::uint64_t now = now_ns(), again_ns = self_.settings->stall_ns / 2;
  if (phase_ == phase::calm) {
    for (const other_host& each : others_)
      if (each.quiet.mark == 0 || now - each.heard_ns > 4 * again_ns) return std::min(again_ns, 20 * soon_ns);
    mine_ = look(began_ns);
    if (mine_.mark == 0) return std::min(again_ns, 20 * soon_ns);
    begin_round(phase::confirming);
    return soon_ns;
  }
  const bool late = now >= until_ns_;
  if (phase_ != phase::telling) {
    const bool all = have_ranks_of_host_answered(self_) &&
                     std::ranges::all_of(others_, [this](const other_host& each) { return each.confirmed == round_; });
    if (!all && !late) return soon_ns;
    const bool told = std::exchange(phase_, phase::calm) == phase::confirming_again;
    if (!all || !confirmed(began_ns)) {
      for (other_host& each : others_) each.quiet = {};
      return again_ns;
    }
    if (told) end_job();
    phase_ = phase::telling;
    until_ns_ = now + lines_within_ns + answers_within_ns;
    for (other_host& each : others_) {
      each.text.clear();
      each.told = false;
      send(each.leader, {watch_word::tell, round_, 0, 0, 0});
    }
    ask_ranks_of_host(self_, ask_with_lines);
    return soon_ns;
  }
  const bool have_lines = have_ranks_of_host_answered(self_) && have_ranks_of_host_given_lines(self_);
  if (!late && !(have_lines && std::ranges::all_of(others_, &other_host::told))) return soon_ns;
  text_ = waits_of_host(self_);  // what is written down next has no lines
  begin_round(phase::confirming_again);
  return soon_ns;
}

// Fibers stand in the middle of their work: nothing can be unwound.
void stall_search::end_job() {
  std::string text = stall_headline(self_.settings->stall_ns) + "\n" + text_;
  for (const other_host& each : others_) text += each.text;
  while (text.ends_with('\n')) text.pop_back();  // `say` ends the line
  std::fflush(stdout);
  say(text);
  job_of(self_).stall.store(stall_state::found, std::memory_order_release);
  _exit(stall_exit_code);
}

}  // namespace armilla::detail
