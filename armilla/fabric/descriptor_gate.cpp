// SPDX-License-Identifier: Apache-2.0
#include "armilla/fabric/descriptor_gate.hpp"

#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

namespace armilla::detail {

descriptor_gate::~descriptor_gate() {
  if (set_ >= 0) ::close(set_);
  if (timer_ >= 0) ::close(timer_);
}

int descriptor_gate::descriptor(int watched) noexcept {
  if (watched_ < 0 && watched >= 0 && !make(watched)) {
    if (set_ >= 0) ::close(set_);
    set_ = -1;
  }
  return set_ >= 0 && watched >= 0 ? set_ : watched;
}

bool descriptor_gate::make(int watched) noexcept {
  watched_ = watched;
  set_ = epoll_create1(EPOLL_CLOEXEC);
  timer_ = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  epoll_event none{}, readable{};
  readable.events = EPOLLIN;
  return set_ >= 0 && timer_ >= 0 && set_timer(0) && epoll_ctl(set_, EPOLL_CTL_ADD, watched, &none) == 0 &&
         epoll_ctl(set_, EPOLL_CTL_ADD, timer_, &readable) == 0;
}

void descriptor_gate::open() noexcept {
  if (open_ || set_ < 0) return;
  set_timer(0);
  watch(EPOLLIN);
  open_ = true;
}

void descriptor_gate::shut(std::uint64_t ns) noexcept {
  if (!open_) return;
  watch(0);
  set_timer(ns);
  open_ = false;
}

void descriptor_gate::watch(int how) noexcept {
  epoll_event event{};
  event.events = std::uint32_t(how);
  epoll_ctl(set_, EPOLL_CTL_MOD, watched_, &event);
}

// 0: never. Either way it is not readable from before.
bool descriptor_gate::set_timer(std::uint64_t ns) noexcept {
  itimerspec when{};
  when.it_value = {time_t(ns / 1'000'000'000), long(ns % 1'000'000'000)};
  return timerfd_settime(timer_, 0, &when, nullptr) == 0;
}

}  // namespace armilla::detail
