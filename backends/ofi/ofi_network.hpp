// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "armilla/fabric/network.hpp"
#include "armilla/plugin.hpp"
#include "backends/ofi/handles.hpp"
#include "backends/ofi/offers.hpp"
#include "backends/ofi/operations.hpp"

namespace armilla::ofi {

/// Heads what other ranks need to reach one; libfabric's address follows.
struct address_head {
  char provider[32];
  std::uint32_t format;
  std::uint32_t bytes;  ///< of libfabric's address
  std::uint64_t key;    ///< random; each message to this rank bears it, with that of the sender
};

/// Frames as messages of one endpoint FI_EP_RDM, bulk as its tagged messages.
///
/// Messages of all ranks come into the same few receives. The provider lets them match in order, but may complete a long one
/// behind a shorter one, so each frame carries its number; what comes early waits. What bears no key of this rank is dropped.
///
/// Bulk is sent when its receiver has asked for it and has a receive for it: providers differ in what they do with a long message
/// that nothing waits for, and some hold up all behind it. A transfer longer than `most_piece_` has several pieces, one at a
/// time.
///
/// A provider that has no room answers -FI_EAGAIN. Such a send waits in the list of its receiver, so that a rank that does not
/// look holds up no other rank.
class ofi_network final : public detail::network {
 public:
  static detail::network* open(rank_t rank, rank_t ranks, const detail::network_settings& settings, detail::bootstrap* from_here,
                               char* why, std::size_t room);
  ~ofi_network() override { finish(); }

  const char* name() const noexcept override { return "ofi"; }
  const char* version() const noexcept override { return version_.c_str(); }

  std::size_t address_bytes() const noexcept override { return room_for_address; }
  const std::byte* address() const noexcept override { return address_; }
  void set_addresses(const std::byte* all) override;

  std::size_t most() const noexcept override { return most_; }
  std::byte* acquire(rank_t to, std::size_t bytes) override;
  void submit(rank_t to, std::size_t bytes) override;
  arrival poll() override;
  void release(std::uintptr_t token) override;
  std::size_t held_at_most() const noexcept override { return slots_.size() - 1; }

  std::uintptr_t send_bulk(rank_t to, std::uint32_t id, const std::byte* data, std::size_t bytes) override;
  std::uintptr_t receive_bulk(rank_t from, std::uint32_t id, std::byte* data, std::size_t bytes) override;
  bool done(std::uintptr_t transfer) override;

  /// None while something of this rank waits to leave: not all providers tell when it can.
  int descriptor() const noexcept override { return busy() ? -1 : descriptor_; }
  bool arm() override;
  loss lost() override;
  void give_up(rank_t r) override;
  bool takes_new_ranks() const noexcept override { return true; }
  void expect(rank_t r) override;
  void finish() override;

  /// For tests: bulk in pieces of so many bytes at most.
  void limit_pieces(std::size_t bytes) noexcept { most_piece_ = bytes; }

 private:
  static constexpr std::size_t room_for_address = 256;
  static constexpr std::size_t most_send_buffers = 256;  ///< beside those that libfabric keeps for lost ranks
  static constexpr std::size_t operations_a_chunk = 32;
  struct peer {
    fi_addr_t address = FI_ADDR_NOTAVAIL;
    std::uint64_t key = 0;   ///< of its messages and of those to it; 0: its address is not known
    std::uint64_t gone = 0;  ///< that of the one that was in its place before
    std::uint32_t life = 0;  ///< which it is of those that were
    std::uint32_t next_out = 0, next_in = 0;
    bool lost = false;
    std::uint32_t frames = 0;                     ///< that wait, or that libfabric has
    std::size_t under_way = 0;                    ///< sends that libfabric has
    operation_list waiting;                       ///< to be sent to it, in order
    std::map<std::uint32_t, transfer*> offered;   ///< bulk that it has not asked for yet, by id
    std::map<std::uint32_t, two_way_call> asked;  ///< what it has asked for too early
  };
  struct told_loss {
    rank_t rank;
    std::string why;
  };
  struct chunk_of_two_way_calls {
    sent_two_way_call each[operations_a_chunk];
    registration registered;
  };
  struct chunk_of_buffers {
    send_buffer each[operations_a_chunk];
    std::unique_ptr<std::byte[]> bytes;  ///< whose pages come when they are written
    registration registered;
  };

