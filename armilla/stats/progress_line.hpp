// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include "armilla/stats/counters.hpp"

namespace armilla::detail {

/// Tells how a rank's long algorithms get on: on a terminal a line that is written anew, else a line now and then. A thread of
/// its own writes, for the rank computes.
class progress_line {
 public:
  struct manner {
    int file = 2;
    bool terminal = false;
    std::chrono::milliseconds first{500}, every{5000};  ///< after the begin of an algorithm, and from then on
  };

  progress_line(const counters& count, manner m);
  ~progress_line();
  progress_line(const progress_line&) = delete;
  progress_line& operator=(const progress_line&) = delete;

  /// Of algorithms that call each other, the outermost counts. `name` must live on.
  void begin(const char* name);
  void end();

 private:
  void watch();
  std::string text() const;
  void write(const std::string& text) const;

  const counters& count_;
  const manner manner_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false, shown_ = false;
  int depth_ = 0;
  const char* name_ = nullptr;
  std::uint64_t began_ns_ = 0, elements_before_ = 0, moved_before_ = 0;
  std::thread writer_;
};

}  // namespace armilla::detail
