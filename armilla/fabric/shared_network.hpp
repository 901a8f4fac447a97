// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "armilla/boot/host/control_block.hpp"
#include "armilla/fabric/biased_lock.hpp"
#include "armilla/fabric/descriptor_gate.hpp"
#include "armilla/fabric/network.hpp"

namespace armilla::detail {

struct options;

/// One network for a rank and its progress thread. Each has a *side*, which is a network; frames that come are told apart by
/// their lane. What one of the two finds for the other is copied and kept there, in order; the credit of `remote_link` bounds
/// how much that can be.
///
/// A rank that looks also does what it finds for its progress thread: to wake that would take longer. The progress thread works
/// only where the rank does not look, and wakes a rank that sleeps, or interrupts one that wants that. One of them at a time
/// *serves*, by a lock that neither waits for while it looks for itself.
///
/// One of them at a time is inside of the network, by a lock of its own for each call (from `acquire` to `submit`), which costs a
/// rank that looks all the time next to nothing. A rank without a progress thread uses the network itself and pays for none of
/// this.
///
/// The progress thread looks at the network only when it was told to: while the rank looks by itself, each look of another thread
/// would only be in its way. So would one that sleeps until something comes: the reply that its rank waits for would wake it, on
/// that rank's core. A rank that begins to look takes the network's descriptor from it for a while.
class shared_network {
 public:
  /// What does the progress thread's work, by either of the two.
  struct server {
    bool (*serve)(void* argument) = nullptr;  ///< true: there was something
    void* argument = nullptr;
  };

  /// `rank` and `progress_thread`: the sleepers to wake. `after_ns`: ARMILLA_PROGRESS_AFTER; 0: the progress thread always looks.
  /// `most_kept`: bytes of frames that may be kept for either, which honest ranks never reach.
  shared_network(network& net, control_block& rank, control_block& progress_thread, std::uint64_t after_ns = 200'000,
                 std::size_t most_kept = ~std::size_t{0});
  shared_network(const shared_network&) = delete;

  network& for_rank() noexcept { return rank_; }
  network& for_progress_thread() noexcept { return thread_; }
  /// Whether something is kept for it. May be asked without the lock, behind `prepare_wait`.
  bool keeps_for_rank() const noexcept { return rank_.keeps(); }
  bool keeps_for_progress_thread() const noexcept { return thread_.keeps(); }

  // ---- the rank ----

  /// Whether there is work for the progress thread that the rank can do, now or later.
  bool wants_service() const noexcept {
    return (keeps_for_progress_thread() || under_way()) && rank_serves_.load(std::memory_order_relaxed);
  }
  /// Does it, unless the progress thread is at it. True: there was something.
  bool serve();
  /// It is about to sleep: it will be woken, so the progress thread need not look for it.
  void rank_sleeps() noexcept { sleeps_.store(true, std::memory_order_seq_cst); }
  /// And now it is awake again, and may begin to compute.
  void rank_woke() noexcept {
    sleeps_.store(false, std::memory_order_seq_cst);
    if (rests_.load(std::memory_order_seq_cst)) wake(thread_.owner);
  }

  // ---- the progress thread ----

  /// From here on the rank serves, too. Nothing in it: no longer, and it does not at this moment.
  void serve_by(const server& both);
  /// Held while it works.
  std::mutex& serving() noexcept { return serving_; }
  /// Whether something that it began, or has to send, moves only while a thread looks.
  void set_under_way(bool yes) noexcept { under_way_.store(yes, std::memory_order_relaxed); }
  bool under_way() const noexcept { return under_way_.load(std::memory_order_relaxed); }
  /// How often the rank has looked.
  std::uint64_t looks_of_rank() const noexcept { return rank_.looks.load(std::memory_order_relaxed); }
  /// From here on `for_progress_thread().poll()` looks at the network, or only at what is kept.
  void let_progress_thread_look(bool yes) noexcept { thread_.looks_itself = yes; }
  /// When the rank last looked, if it has shut the gate since this was asked, else `now`.
  std::uint64_t looked_at(std::uint64_t now) noexcept;
  bool sleeping_rank() const noexcept { return sleeps_.load(std::memory_order_seq_cst); }
  /// The progress thread is about to sleep until the rank wakes. False: it has.
  bool rest() noexcept {
    rests_.store(true, std::memory_order_seq_cst);
    return sleeping_rank();
  }
  void rested() noexcept { rests_.store(false, std::memory_order_relaxed); }

 private:
  class turn;
  struct kept_frame {
    std::unique_ptr<std::uint64_t[]> copy;
    std::size_t bytes;
    rank_t source;
  };

  class side final : public network {
   public:
    side(shared_network& all, control_block& owner, bool of_rank) : owner(owner), all_(all), of_rank_(of_rank) {}

    const char* name() const noexcept override { return all_.net_.name(); }
    const char* version() const noexcept override { return all_.net_.version(); }
    std::byte* reach(rank_t r, unsigned part) override;
    std::size_t most() const noexcept override { return all_.net_.most(); }
    std::byte* acquire(rank_t to, std::size_t bytes) override;
    void submit(rank_t to, std::size_t bytes) override;
    arrival poll() override;
    void release(std::uintptr_t token) override;
    std::size_t held_at_most() const noexcept override { return all_.net_.held_at_most(); }
    std::uintptr_t send_bulk(rank_t to, std::uint32_t id, const std::byte* data, std::size_t bytes) override;
    std::uintptr_t receive_bulk(rank_t from, std::uint32_t id, std::byte* data, std::size_t bytes) override;
    bool done(std::uintptr_t transfer) override;
    int descriptor() const noexcept override;
    bool arm() override;
    loss lost() override;
    void give_up(rank_t r) override;
    void finish() override {}  // the network's own end comes later

    bool keeps() const noexcept { return kept_count_.load(std::memory_order_acquire) != 0; }
    void keep(const arrival& a);

    control_block& owner;
    std::atomic<std::uint64_t> looks = 0;
    bool looks_itself = true;

   private:
    friend turn;
    arrival first_kept();
    bool look(arrival& mine);
    void enter();
    void leave() noexcept;

    shared_network& all_;
    const bool of_rank_;
    bool filling_ = false;  ///< between `acquire` and `submit`: inside
    std::deque<kept_frame> kept_;
    std::size_t kept_bytes_ = 0;
    std::deque<loss> losses_;  ///< that the other one has heard of
    std::atomic<std::size_t> kept_count_ = 0;
    std::vector<std::unique_ptr<std::uint64_t[]>> handed_out_;  ///< of what was kept, until it is released
  };

  side& whose(const network::arrival& a) noexcept;
  void note_look_of_rank();

  network& net_;
  const std::uint64_t after_ns_;
  const std::size_t most_kept_;
  descriptor_gate gate_;  ///< where the progress thread sleeps
  std::atomic<std::uint64_t> looked_ =
      0;              ///< `ticks` when the rank did, since it has shut the gate; 0: the progress thread knows
  biased_lock busy_;  ///< the rank is its owner
  side rank_, thread_;
  std::atomic<bool> sleeps_ = false;
  std::atomic<bool> rests_ = false;
  std::atomic<bool> under_way_ = false;
  std::mutex serving_;
  server server_;                          ///< changes while `serving_` is held
  std::atomic<bool> rank_serves_ = false;  ///< whether there is one
};

/// Whether a rank has a progress thread for what `net` brings: where that was asked for, and by default where the thread can
/// sleep until something comes. A network without a descriptor would have it look all the time; one of tests has it when asked.
bool answers_by_thread(const options& settings, const network& net) noexcept;

}  // namespace armilla::detail
