// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "armilla/base/values/types.hpp"
#include "armilla/boot/host/interfaces.hpp"
#include "armilla/boot/host/job_block.hpp"

/// Whether other hosts of a job are still there.
///
/// Networks say nothing of a cable that was pulled or a host that was stopped, and a rank that computes is silent, too. So one
/// process of each host, that of its first rank, has a thread that sends a datagram to every other host a few times in each
/// time-out, whatever the ranks do. A host that has been heard of and then is not for the time-out is lost, with all its ranks.
/// One that never was, because something between swallows datagrams, is not watched.
namespace armilla::detail {

/// What a host tells the others before: where it listens, and the word that it knows them by.
struct heartbeat_listener {
  static constexpr std::size_t most_addresses = 6;
  std::uint32_t address[most_addresses];  ///< IPv4, as on the wire; 0: no more
  std::uint16_t port;                     ///< as on the wire; 0: it does not listen
  std::uint16_t reserved;
  unsigned char word[16];
};

class heartbeat {
 public:
  /// Listens from now on, on this interface; without one on all. Where that fails it stays silent.
  explicit heartbeat(const network_interface& at = {});
  ~heartbeat();
  heartbeat(const heartbeat&) = delete;

  heartbeat_listener listener() const noexcept { return mine_; }

  struct host {
    heartbeat_listener listener;
    std::vector<rank_t> ranks;  ///< ascending
    std::string name;
  };
  /// Starts a thread that holds `self`, until the process ends. Losses go to `job`.
  static void start(const std::shared_ptr<heartbeat>& self, job_block& job, std::vector<host> hosts, std::size_t mine,
                    std::uint64_t timeout_ns);
  /// Tells the other hosts (`listeners`, by number) what a rank of host `mine` has found out of one of its own. Any rank of it
  /// may: no heartbeat of its own is needed.
  static void pass_on(const std::vector<heartbeat_listener>& listeners, std::size_t mine, rank_t lost,
                      std::string_view cause) noexcept;
  /// The job comes to its end: a host that falls silent from now on is not lost.
  void watch_no_more() noexcept { watching_.store(false, std::memory_order_relaxed); }

  /// Called before `start`: a host that falls silent is not lost by that. `to` gets its ranks from the thread of the heartbeat,
  /// again after each time-out in which the host stays silent, and what decides that they are lost tells so.
  using suspicion = std::function<void(const std::vector<rank_t>&)>;
  void tell_suspicion(suspicion to) { suspicion_ = std::move(to); }

 private:
  struct peer {
    host who;
    std::uint64_t heard_ns = 0;  ///< 0: never
    bool lost = false;
  };

  void run() noexcept;
  void send();
  void receive();
  void hear(std::uint32_t from, rank_t lost, std::string_view cause);
  void judge(std::uint64_t now);
  void lose(peer& p);

  int socket_ = -1;
  heartbeat_listener mine_{};
  std::atomic<bool> watching_ = true;
  suspicion suspicion_;
  job_block* job_ = nullptr;
  std::vector<peer> peers_;
  std::size_t me_ = 0;
  std::uint64_t timeout_ns_ = 0;
};

}  // namespace armilla::detail
