// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <cstdarg>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include <ucp/api/ucp.h>
#include <ucs/debug/log_def.h>

#include "armilla/base/values/zeroed_array.hpp"
#include "armilla/fabric/network.hpp"
#include "armilla/plugin.hpp"
#include "backends/ucx/address.hpp"
#include "backends/ucx/sysv_memory.hpp"
#include "backends/ucx/transports.hpp"

namespace armilla::detail {

/// For `ucs_log_push_handler`: what is no error is not said.
ucs_log_func_rc_t keep_to_errors(const char* file, unsigned line, const char* function, ucs_log_level_t level,
                                 const ucs_log_component_config_t* component, const char* text, va_list arguments);

/// Frames as active messages of UCP, bulk as its tagged messages.
///
/// Frames always go eagerly: a rendezvous would let a later short frame overtake. UCX itself promises no order between active
/// messages (fragments may take several rails), so each frame carries the number of its sender and its own, and the key of its
/// receiver, 16 bytes in front of it. What comes early waits; what bears another key is dropped. A short frame is copied out of
/// UCX's buffers; a longer one lies where UCX put it until it is released.
///
/// Endpoints are made on the first frame or bulk to a rank. Where UCX may use shared memory (the same host) they are made without
/// UCX's handling of errors, which excludes shared memory; what started the ranks of a host sees their deaths. All others
/// report a broken connection.
class ucx_network final : public network {
 public:
  static network* open(rank_t rank, rank_t ranks, const network_settings& settings, bootstrap* from_here, char* why,
                       std::size_t room);
  ~ucx_network() override;

  const char* name() const noexcept override { return "ucx"; }
  const char* version() const noexcept override { return version_.c_str(); }

  std::size_t address_bytes() const noexcept override { return room_for_address; }
  const std::byte* address() const noexcept override { return address_.data(); }
  void set_addresses(const std::byte* all) override;

  bool hold(std::byte* base, std::size_t bytes) override;
  bool holds() const noexcept override { return parts_held_ != 0; }
  std::byte* reach(rank_t r, unsigned part) override;

  std::size_t most() const noexcept override { return most_; }
  std::byte* acquire(rank_t to, std::size_t bytes) override;
  void submit(rank_t to, std::size_t bytes) override;
  arrival poll() override;
  void release(std::uintptr_t token) override;
  std::size_t held_at_most() const noexcept override { return held_at_most_; }

  std::uintptr_t send_bulk(rank_t to, std::uint32_t id, const std::byte* data, std::size_t bytes) override;
  std::uintptr_t receive_bulk(rank_t from, std::uint32_t id, std::byte* data, std::size_t bytes) override;
  bool done(std::uintptr_t transfer) override;

  /// None while frames wait to leave: when they can, nothing tells, at least through shared memory.
  int descriptor() const noexcept override { return sends_under_way_ == 0 ? descriptor_ : -1; }
  bool arm() override;
  loss lost() override;
  void give_up(rank_t r) override;
  bool takes_new_ranks() const noexcept override { return true; }
  void expect(rank_t r) override;
  void finish() override;

 private:
  static constexpr std::size_t room_for_address = 1024;  // a worker's address takes some 60 B a device, a key 12 B
  static constexpr std::size_t most_send_buffers = 256;  // ranks that do not look keep some

  struct prefix {
    std::uint32_t source;
    std::uint32_t number;
    std::uint64_t key;  // of the two ranks: pair_key
  };
  struct send_buffer {  // the frame follows
    ucx_network* owner;
    send_buffer* next;
    rank_t to;
    std::uint32_t life;  // of the peer
    alignas(8) prefix front;
    std::byte* frame() noexcept { return reinterpret_cast<std::byte*>(this + 1); }
  };
  static_assert(sizeof(send_buffer) % 8 == 0 && sizeof(send_buffer) == offsetof(send_buffer, front) + sizeof(prefix));

  static constexpr std::size_t most_short = 256;  // of a frame with its prefix
  enum am_id : unsigned { long_frame, short_frame, greeting };
  struct short_slot {
    alignas(8) std::byte bytes[most_short];
    short_slot* next;
  };

  struct peer {  // one a rank, connected or not; zeros at first
    ucp_ep_h endpoint;
    std::uint64_t key;   // pair_key; 0: not looked for yet
    std::uint64_t gone;  // that of the process that was this rank before
    std::uint32_t next_out;
    std::uint32_t next_in;
    std::uint32_t life;  // how many were it before
    bool lost;
    bool greeted_us;  // and so has its side of the connection
  };
  struct connection {  // one a connected rank, for the handler of errors and for the end
    ucx_network* owner;
    rank_t rank;
    std::uint32_t life;   // of the peer
    bool reports_errors;  // and may be closed by force
    ucp_ep_h endpoint;
  };
  /// A frame that has come. Written and read as whole words: `poll` reads it just behind its writing, and the processor waits
  /// where what is read is not what one store wrote.
  struct came {
    came() = default;
    came(const std::byte* frame, std::size_t bytes, std::uint32_t source, bool in_slot) noexcept
        : data(frame), rest(std::uint64_t{source} << 32 | bytes << 1 | std::uint64_t{in_slot}) {}
    std::size_t bytes() const noexcept { return static_cast<std::uint32_t>(rest) >> 1; }
    std::uint32_t source() const noexcept { return static_cast<std::uint32_t>(rest >> 32); }
    /// A place of ours is told from UCX's by the lowest bit.
    std::uintptr_t token() const noexcept { return reinterpret_cast<std::uintptr_t>(data - sizeof(prefix)) | (rest & 1); }
    const std::byte* data;  // its prefix is in front
    std::uint64_t rest;
  };
  struct early_frame {
    std::uint32_t number;
    came what;
  };
  struct transfer {
    ucx_network* owner = nullptr;
    void* request = nullptr;  // null: nothing to wait for
    rank_t with = no_rank;
    std::uint32_t life = 0;  // of the peer
    bool receives = false;
    bool active = false;
    std::size_t bytes = 0;
    transfer* next = nullptr;
  };

