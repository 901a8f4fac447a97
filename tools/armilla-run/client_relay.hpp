// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <poll.h>
#include <sys/types.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "armilla/boot/host/descriptor.hpp"
#include "channel.hpp"
#include "circuit_frame.hpp"

namespace armilla::run {

/// An agent's part of circuits (armilla/client/circuit.hpp): attached clients of its host connect to a socket; for attached
/// clients of other hosts it starts a process each, which does what they ask. What either says goes on unread. A side that does
/// not read has a window of bytes on its way and no more; nothing here waits for it. An attached client that dies leaves a
/// connection that is closed.
class client_relay {
 public:
  client_relay(channel& root, std::string host, std::uint32_t number) : root_(root), host_(std::move(host)), number_(number) {}
  void set_number(std::uint32_t number) noexcept { number_ = number; }
  ~client_relay();

  /// Opens it for attached clients of this memory, which ranks have lent, and for attached clients of other hosts.
  void open(int memory);
  void watch(std::vector<pollfd>& list) const;
  /// When `advance` has something to do, whether or not a file is ready.
  std::uint64_t until_ns() const;
  /// Takes in attached clients of the same user, and carries what is there. Never waits.
  void advance();
  /// What armilla-run has passed on.
  void take(const std::string& text);
  /// Processes that have ended.
  void reap();
  /// Signals that are let through in processes started here.
  void set_mask(const sigset_t& mask) { mask_ = mask; }

 private:
  struct entrance {
    std::uint64_t identity = 0;
    detail::descriptor memory{-1}, listener{-1};
  };
  struct end {
    circuit_frame_head which{};
    detail::descriptor socket{-1};
    std::deque<std::string> for_socket;
    std::size_t may_send = circuit_frame_head::window, taken = 0;
    bool open = false;     // the attached client has named a rank
    bool closing = false;  // the other side has said so: what came before is written yet
    bool told = false;     // this side has
  };
  void take_in(int listener);
  std::size_t clients() const;
  bool takes_clients() const;
  bool carry(end& one);
  bool read_from(end& one);
  bool write_to(end& one);
  void say(const end& one, circuit_frame_head::word what, std::string_view bytes = {});
  void serve(const circuit_frame_head& which);
  pid_t start_server(end& one);
  void close_all_of(const circuit_frame_head& gone);

  channel& root_;
  std::string host_;
  std::uint32_t number_, next_ = 0;
  sigset_t mask_{};
  std::list<entrance> entrances_;
  std::list<end> ends_;
  std::vector<pid_t> served_by_;
  std::uint64_t next_client_ns_ = 0;
};

}  // namespace armilla::run
