// SPDX-License-Identifier: Apache-2.0
#include "armilla/am/endpoint/method_sample.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "armilla/am/handler/method_name.hpp"
#include "armilla/stats/rank_stats.hpp"

namespace armilla::detail {

namespace {

void add_line(std::string& text, std::string_view name, std::uint64_t messages, std::uint64_t bytes) {
  text += fmt::format("{}\t{}\t{}\n", name, messages, bytes);
}

}  // namespace

method_sample::method_sample(inbox& in, named_methods named)
    : in_(in),
      named_(std::move(named)),
      own_(handler_message_sizes()),
      counts_(stats_of(in.self).methods != nullptr ? *stats_of(in.self).methods : own_) {
  begin();
}

method_sample::~method_sample() {
  in_.count_methods(nullptr);
  counts_.by_index.clear();
}

std::string method_sample::restart() {
  const std::string text = lines();
  begin();
  return text;
}

std::string method_sample::lines() const {
  const std::uint64_t end = std::min(counts_.until, in_.self.count->bundles_received);
  std::string text = fmt::format("{}\n", end - from_);
  for (std::size_t i = 0; i < before_.size(); ++i) {
    const method_count& now = counts_.all()[i];
    const auto messages = std::int64_t(now.messages - before_[i].messages), bytes = std::int64_t(now.bytes - before_[i].bytes);
    if (messages <= 0 || bytes < 0) continue;  // fewer than none: of what has come before, more was put back since
    if (const method_counts::indexed* const many = counts_.indexed_of(std::uint32_t(i)); many != nullptr)
      add_indexed(text, *many);
    else
      add_line(text, handler_method_name(handler_id(i)), std::uint64_t(messages), std::uint64_t(bytes));
  }
  return text;
}

void method_sample::add_indexed(std::string& text, const method_counts::indexed& all) const {
  for (std::size_t i = 0; i < all.counts.size(); ++i)
    if (const method_count& one = all.counts[i]; one.messages != 0)
      add_line(text, named_.name(in_.self, all.method, i), one.messages, one.bytes);
}

void method_sample::begin() {
  before_.clear();
  for (const method_count& each : counts_.all()) before_.push_back({each.messages, each.bytes});
  counts_.by_index = named_.handlers;
  for (method_counts::indexed& each : counts_.by_index) each.counts.resize(named_.size(in_.self));
  from_ = in_.self.count->bundles_received;
  if (&counts_ != &own_) return;
  own_.until = from_ + most;
  in_.count_methods(&own_);
}

// ---- of the receiving side ----

void inbox::count_methods(method_counts* counts) noexcept {
  methods_ = counts != nullptr ? counts : stats_of(self).methods.get();
  note_observers();
}

void inbox::end_sample() noexcept {
  methods_->until = count_.bundles_received;
  count_methods(nullptr);
}

// The message ends where the rest of the bundle begins. Its body checks the index; here a wrong one only counts for none.
void delivery::note_index(handler_id h, std::size_t bytes) noexcept {
  method_counts::indexed* const many = methods_->indexed_of(h);
  const bundle_rest* const rest = arriving_ != nullptr ? arriving_->bundle : nullptr;
  std::uint64_t index = 0;
  if (many == nullptr || rest == nullptr || rest == &limited_bundle || bytes < many->at + sizeof index) return;
  std::memcpy(&index, rest->at - bytes + many->at, sizeof index);
  if (index >= many->counts.size()) return;
  ++many->counts[index].messages;
  many->counts[index].bytes += bytes;
}

}  // namespace armilla::detail
