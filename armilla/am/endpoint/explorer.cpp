// SPDX-License-Identifier: Apache-2.0
#include "armilla/am/endpoint/explorer.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "armilla/am/handler/method_name.hpp"

namespace armilla::detail {
namespace {

// The others may compute, or sleep until some time: a rank that sleeps takes no turns, and when it comes back is up to chance.
constexpr std::uint64_t looks_before_sleep = 2000;

}  // namespace

void explorer::enter(bool joins) noexcept {
  shared_.enter(rank_, ranks_, joins);
  inside_ = true;
}

void explorer::leave() noexcept {
  if (!std::exchange(inside_, false)) return;
  shared_.let_go(rank_, ranks_);
}

void explorer::begin_look() noexcept {
  if (!inside_) return;
  ++looks_;
  shared_.pass(rank_, ranks_, std::exchange(busy_, false));
}

// Most runs hold few frames back, some nearly all; of many, few in any case, so that long runs end. The length is such that
// others can do much meanwhile, or little.
bool explorer::lets_in(rank_t source) noexcept {
  if (!inside_) return true;
  in_vain_ = 0;
  held_frame& first = held_[std::size_t(source)];
  if (!std::exchange(first.met, true)) {
    constexpr std::uint64_t shares[] = {32, 128, 224};  // of 256
    std::uint64_t bits = 0;
    const std::uint64_t share = shares[shared_.manner(1) % 3] >> (holds_ < 200 ? 0 : 5);
    const bool holds = shared_.decide(bits) && (bits & 255) < share;
    holds_ += holds;
    first.until = holds ? looks_ + (std::uint64_t{1} << ((bits >> 8) % 9)) : 0;
  }
  if (looks_ < first.until) return false;
  first.met = false;
  return busy_ = true;
}

void explorer::note(rank_t source, handler_id h, const char* waits_for) {
  if (shared_.wants_log == 0) return;
  const std::string where = waits_for == nullptr ? "" : fmt::format(", which waits in {},", waits_for);
  shared_.log.add(fmt::format("rank {}{} runs {} of rank {}\n", rank_, where, handler_method_name(h), source));
}

bool explorer::may_sleep() noexcept {
  if (!inside_) return true;
  in_vain_ = looks_ == last_in_vain_ + 1 ? in_vain_ + 1 : 0;  // else there was a look of another wait between
  last_in_vain_ = looks_;
  if (in_vain_ < looks_before_sleep || !late_.empty()) return false;
  shared_.let_go(rank_, ranks_);
  return true;
}

// ---- accesses without order ----

bool explorer::puts_off(rank_t source, handler_id h, const std::byte* message, std::size_t bytes) {
  if (!inside_ || judge_ == nullptr || judge_(h, message, bytes) != kind::without_order) return false;
  std::uint64_t bits = 0;
  if (!shared_.decide(bits) || bits % 4 != 0) return false;
  late_.push_back({source, h, looks_ + (std::uint64_t{1} << ((bits >> 8) % 9)), {message, message + bytes}});
  return true;
}

template <class IsChosen>
std::vector<explorer::late_message> explorer::take_late(IsChosen&& is_chosen) {
  std::vector<late_message> chosen;
  if (late_.empty()) return chosen;
  const auto rest = std::stable_partition(late_.begin(), late_.end(), [&](const late_message& m) { return !is_chosen(m); });
  chosen.assign(std::make_move_iterator(rest), std::make_move_iterator(late_.end()));
  late_.erase(rest, late_.end());
  return chosen;
}

std::vector<explorer::late_message> explorer::take_due() {
  return take_late([this](const late_message& m) { return m.due <= looks_ || !inside_; });
}

std::vector<explorer::late_message> explorer::take_late_of(rank_t source) {
  return take_late([source](const late_message& m) { return m.source == source; });
}

}  // namespace armilla::detail
