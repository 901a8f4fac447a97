// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "history.hpp"
#include "snapshot.hpp"

namespace armilla::top {

/// What can be asked of the ranks while a page shows it; it costs them a little.
enum class question : unsigned { waits, methods, traffic, objects };
inline constexpr std::size_t questions = 4;
inline constexpr std::string_view question_names[questions] = {"waits", "methods", "traffic", "objects"};

/// Takes snapshots of a job, one for all pages: an event is made once, and pages share it. A page that is slow misses events.
class feed {
 public:
  using event = std::shared_ptr<const std::string>;

  feed(client job, std::chrono::milliseconds interval);
  ~feed();
  feed(const feed&) = delete;

  /// The newest event with a number above `seen`, which becomes its number. Null: there is none within that time.
  event next(std::uint64_t& seen, std::chrono::milliseconds patience);
  /// The last minute as an event.
  std::string past() const;
  /// The last minute as a trace that Perfetto opens: what was sampled.
  std::string trace() const;
  /// The ranks are asked that for the next ten seconds.
  void ask(question what);
  /// The job has ended, and its last event is there.
  bool over() const;
  /// Nothing more comes: `next` returns at once.
  void stop();
  bool stopped() const;
  const client& job() const noexcept { return look_.job(); }

 private:
  using clock = std::chrono::steady_clock;
  void sample();
  void ask_ranks();
  void publish(const snapshot& s);
  bool wait(std::chrono::milliseconds time);
  bool is_asked(question what) const;

  const std::chrono::milliseconds interval_;
  watcher look_;
  mutable std::mutex lock_;  // of all below
  mutable std::condition_variable changed_;
  bool stopped_ = false, over_ = false;
  std::uint64_t number_ = 0;
  event newest_;
  history past_;
  std::vector<container_sizes> containers_;
  clock::time_point asked_[questions] = {};
  std::shared_ptr<const nlohmann::ordered_json> answers_[questions];  // null: not asked
  std::vector<std::thread> threads_;
};

}  // namespace armilla::top
