// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "armilla/stats/counters.hpp"

namespace armilla::detail {

/// What the ranks have done of what there is to do, in units of the algorithm; `expected` is 0 where that is not known.
struct work_seen {
  std::uint64_t done = 0, expected = 0;
};

/// Shows the progress of long algorithms: on a terminal a bar with rate and time left, which is drawn again and again; else a
/// line now and then. A thread of its own writes, for the rank computes.
class progress_line {
 public:
  struct manner {
    int file = 2;  ///< closed at the end unless it is a standard one
    bool terminal = false;
    std::chrono::milliseconds first{500}, every{5000};  ///< after the begin of an algorithm, and from then on
  };

  progress_line(const counters& count, manner m);
  ~progress_line();
  progress_line(const progress_line&) = delete;
  progress_line& operator=(const progress_line&) = delete;

  /// Of algorithms that run at the same time, the first counts. `name` must live on; `seen` is asked until the end.
  void begin(const char* name, std::function<work_seen()> seen = {});
  void end();
  /// Of what is done: a literal.
  void set_unit(const char* unit);

 private:
  void watch();
  std::string line() const;
  std::string bar();
  void look();
  void write(const std::string& text) const;

  const counters& count_;
  const manner manner_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false, shown_ = false;
  int depth_ = 0;
  std::string name_;  // of the outermost; it may end before one of another fiber that has begun within. Empty: there is none
  const char* unit_ = "";
  std::function<work_seen()> seen_;
  work_seen work_;                                // when it was looked at last
  std::uint64_t began_ns_ = 0, moved_on_ns_ = 0;  // the last time at which more was done
  std::uint64_t elements_before_ = 0, moved_before_ = 0;
  std::thread writer_;
};

/// "3.2 M", for people.
std::string short_number(double n);

}  // namespace armilla::detail
