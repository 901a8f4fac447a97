// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "armilla/attach.hpp"
#include "armilla/client/method_rates.hpp"

// What armilla-top sees of a job at one time. The terminal, JSON and the page show the same structure.
namespace armilla::top {

/// One rank between two looks.
struct rank_rates {
  rank_look last;
  double messages = 0;  ///< sent a second: one-way calls, two-way calls, replies
  double bytes = 0;     ///< sent a second, by frames and by blocks
  double busy = 0;      ///< processors that it kept busy: processor time a second
  std::string lost;     ///< why it is lost, if the job knows: "was killed by signal 9 (SIGKILL)"
};

/// The ranks of one host together.
struct host_rates {
  std::string name;  ///< empty: this host
  int ranks = 0, waiting = 0, lost = 0;
  double messages = 0, bytes = 0;  ///< sent a second
  std::uint64_t memory = 0;        ///< of the segments: resident bytes of processes count shared pages several times
};

/// What the job exposes under one name; or containers of one name, type and line that it does not expose.
struct container_sizes {
  std::string name, type;
  std::vector<std::size_t> shape;
  std::uint64_t bytes = 0;                                   ///< of all elements; 0: not known, as for maps and sets
  std::vector<std::pair<rank_t, std::uint64_t>> elements{};  ///< of each rank that exposes it
  double most_by_mean = 0;
  std::string place{};  ///< where the program made it; empty for what is exposed

  /// Sets `most_by_mean`.
  void balance() noexcept;
};

/// The most that one rank had by the mean of the ranks of which something is known, 1 where all had the same; 0: none had any.
struct imbalance {
  double messages = 0, bytes = 0, busy = 0;
};

struct snapshot {
  job_summary job;
  bool alive = true;
  std::chrono::system_clock::time_point at{};
  double seconds = 0;  ///< between the two looks
  std::vector<rank_rates> ranks;
  imbalance most_by_mean;
  std::vector<std::string> losses;             ///< "rank 2 was killed by signal 9 (SIGKILL)", the oldest first
  std::vector<container_sizes> containers{};   ///< filled by `containers_of`
  std::vector<detail::method_rate> methods{};  ///< filled where the ranks are asked for them
};

/// "computes", "waits", "idle" (it serves until others end, or has finished), "lost", "stopped", "starting", "ending";
/// "elsewhere": nothing is known of its host.
const char* state_of(const rank_rates& r) noexcept;
std::vector<host_rates> hosts_of(const std::vector<rank_rates>& ranks);
/// What the ranks did between two looks that lie `seconds` apart.
std::vector<rank_rates> rates_of(const std::vector<rank_look>& before, const std::vector<rank_look>& after, double seconds);
imbalance imbalance_of(const std::vector<rank_rates>& ranks);
/// Errors are those of `exposed`. Cost: some system calls for each part, and some milliseconds for other hosts.
std::vector<container_sizes> containers_of(const client& job);

/// Looks one after the other, and what happened between two of them.
class watcher {
 public:
  explicit watcher(client job) : job_(std::move(job)), looks_(job_.look()) {}

  snapshot next();
  const client& job() const noexcept { return job_; }

 private:
  client job_;
  std::chrono::steady_clock::time_point at_ = std::chrono::steady_clock::now();
  std::vector<rank_look> looks_;
};

}  // namespace armilla::top
