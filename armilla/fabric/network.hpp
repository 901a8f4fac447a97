// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

#include "armilla/base/values/types.hpp"

namespace armilla::detail {

/// What carries bytes between ranks that share no memory: an engine of a backend, or what stands for one in a test.
///
/// It moves *frames*, of at most `most()` bytes, and *bulk*, of any length, which goes straight from the sender's memory to the
/// receiver's. It knows nothing of what is in them. Frames from one rank to another arrive once and in order, unless a
/// decorator stands before it; bulk and frames do not wait for each other. Its user, `remote_link`, limits how many frames are
/// under way to a rank, so that a network need not refuse any for the receiver's sake.
///
/// One thread uses it at a time. No function waits for another rank. Budget: one virtual call a frame, none a message.
class network {
 public:
  network() = default;
  network(const network&) = delete;
  network& operator=(const network&) = delete;
  virtual ~network() = default;

  /// As in ARMILLA_FABRIC. And what is under it, for people: "Open MPI 4.1.4", "UCX 1.13.1, tcp".
  virtual const char* name() const noexcept = 0;
  virtual const char* version() const noexcept = 0;

  // ---- addresses, for networks that do not exchange them themselves ----

  /// What other ranks need to reach this one, `address_bytes()` of it (the same on all ranks); 0: they need nothing.
  virtual std::size_t address_bytes() const noexcept { return 0; }
  virtual const std::byte* address() const noexcept { return nullptr; }
  /// The addresses of all ranks, one behind the other, which stay where they are. Before any frame is sent; all ranks call it at
  /// about the same time. Connects to no rank yet, the first frame to it does: unless an engine has to know all before one dies.
  virtual void set_addresses(const std::byte* all) { (void)all; }

  // ---- memory that needs nothing of its owner, for networks that have some ----

  /// Puts memory of this network's own in place of `bytes` bytes at `base`, whole pages which nothing has written yet, so that
  /// others may load and store there while this rank computes. Before the addresses are asked for; all ranks call it alike, and
  /// `part` counts the calls from 0. The memory stays until the process ends. False: all is as before.
  virtual bool hold(std::byte* base, std::size_t bytes) {
    (void)base, (void)bytes;
    return false;
  }
  /// Whether it holds any.
  virtual bool holds() const noexcept { return false; }
  /// Where this rank can load and store what rank `r` holds as its part number `part`, until `finish`; null: nowhere.
  virtual std::byte* reach(rank_t r, unsigned part) {
    (void)r, (void)part;
    return nullptr;
  }

  // ---- frames: to other ranks, never to oneself ----

  /// The longest frame, the same on all ranks.
  virtual std::size_t most() const noexcept = 0;
  /// Room for a frame of at most `bytes` bytes, aligned to 8; null if no buffer is free now: `poll` frees them. Nothing else is
  /// acquired or polled before it is submitted; acquiring again without submitting gives room anew.
  virtual std::byte* acquire(rank_t to, std::size_t bytes) = 0;
  /// Sends the first `bytes` bytes of what was acquired. It may stay here until a later `poll`: a rank that waits elsewhere,
  /// as in `bootstrap::meet`, sees to it before that what others wait for has left.
  virtual void submit(rank_t to, std::size_t bytes) = 0;

  struct arrival {
    const std::byte* data = nullptr;  ///< aligned to 8; null: nothing has come
    std::size_t bytes = 0;
    rank_t source = no_rank;   ///< no_rank: this network does not know; the frame says so itself
    std::uintptr_t token = 0;  ///< for `release`
  };
  /// The next frame that has come, if any; lets everything under way make progress. Several may be held before they are
  /// released, in any order, but at least one receive must be left to it: see `held_at_most`.
  virtual arrival poll() = 0;
  virtual void release(std::uintptr_t token) = 0;
  virtual std::size_t held_at_most() const noexcept = 0;

  // ---- bulk ----

  /// Sends or receives `bytes` bytes without a copy where that is possible. Both sides name the transfer by `id`, unique among
  /// those under way from the one to the other; either may come first. The memory must stay as it is until `done`.
  /// Returns a number for `done`, never 0.
  virtual std::uintptr_t send_bulk(rank_t to, std::uint32_t id, const std::byte* data, std::size_t bytes) = 0;
  virtual std::uintptr_t receive_bulk(rank_t from, std::uint32_t id, std::byte* data, std::size_t bytes) = 0;
  /// Whether that transfer is over (asked by its number until true, then the number is used again); makes no progress itself.
  /// Over, but not done, are also those with a rank that `lost` has told.
  virtual bool done(std::uintptr_t transfer) = 0;

  // ---- threads, sleep ----

  /// Whether several threads may use it, one at a time; false: only the one that opened it.
  virtual bool any_thread() const noexcept { return true; }
  /// Where that is false: what the program can do to allow several, as "do this; or "; empty: nothing.
  virtual const char* how_any_thread() const noexcept { return ""; }

  /// A descriptor that becomes readable when something comes; -1: there is none, a wait has to look.
  virtual int descriptor() const noexcept { return -1; }
  /// Before sleeping on it. False: something has come already, look again.
  virtual bool arm() { return false; }

  // ---- loss ----

  struct loss {
    rank_t rank = no_rank;  ///< no_rank: none is lost
    const char* why = nullptr;
  };
  /// A rank to which the connection broke; each once. This rank itself: the network failed as a whole.
  virtual loss lost() { return {}; }
  /// Rank `r` is lost, which its user has heard elsewhere: nothing more is sent there, and what is under way with it ends as soon
  /// as this network can end it. What it cannot may never be `done`.
  virtual void give_up(rank_t r) { (void)r; }

  // ---- ranks that come into the running job ----

  /// Whether it knows `expect`. A job that takes new ranks needs that.
  virtual bool takes_new_ranks() const noexcept { return false; }
  /// Another process comes as rank `r`, where one has ended that was given up, or none was before. What was with that one is
  /// forgotten, and nothing of it comes any more. The new one puts its address among those of `set_addresses` before it sends;
  /// what it sends comes from then on. Nothing is sent there before.
  virtual void expect(rank_t r) { (void)r; }

  /// All ranks have come to the end and nothing is under way that matters: forgets the rest and lets go of the peers. The
  /// destructor may come much later.
  virtual void finish() = 0;
};

}  // namespace armilla::detail
