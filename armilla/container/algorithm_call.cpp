// SPDX-License-Identifier: Apache-2.0
#include "armilla/container/algorithm_call.hpp"

#include <fmt/format.h>

#include "armilla/stats/rank_stats.hpp"

namespace armilla::detail {

algorithm_call::algorithm_call(const char* name) {
  rank_stats& s = stats_of(here(name));
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
