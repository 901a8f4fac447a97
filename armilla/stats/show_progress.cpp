// SPDX-License-Identifier: Apache-2.0
#include "armilla/show_progress.hpp"

#include <unistd.h>

#include "armilla/base/core/options.hpp"
#include "armilla/stats/rank_stats.hpp"
#include "armilla/stats/start_statistics.hpp"

namespace armilla {
namespace detail {

void tell_progress(context& self) {
  rank_stats& s = stats_of(self);
  if (self.rank != 0 || s.progress != nullptr) return;
  progress_line::manner how;
  how.terminal = isatty(STDERR_FILENO) == 1;
  if (how.terminal) how.every = std::chrono::milliseconds(500);  // the same line anew
  s.progress = std::make_unique<progress_line>(*self.count, how);
}

}  // namespace detail

void show_progress() {
  detail::context& self = detail::here("show_progress");
  if (self.settings->show_progress == detail::progress_use::as_asked && isatty(STDERR_FILENO) == 1) detail::tell_progress(self);
}

}  // namespace armilla
