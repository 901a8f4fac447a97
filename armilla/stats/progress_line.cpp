// SPDX-License-Identifier: Apache-2.0
#include "armilla/stats/progress_line.hpp"

#include <unistd.h>

#include <fmt/format.h>

#include "armilla/base/core/helper_thread.hpp"
#include "armilla/base/values/clock.hpp"

namespace armilla::detail {
namespace {

constexpr const char* clear = "\r\033[K";

}  // namespace

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
}

void progress_line::begin(const char* name) {
  const std::lock_guard alone(mutex_);
  if (depth_++ != 0) return;
  name_ = name;
  began_ns_ = now_ns();
  elements_before_ = count_.elements;
  moved_before_ = count_.elements_moved;
}

void progress_line::end() {
  const std::lock_guard alone(mutex_);
  if (--depth_ != 0) return;
  name_ = nullptr;
  if (shown_ && manner_.terminal) write(clear);
  shown_ = false;
}

// Looks now and then: an algorithm that begins or ends wakes nothing.
void progress_line::watch() {
  const auto first_ns = std::uint64_t(std::chrono::nanoseconds(manner_.first).count());
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, shown_ ? manner_.every : manner_.first, [&] { return over_; })) {
    if (name_ == nullptr || now_ns() - began_ns_ < first_ns) continue;
    write(manner_.terminal ? clear + text() : text() + "\n");
    shown_ = true;
  }
}

std::string progress_line::text() const {
  const double seconds = double(now_ns() - began_ns_) * 1e-9;
  const std::uint64_t elements = glance(count_.elements) - elements_before_,
                      moved = glance(count_.elements_moved) - moved_before_;
  return fmt::format("armilla: am::{}, {:.1f} s: this rank has gone through {} elements and moved {}", name_, seconds, elements,
                     moved);
}

void progress_line::write(const std::string& text) const {
  // What a full pipe does not take is lost: nothing waits for it.
  [[maybe_unused]] const ssize_t n = ::write(manner_.file, text.data(), text.size());
}

}  // namespace armilla::detail
