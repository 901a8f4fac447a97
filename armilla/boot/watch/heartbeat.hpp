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
/// process of each host, that of its first rank, has a thread that sends a datagram to a few other hosts several times in each
/// time-out, whatever the ranks do. The hosts form a circle: each sends to the four after it, and watches the four before it.
/// Those that the membership of the job has lost are left out, so that the circle closes behind them.
///
/// A host that has been heard of and then is not for the time-out is doubted: the watcher asks the others that watch it. If one
/// of them does not hear it either, it is lost, with all its ranks, and every host is told. So a connection that breaks between
/// two hosts loses neither. A watcher that hears nothing at all from any host takes all of them for lost: it is cut off. A host
/// that never was heard, because something between swallows datagrams, is not watched.
namespace armilla::detail {

/// What a host tells the others before: where it listens, and the word that it knows them by.
struct heartbeat_listener {
  static constexpr std::size_t most_addresses = 6;
  std::uint32_t address[most_addresses];  ///< IPv4, as on the wire; 0: no more
  std::uint16_t port;                     ///< as on the wire; 0: it does not listen
  std::uint16_t reserved;
  unsigned char word[16];
};

/// One datagram. The receiver's word shows that its sender belongs to the job.
struct beat {
  enum class word : std::uint32_t {
    here,    ///< the sender is there
    silent,  ///< it has not heard host `about`: who does not hear it either says so
    lost     ///< host `about` is lost
  };
  std::uint64_t magic = job_block::good_magic;
  std::uint32_t from = 0;
  word what = word::here;
  std::uint32_t about = 0;
  std::uint32_t reserved = 0;
  unsigned char word_of_receiver[sizeof heartbeat_listener::word] = {};
};
static_assert(sizeof(beat) == 40);

class heartbeat {
 public:
  static constexpr std::size_t most_watchers = 4;  ///< of each host

  /// Listens from now on, on this interface; without one on all. Where that fails it stays silent.
  explicit heartbeat(const network_interface& at = {});
  /// Goes on as the heartbeat of a rank that was lost: where that one listened. Throws `limit_error` if it cannot.
  heartbeat(const network_interface& at, const heartbeat_listener& before);
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
    std::uint64_t heard_ns = 0;    ///< 0: never
    std::uint64_t doubted_ns = 0;  ///< when another host said that it does not hear it; 0: never
  };
  using numbers = std::vector<std::size_t>;  // of hosts

  bool listen(std::uint32_t address, std::uint16_t port) noexcept;
  void run() noexcept;
  bool beats(std::size_t host) const noexcept;
  numbers next_to(std::size_t host, bool behind) const;
  void look_at_circle();
  void say_to(std::size_t host, beat::word what, std::size_t about) noexcept;
  void send();
  void receive();
  void take(const beat& b, std::uint64_t now);
  void hear(std::uint32_t from, rank_t lost, std::string_view cause);
  void judge(std::uint64_t now);
  bool is_silent(const peer& p, std::uint64_t now, std::uint64_t within_ns) const noexcept;
  void doubt(std::size_t host, std::uint64_t now);
  void lose(std::size_t host);
  void tell_lost(const peer& p);

  int socket_ = -1;
  heartbeat_listener mine_{};
  std::atomic<bool> watching_ = true;
  suspicion suspicion_;
  job_block* job_ = nullptr;
  std::vector<peer> peers_;
  std::size_t me_ = 0;
  std::uint64_t timeout_ns_ = 0;
  std::uint32_t epoch_ = ~std::uint32_t{0};  // of the membership that the circle is of
  numbers watchers_, watched_;
  std::uint64_t heard_any_ns_ = 0;  // 0: no host ever
};

}  // namespace armilla::detail
