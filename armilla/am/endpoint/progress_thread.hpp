// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstdint>
#include <mutex>

#include "armilla/am/endpoint/endpoint.hpp"

namespace armilla::detail {

/// What a progress thread does: it takes in lane 1 of its rank's rings, answers on lane 2, and looks after the network that it
/// shares with its rank.
class progress_thread {
 public:
  /// `processed`: where the rank sees how far it is.
  progress_thread(endpoint& mine, std::atomic<std::uint64_t>* processed) noexcept;
  void until(const std::atomic<bool>& stop);

 private:
  /// At everything; whether there was something.
  bool look();
  bool anything_to_do();
  /// What it has to do its rank does, which looks.
  bool rank_serves() const noexcept;
  /// At what the rank has found for it, on the rank's thread.
  bool serve_for_rank();
  bool take_far();
  /// Held, it is this thread that works, not its rank; nothing where there is no network.
  std::unique_lock<std::mutex> work() const;
  bool look_at_all();
  [[gnu::cold]] void hear_losses();
  bool look_at_rings();
  bool look_at_network();
  /// Whether it is away.
  void look_after_rank() noexcept;
  bool leaves_all_to_rank() const noexcept;
  void rest(const event_count::backoff& backoff) noexcept;
  void rest_beside_network(const event_count::backoff& backoff) noexcept;
  /// The rank may wait for what was written.
  void notify_rank() noexcept;

  endpoint& mine_;
  context& self_;
  const host_map& host_;
};

/// The progress thread of a rank that has one: see answers_by_thread. Nothing otherwise.
/// Starts after all layers, stops before them.
void start_progress_thread(context& self, const launch& how);
void stop_progress_thread(context& self);
/// Stops it in a rank that fails, where what it has under way is abandoned. False if it still runs after `within_ns`, as in a
/// callee that does not return, or if the caller is that thread: the rank's memory and its network must then stay as they are.
bool abandon_progress_thread(context& self, std::uint64_t within_ns) noexcept;

}  // namespace armilla::detail