  ucx_network(rank_t rank, rank_t ranks, const network_settings& settings);
  bool start(const ucx_transports& transports, char* why, std::size_t room);
  ucs_status_t set_handler(am_id id, unsigned flags, ucp_am_recv_callback_t handler);
  bool take_address(char* why, std::size_t room);
  const std::byte* address_of(rank_t r) const noexcept { return addresses_ + static_cast<std::size_t>(r) * room_for_address; }
  static ucx_address_head head_of(const std::byte* address) noexcept;
  /// What frames and transfers between this rank and that one bear: the key of the one with that of the other. 0: its address is
  /// not there yet.
  std::uint64_t pair_key(rank_t r) noexcept {
    const std::uint64_t known = peers_[static_cast<std::size_t>(r)].key;
    return known != 0 ? known : find_key(r);
  }
  [[gnu::cold]] std::uint64_t find_key(rank_t r) noexcept;
  /// Whether shared memory joins this rank and the one with that address. Both sides decide alike: the marks are the same, and so
  /// are the settings.
  bool near(const ucx_address_head& other) const noexcept { return shared_memory_ && other.host == host_; }
  ucp_ep_h endpoint_of(rank_t to) {  // null: lost
    ucp_ep_h endpoint = peers_[static_cast<std::size_t>(to)].endpoint;
    return endpoint != nullptr ? endpoint : connect(to);
  }
  ucp_ep_h connect(rank_t to);
  /// UCX asks a peer for its side of a connection when the first message goes that is too long for a slot of shared memory, and
  /// keeps that message, and all behind it, until the peer has answered. A message that says only which rank it is from asks
  /// right behind the first frame, so that a rank that is about to sleep can leave a long frame to a peer that computes.
  void greet(rank_t to);
  void connect_all();
  void broken(rank_t rank, std::uint32_t life, ucs_status_t status);

  send_buffer* fresh_buffer();
  bool take(const void* data, std::size_t length, const void* kept, bool in_slot);
  [[gnu::cold]] bool refuse_stranger();
  bool take_early(std::uint32_t number, const came& what);
  void push(const came& what);
  void widen();
  void deliver_early(std::uint32_t source);
  transfer& fresh_transfer(rank_t with, std::size_t bytes, bool receives);
  std::uintptr_t begun(transfer& what, ucs_status_ptr_t request);
  void cancel(transfer& what);
  void flush();
  void close_connections();
  void wait_a_little(ucs_status_ptr_t request);
  template <class Condition>
  void progress_for(std::chrono::milliseconds limit, Condition is_met);

  static void on_error(void* connection, ucp_ep_h endpoint, ucs_status_t status);
  static ucs_status_t on_frame(void* self, const void* header, std::size_t header_length, void* data, std::size_t length,
                               const ucp_am_recv_param_t* how);
  static ucs_status_t on_greeting(void* self, const void* header, std::size_t header_length, void* data, std::size_t length,
                                  const ucp_am_recv_param_t* how);
  static ucs_status_t on_short_frame(void* self, const void* header, std::size_t header_length, void* data, std::size_t length,
                                     const ucp_am_recv_param_t* how);
  static void on_sent(void* request, ucs_status_t status, void* buffer);
  static void on_bulk_sent(void* request, ucs_status_t status, void* transfer);
  static void on_bulk_received(void* request, ucs_status_t status, const ucp_tag_recv_info_t* info, void* transfer);

  rank_t rank_;
  rank_t ranks_;
  bool goes_on_;
  bool new_rank_;
  zeroed_array<prefix> greetings_;  // one a rank: UCX may read them later
  std::size_t most_;
  std::size_t held_at_most_;
  ucp_context_h context_ = nullptr;
  ucp_worker_h worker_ = nullptr;
  ucp_request_param_t how_to_send_{};

  // What has come, between head_ and tail_; a power of two of places.
  std::vector<came> arrivals_;
  std::uint64_t head_ = 0;
  std::uint64_t tail_ = 0;
  std::vector<early_frame> early_;

  std::deque<short_slot> slots_;  // as many as were held at once
  short_slot* free_slots_ = nullptr;

  zeroed_array<peer> peers_;
  send_buffer* current_ = nullptr;
  send_buffer* free_buffers_ = nullptr;
  std::size_t buffers_made_ = 0;
  std::size_t sends_under_way_ = 0;
  std::unique_ptr<std::byte[]> buffers_;

  std::deque<transfer> transfers_;  // stays where it is: its address is the number
  transfer* free_transfers_ = nullptr;
  std::deque<connection> connections_;
  std::vector<loss> losses_;

  host_mark host_{};
  std::uint64_t key_ = 0;
  bool refused_ = false;  // a frame of a stranger, and said so
  bool shared_memory_ = false;
  unsigned parts_held_ = 0;
  std::size_t address_used_ = 0;       // bytes
  std::unique_ptr<sysv_memory> sysv_;  // null: none is used
  bool finished_ = false;
  int descriptor_ = -1;
  std::vector<std::byte> address_;
  const std::byte* addresses_ = nullptr;
  std::string version_;
};

}  // namespace armilla::detail
