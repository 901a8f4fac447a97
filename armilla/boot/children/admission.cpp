// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/children/admission.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "armilla/base/values/clock.hpp"
#include "armilla/boot/host/membership.hpp"
#include "armilla/boot/watch/tell_loss.hpp"

namespace armilla::detail {
namespace {

// All ranks have finished: none waits for what is coming.
void end_new_ranks(std::vector<child>& children) {
  for (child& c : children)
    if (c.alive && !c.told()) {
      end_new_rank(c);
      c.place = child::state::given_up;
    }
}

}  // namespace

// One at a time comes in: it waits for all that live, and two would wait for each other. But what a process does before it is a
// rank, and how long, is its own affair.
void admission::advance(std::vector<child>& children) {
  if (std::ranges::none_of(children, [](const child& c) { return c.alive && c.place == child::state::in_job; }))
    return end_new_ranks(children);
  for (child& c : children)
    if (c.place == child::state::lost && !c.alive) start(c);
  if (std::ranges::count(children, child::state::coming, &child::place) != 0) return;
  const auto is_there = [this](const child& c) {
    return c.place == child::state::starting && c.alive &&
           plan_.job->rank[c.first].stage.load(std::memory_order_acquire) == rank_stage::joined;
  };
  if (const auto next = std::ranges::find_if(children, is_there); next != children.end()) let_come(*next);
}

void admission::start(child& c) {
  rank_record& record = plan_.job->rank[c.first];
  record.stage.store(rank_stage::absent, std::memory_order_release);
  record.exec_error = 0;
  const child before = c;
  c = starter_.start(c.first, c.last);
  c.place = child::state::starting;
  c.short_lives = before.short_lives;
  c.joins = before.joins;
  if (!c.alive) lose_new_rank(c);  // nothing else would say so
}

void admission::let_come(child& c) {
  const rank_life life = plan_.job->life(c.first);
  plan_.job->change(c.first, life, {life.number, presence::coming});
  tell_change(*plan_.job);
  c.place = child::state::coming;
}

void admission::welcome(child& c) {
  if (plan_.job->life(c.first).now == presence::coming) return;  // else it lives, or it did
  c.place = child::state::in_job;
  c.began = now_ns();
  const ending about = base_of(plan_, c);
  const bool joins = std::exchange(c.joins, false);
  say(fmt::format("armilla: rank {} {} ({}, pid {})", about.first, joins ? "has joined" : "was replaced", about.program,
                  about.pid));
}

// It may have been told that it is not needed any more. If it has died, there is another one, but for one that joins: that has
// been asked for once.
void admission::lose_new_rank(child& c) {
  if (c.place == child::state::coming) {
    const rank_life life = plan_.job->life(c.first);
    plan_.job->change(c.first, life, {life.number, presence::lost});
    tell_change(*plan_.job);
  }
  const auto how = look_at(plan_, c);
  const bool refused = !how || is_refused(c);
  c.place = !refused && try_again(c) ? child::state::lost : child::state::given_up;
  if (!refused && c.joins) joiners_.note_failure(c.first, sentence(*how));
  if (!refused && !c.joins) say(fmt::format("armilla: {}, before it could replace the lost rank", sentence(*how)));
}

}  // namespace armilla::detail
