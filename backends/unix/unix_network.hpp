// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/un.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "armilla/fabric/network.hpp"
#include "armilla/plugin.hpp"
#include "backends/unix/sockets.hpp"

namespace armilla::unix_sockets {

/// Frames and bulk between ranks of one host, over unix-domain sockets of packets: the example of docs/guide/backend.md.
///
/// Each rank listens at a name that the kernel chooses. It connects to a peer when it first sends there, and uses that connection
/// in this direction alone, so two ranks have up to two. The kernel keeps packets whole, once and in order.
///
/// What finds no room in a socket waits in `peer::queue`, and `epoll` tells when there is room again. Bulk is sent when its
/// receiver has asked for it, in pieces that are copied to where they belong, so no piece comes that has no place.
class unix_network final : public detail::network {
 public:
  static detail::network* open(rank_t rank, rank_t ranks, const detail::network_settings& settings, detail::bootstrap* from_here,
                               char* why, std::size_t room);
  ~unix_network() override { finish(); }

  const char* name() const noexcept override { return "unix"; }
  const char* version() const noexcept override { return "unix-domain sockets"; }

  std::size_t address_bytes() const noexcept override { return sizeof(address_of_rank); }
  const std::byte* address() const noexcept override { return reinterpret_cast<const std::byte*>(&mine_); }
  void set_addresses(const std::byte* all) override { addresses_ = reinterpret_cast<const address_of_rank*>(all); }

  std::size_t most() const noexcept override { return most_; }
  std::byte* acquire(rank_t to, std::size_t bytes) override;
  void submit(rank_t to, std::size_t bytes) override;
  arrival poll() override;
  void release(std::uintptr_t token) override;
  std::size_t held_at_most() const noexcept override { return slots_.size() - 1; }

  std::uintptr_t send_bulk(rank_t to, std::uint32_t id, const std::byte* data, std::size_t bytes) override;
  std::uintptr_t receive_bulk(rank_t from, std::uint32_t id, std::byte* data, std::size_t bytes) override;
  bool done(std::uintptr_t transfer) override;

  int descriptor() const noexcept override { return unconnected_.empty() ? events_.get() : -1; }
  bool arm() override { return ready_.empty(); }
  loss lost() override;
  void give_up(rank_t r) override;
  bool takes_new_ranks() const noexcept override { return true; }
  void expect(rank_t r) override;
  void finish() override;

 private:
  struct transfer {
    rank_t with;
    std::uint32_t id;
    bool receives;
    std::byte* place;  ///< a sender's is only read
    std::size_t bytes;
    std::size_t moved = 0;
    bool over = false;
  };
  struct waiting_packet {
    packet_head head;
    std::vector<std::byte> data;
  };
  struct peer {
    descriptor_owner out, in;
    bool deaf = false;   ///< nothing can be sent there any more
    bool lost = false;   ///< and nothing comes
    bool ready = false;  ///< stands in `ready_`
    bool asks_for_room = false;
    std::deque<waiting_packet> queue;                ///< what is sent next, in order
    std::deque<transfer*> moving;                    ///< bulk that the peer has asked for
    std::map<std::uint32_t, transfer*> offered;      ///< bulk that it has not asked for yet, by id
    std::set<std::uint32_t> wanted;                  ///< bulk that it has asked for too early
    std::map<std::uint32_t, transfer*> transfer_in;  ///< bulk that comes from there
  };
  struct told_loss {
    rank_t rank;
    std::string why;
  };
  enum class source : std::uint32_t { listener, stranger, from_peer, to_peer };  ///< of an event of `events_`

  unix_network(rank_t rank, rank_t ranks, const detail::network_settings& settings);
  bool start(char* why, std::size_t room);

  peer& peer_of(rank_t r) { return peers_[std::size_t(r)]; }

  // connections.cpp
  bool can_accept() const;
  bool can_look() const;
  bool watch(int socket, source what, std::uint32_t which, std::uint32_t events);
  void forget(descriptor_owner& watched) noexcept;
  void ask_for_room(rank_t to, bool wanted);
  bool connect(rank_t to);
  void connect_again();
  void accept_all();
  void greet(int stranger);
  void greet_all();
  void close_out(rank_t to, std::string why);
  void lose(rank_t r, std::string why);

  // unix_network.cpp
  void look();
  void handle(source what, std::uint32_t which, std::uint32_t events);
  void post(rank_t to, const packet_head& head, const std::byte* data, std::size_t bytes);
  bool send_now(rank_t to, const packet_head& head, const std::byte* data, std::size_t bytes);
  void flush(rank_t to);
  bool receive(rank_t from, arrival& frame);
  void last_words();

  // bulk.cpp
  transfer* begin(rank_t with, std::uint32_t id, bool receives, std::byte* place, std::size_t bytes);
  void wanted(rank_t by, std::uint32_t id);
  void take_piece(rank_t from, const packet_head& head, const std::byte* data, std::size_t bytes);
  bool send_pieces(rank_t to);

  rank_t rank_, ranks_;
  std::size_t most_;
  address_of_rank mine_{};
  const address_of_rank* addresses_ = nullptr;
  descriptor_owner listener_, events_;
  std::map<int, descriptor_owner> strangers_;  ///< callers that have not said yet which rank they are
  std::vector<peer> peers_;
  std::vector<rank_t> unconnected_;  ///< whose list of callers was full

  std::vector<std::uint64_t> room_;                      ///< of the frame that is filled
  std::vector<std::unique_ptr<std::uint64_t[]>> slots_;  ///< packets that have come
  std::vector<std::uint32_t> free_slots_;
  std::deque<rank_t> ready_;  ///< whose sockets have packets
  std::uint32_t polls_ = 0;

  std::deque<transfer> transfers_;  ///< stays where it is: its address is the number
  std::vector<transfer*> free_transfers_;
  std::deque<told_loss> losses_;
  std::size_t told_ = 0;
};

}  // namespace armilla::unix_sockets
