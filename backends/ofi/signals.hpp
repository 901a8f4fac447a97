// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <signal.h>

#include <cstddef>
#include <iterator>

namespace armilla::ofi {

/// Handlers of signals as they are when this is made. Libraries of libfabric's providers catch crashes and SIGTERM, some when
/// they are loaded and some when libfabric looks for adapters, used or not. They end the process by exit(1) and hide the
/// program's handlers.
class signal_handlers {
 public:
  signal_handlers() noexcept {
    for (std::size_t i = 0; i < std::size(caught); ++i) sigaction(caught[i], nullptr, &handlers_[i]);
  }
  void put_back() const noexcept {
    for (std::size_t i = 0; i < std::size(caught); ++i) sigaction(caught[i], &handlers_[i], nullptr);
  }

 private:
  static constexpr int caught[] = {SIGILL, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGTERM, SIGINT};
  struct sigaction handlers_[std::size(caught)];
};

/// The same for a block.
class kept_signals {
 public:
  kept_signals() = default;
  ~kept_signals() { handlers_.put_back(); }
  kept_signals(const kept_signals&) = delete;

 private:
  signal_handlers handlers_;
};

}  // namespace armilla::ofi
