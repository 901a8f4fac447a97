// SPDX-License-Identifier: Apache-2.0
#include "armilla/show_progress.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <memory>

#include "armilla/base/core/options.hpp"
#include "armilla/stats/rank_stats.hpp"
#include "armilla/stats/start_statistics.hpp"

namespace armilla {
namespace detail {

namespace {

// What is a terminal, or -1. Where ranks' output goes by pipes, armilla-run still shows it on the one that it has itself.
int terminal(const options& set) {
  if (isatty(STDERR_FILENO) == 1) return STDERR_FILENO;
  return set.progress_bar == bar_use::terminal ? ::open("/dev/tty", O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC) : -1;
}

void show_progress(context& self, bool anywhere) {
  rank_stats& s = stats_of(self);
  if (self.rank != 0 || s.progress != nullptr || self.settings->show_progress == progress_use::off) return;
  progress_line::manner how;
  const int shown_on = terminal(*self.settings);
  if (shown_on < 0 && !anywhere) return;
  how.terminal = shown_on >= 0;
  if (how.terminal) how.file = shown_on, how.every = std::chrono::milliseconds(500);
  s.progress = std::make_unique<progress_line>(*self.count, how);
}

}  // namespace

void start_progress(context& self) {
  const bool lines = self.settings->show_progress == progress_use::on;
  if (lines || self.settings->progress_bar != bar_use::off) show_progress(self, lines);
}

}  // namespace detail

void show_progress() { detail::show_progress(detail::here("show_progress"), false); }

}  // namespace armilla
