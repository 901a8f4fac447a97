// SPDX-License-Identifier: Apache-2.0
#include "armilla/stats/progress_line.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "armilla/base/core/helper_thread.hpp"
#include "armilla/base/values/clock.hpp"

namespace armilla::detail {
namespace {

constexpr const char* clear = "\r\033[K";
constexpr std::size_t least_bar = 8, widest_bar = 24;

double seconds(std::uint64_t ns) { return double(ns) * 1e-9; }

// The columns of the terminal, so that the line does not break.
std::size_t columns_of(int file) {
  winsize size{};
  return ioctl(file, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1U : 79;
}

std::string duration_text(double s) {
  const auto whole = std::uint64_t(std::ceil(s));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

// "3.2 MB", "3.2 M elements", "7 elements".
std::string amount_text(double n, std::string_view unit) {
  std::string text = short_number(n);
  if (unit == "bytes") return text + "B";
  if (text.back() != ' ') text += ' ';
  return text.append(unit);
}

}  // namespace

std::string short_number(double n) {
  constexpr const char* prefixes[] = {"", "k", "M", "G", "T"};
  std::size_t k = 0;
  for (; n >= 999.95 && k + 1 < std::size(prefixes); ++k) n /= 1000;
  return fmt::format("{:.{}f} {}", n, n < 99.95 && k != 0 ? 1 : 0, prefixes[k]);
}

progress_line::progress_line(const counters& count, manner m) : count_(count), manner_(m) {
  writer_ = start_helper_thread("progress", [this] { watch(); });
}

progress_line::~progress_line() {
  {
    const std::lock_guard alone(mutex_);
    over_ = true;
  }
  changed_.notify_one();
  writer_.join();
  if (manner_.file > STDERR_FILENO) ::close(manner_.file);
}

void progress_line::begin(const char* name, std::function<work_seen()> seen) {
  const std::lock_guard alone(mutex_);
  if (depth_++ != 0) return;
  name_ = name;
  unit_ = "";
  seen_ = std::move(seen);
  work_ = {};
  began_ns_ = moved_on_ns_ = now_ns();
  elements_before_ = count_.elements;
  moved_before_ = count_.elements_moved;
}

void progress_line::end() {
  const std::lock_guard alone(mutex_);
  if (--depth_ != 0) return;
  name_.clear();
  seen_ = {};
  if (shown_ && manner_.terminal) write(clear);
  shown_ = false;
}

void progress_line::set_unit(const char* unit) {
  const std::lock_guard alone(mutex_);
  unit_ = unit;
}

// Looks now and then: an algorithm that begins or ends wakes nothing.
void progress_line::watch() {
  const auto first_ns = std::uint64_t(std::chrono::nanoseconds(manner_.first).count());
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, shown_ ? manner_.every : manner_.first, [&] { return over_; })) {
    if (name_.empty()) continue;
    look();
    if (now_ns() - began_ns_ < first_ns) continue;
    write(manner_.terminal ? clear + bar() : line() + "\n");
    shown_ = true;
  }
}

void progress_line::look() {
  const work_seen now = seen_ ? seen_() : work_seen{};
  if (now.done != work_.done) moved_on_ns_ = now_ns();
  work_ = now;
}

std::string progress_line::line() const {
  const std::uint64_t elements = glance(count_.elements) - elements_before_,
                      moved = glance(count_.elements_moved) - moved_before_;
  std::string text = fmt::format("armilla: am::{}, {:.1f} s: this rank has gone through {} elements and moved {}", name_,
                                 seconds(now_ns() - began_ns_), elements, moved);
  if (work_.expected != 0) text += fmt::format("; {:.0f} % is done", 100 * double(work_.done) / double(work_.expected));
  return text;
}

// Time is left in proportion to what was done when the share last grew: between two steps the rest becomes less.
std::string progress_line::bar() {
  const std::uint64_t now = now_ns();
  const double share = work_.expected == 0 ? 0 : std::min(1.0, double(work_.done) / double(work_.expected));
  std::string text = fmt::format("armilla: am::{} ", name_);
  if (share > 0) {
    const double left = seconds(moved_on_ns_ - began_ns_) * (1 - share) / share - seconds(now - moved_on_ns_);
    const std::string rest =
        fmt::format("] {:3.0f} %, {}/s, {} left", std::floor(100 * share),
                    amount_text(double(work_.done) / seconds(now - began_ns_), unit_), duration_text(std::max(left, 1.0)));
    const std::size_t taken = text.size() + 1 + rest.size(), columns = columns_of(manner_.file);
    const std::size_t width = std::clamp(columns > taken ? columns - taken : 0, least_bar, widest_bar);
    const auto full = std::size_t(share * double(width));
    text += "[" + std::string(full, '#') + std::string(width - full, '.') + rest;
  } else {
    text += duration_text(seconds(now - began_ns_));
    if (const std::uint64_t elements = glance(count_.elements) - elements_before_; elements != 0)
      text += fmt::format(", {} on this rank", amount_text(double(elements), "elements"));
  }
  return text.substr(0, columns_of(manner_.file));
}

void progress_line::write(const std::string& text) const {
  // What a full pipe does not take is lost: nothing waits for it.
  [[maybe_unused]] const ssize_t n = ::write(manner_.file, text.data(), text.size());
}

}  // namespace armilla::detail
