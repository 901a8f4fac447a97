// SPDX-License-Identifier: Apache-2.0
#include "look_rounds.hpp"

#include <algorithm>
#include <utility>

#include "armilla/base/values/clock.hpp"
#include "armilla/boot/host/units.hpp"

namespace armilla::run {
namespace {

using detail::milli;
using detail::never;
using detail::now_ns;

constexpr std::uint64_t answer_within_ns = 500 * milli;
constexpr std::uint64_t between_rounds_ns = 50 * milli;  // whatever attached clients do

}  // namespace

void look_rounds::begin_with(std::vector<channel*> agents) {
  for (channel* const agent : agents) members_.push_back({.agent = agent});
}

void look_rounds::lose(std::size_t host) {
  if (host < members_.size()) members_[host] = {};
}

void look_rounds::ask(std::size_t host) {
  if (host < members_.size()) members_[host].asks = true;
}

void look_rounds::take(std::size_t host, const std::string& part) {
  if (host >= members_.size()) return;
  if (part.empty()) members_[host].owes = members_[host].asked = false;
  for (member& one : members_)
    if (one.hears && !part.empty()) one.agent->send_later(channel::seen, part);
}

void look_rounds::begin(std::uint64_t now) {
  running_ = true;
  began_ns_ = now;
  for (member& one : members_) {
    one.hears = std::exchange(one.asks, false);
    one.asked = one.agent != nullptr && !one.owes && one.agent->send(channel::look, "");
    one.owes |= one.asked;
  }
}

void look_rounds::end() {
  running_ = false;
  for (member& one : members_)
    if (std::exchange(one.hears, false)) one.agent->send_later(channel::seen, "");
}

void look_rounds::advance() {
  const std::uint64_t now = now_ns();
  if (!running_ && std::ranges::any_of(members_, &member::asks) && now >= began_ns_ + between_rounds_ns) begin(now);
  if (running_ && (std::ranges::none_of(members_, &member::asked) || now >= began_ns_ + answer_within_ns)) end();
  some_wait_ = false;
  for (member& one : members_) some_wait_ |= one.agent != nullptr && !one.agent->send_waiting();
}

std::uint64_t look_rounds::until_ns() const {
  std::uint64_t until = some_wait_ ? now_ns() + channel::try_again_ns : never;
  if (running_) until = std::min(until, began_ns_ + answer_within_ns);
  if (!running_ && std::ranges::any_of(members_, &member::asks)) until = std::min(until, began_ns_ + between_rounds_ns);
  return until;
}

}  // namespace armilla::run
