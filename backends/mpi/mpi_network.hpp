// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "armilla/fabric/network.hpp"
#include "armilla/plugin.hpp"
#include "backends/mpi/bulk.hpp"
#include "backends/mpi/pool.hpp"
#include "backends/mpi/ring.hpp"
#include "backends/mpi/start.hpp"

namespace armilla::mpi {

/// The only tag on the communicator of frames.
inline constexpr int frame_tag = 0;

/// Two communicators of our own: one for frames, whose receives wait for any rank, and one for bulk, whose receives name the rank
/// and the transfer. Nothing is allocated for a peer; what MPI keeps for one it makes on the first message.
class mpi_network final : public detail::network {
 public:
  /// All ranks. Throws std::runtime_error if MPI refuses.
  mpi_network(const started& s, const detail::network_settings& settings);

  const char* name() const noexcept override { return "mpi"; }
  const char* version() const noexcept override { return version_.c_str(); }
  std::size_t most() const noexcept override { return frame_bytes_; }

  std::byte* acquire(rank_t to, std::size_t bytes) override;
  void submit(rank_t to, std::size_t bytes) override;
  arrival poll() override;
  void release(std::uintptr_t token) override;
  std::size_t held_at_most() const noexcept override { return ring_.size() - 1; }

  std::uintptr_t send_bulk(rank_t to, std::uint32_t id, const std::byte* data, std::size_t bytes) override;
  std::uintptr_t receive_bulk(rank_t from, std::uint32_t id, std::byte* data, std::size_t bytes) override;
  bool done(std::uintptr_t transfer) override { return bulk_.done(transfer); }

  bool any_thread() const noexcept override { return started_.any_thread; }
  const char* how_any_thread() const noexcept override {
    return "let the program begin MPI by MPI_Init_thread with MPI_THREAD_MULTIPLE, or leave the beginning to Armilla; or ";
  }
  /// What MPI reports, which is little: of a killed peer Open MPI says nothing, inside a host or over TCP, and sends to it seem
  /// to go well; and both launchers end the job. What must learn of a death soon looks for it itself.
  loss lost() override;
  void give_up(rank_t rank) override;
  void finish() override;

  /// Nothing is under way but what others send: no frame from here, and no bulk.
  bool idle() const noexcept { return pool_.idle() && bulk_.idle(); }
  /// For a rank that has nothing to do until a frame comes, where a look takes more than processor time: waits for the next
  /// one, as only a simulator should. It may overtake others of its sender.
  arrival wait();

 private:
  struct freer {
    void operator()(std::byte* p) const { std::free(p); }
  };
  struct lost_rank {
    rank_t rank;
    std::string why;
  };

  void lose(rank_t rank, const char* call, int code);
  bool is_lost(rank_t rank) const;
  arrival frame_in(std::uint32_t slot, const MPI_Status& status) const;
  arrival broken(const MPI_Status& status, int code, std::uint32_t slot);
  void poll_sends();
  void poll_bulk();

  started started_;
  std::string version_;
  std::size_t frame_bytes_;
  MPI_Comm frames_;
  MPI_Comm bulk_comm_;
  std::unique_ptr<std::byte, freer> memory_;  ///< the ring's buffers, then the pool's
  receive_ring ring_;
  send_pool pool_;
  bulk_transfers bulk_;
  std::vector<std::unique_ptr<lost_rank>> lost_;  ///< stay where they are: `lost` gives out pointers into them
  std::size_t told_ = 0;                          ///< how many of lost_ `lost` has told
};

}  // namespace armilla::mpi
