// SPDX-License-Identifier: Apache-2.0
#include "armilla/container/algorithm_call.hpp"

#include <utility>

#include <fmt/format.h>

#include "armilla/global/per_rank.hpp"
#include "armilla/stats/rank_stats.hpp"

namespace armilla::detail {
namespace {

per_rank<bool> end_is_left_out;  // of the next algorithm

}  // namespace

without_end::without_end() { *end_is_left_out = true; }
without_end::~without_end() { *end_is_left_out = false; }

algorithm_call::algorithm_call(const char* name) {
  rank_stats& s = stats_of(here(name));
  waits_ = !std::exchange(*end_is_left_out, false);
  if (s.watched()) [[unlikely]]
    shown_ = std::make_unique<phase>(fmt::format("am::{}", name).c_str());
  ++s.algorithms;  // in the phase
  if (s.progress != nullptr) [[unlikely]] {
    told_ = s.progress.get();
    told_->begin(name);
  }
}

algorithm_call::~algorithm_call() {
  if (told_ != nullptr) told_->end();
}

}  // namespace armilla::detail