  ofi_network(rank_t rank, rank_t ranks, const detail::network_settings& settings);
  peer& peer_of(rank_t r) { return peers_[std::size_t(r)]; }

  // open.cpp
  bool start(const detail::network_settings& settings, std::string& why);
  bool open_endpoint(std::string& why);
  int open_queue();
  bool take_address(std::string& why);
  bool know(rank_t r);
  int enroll(const void* memory, std::size_t bytes, std::uint64_t access, registration& made);

  // frames.cpp
  bool busy() const noexcept { return under_way_ != 0 || !with_waiting_.empty() || !unposted_.empty(); }
  std::size_t room_of_frame() const noexcept { return (sizeof(packet_head) + most_ + 63) / 64 * 64; }
  bool fresh_buffer();
  bool more_buffers();
  void send(operation& what);
  bool sent(operation& what);
  ssize_t post(operation& what);
  void drop(operation& what);
  void returned(const operation& what);
  void send_waiting();
  void receive(operation& what);
  bool received(operation& what);
  void progress();
  void take_error();
  void complete(operation& what, std::size_t bytes);
  void failed(operation& what, int error, std::string why);
  bool take(receive_slot& slot);
  void take_early(std::uint32_t source);
  bool refuse_stranger();

  // bulk.cpp
  transfer& begin(rank_t with, std::uint32_t id, operation::kind what, std::byte* place, std::size_t bytes);
  void next_piece(transfer& what);
  void ask(transfer& what);
  void answer(rank_t by, const two_way_call& asked);
  void moved(transfer& what, std::size_t bytes);
  void end(transfer& what);
  sent_two_way_call* fresh_two_way_call();

  // ofi_network.cpp
  void lose(rank_t r, std::string why);
  void broken(std::string why);
  void last_words();

  rank_t rank_, ranks_;
  bool new_rank_;
  std::size_t most_;
  std::size_t most_piece_ = 0;
  std::uint64_t key_ = 0;
  std::uint64_t next_tag_ = 0, tag_mask_ = 0;
  std::uint64_t next_region_ = 0;

  // Closed from the last to the first.
  info_owner info_;
  handle<fid_fabric> fabric_;
  handle<fid_domain> domain_;
  handle<fid_av> addresses_;
  handle<fid_cq> queue_;
  registration receive_memory_;
  handle<fid_ep> endpoint_;

  alignas(8) std::byte address_[room_for_address] = {};
  const std::byte* all_ = nullptr;  ///< addresses of all ranks
  std::string version_;
  int descriptor_ = -1;

  std::vector<peer> peers_;
  std::vector<rank_t> with_waiting_;  ///< peers to which something waits
  std::size_t under_way_ = 0;         ///< sends that libfabric has, but for those to lost ranks

  std::deque<chunk_of_buffers> buffers_;
  operation* free_buffers_ = nullptr;
  std::size_t kept_buffers_ = 0;            ///< at most so many are libfabric's for ever
  std::unique_ptr<std::byte[]> no_buffer_;  ///< for what goes to lost ranks
  std::unique_ptr<std::byte[]> receive_bytes_;
  send_buffer* current_ = nullptr;

  std::vector<receive_slot> slots_;
  operation_list unposted_;  ///< receives for which the provider has no room
  operation_list arrivals_;
  std::vector<receive_slot*> early_;

  std::deque<transfer> transfers_;  ///< stays where it is: its address is the number
  operation* free_transfers_ = nullptr;
  std::deque<chunk_of_two_way_calls> two_way_calls_;
  operation* free_two_way_calls_ = nullptr;

  std::deque<told_loss> losses_;
  std::size_t told_ = 0;
  bool refused_ = false;  ///< a stranger's message, and said so
  bool broken_ = false;   ///< the network as a whole, and said so
  bool finished_ = false;
};

}  // namespace armilla::ofi
