// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <poll.h>

#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "armilla/boot/host/descriptor.hpp"
#include "armilla/boot/visitors/job_search.hpp"
#include "channel.hpp"

namespace armilla::run {

/// Where attached clients of an agent's host hear what the ranks of other hosts show, and where others hear of the ranks of this
/// one. An attached client connects to a socket, says nothing that is read, and is given a file, see
/// armilla/client/remote_look.hpp. So there is nothing to misunderstand, nothing waits for an attached client, and one that dies
/// leaves a connection that is closed with the answer.
class look_listener {
 public:
  look_listener(channel& root, std::string host) : root_(root), host_(std::move(host)) {}

  /// Opens it for attached clients of this memory, which ranks have lent. What is none of our version has no attached clients.
  void open(int memory);
  void watch(std::vector<pollfd>& list) const;
  /// When `advance` has something to do, whether or not a file is ready.
  std::uint64_t until_ns() const;
  /// Takes in attached clients of the same user, and asks for them. Never waits.
  void advance();
  /// What the ranks of this host show, for the root.
  void tell();
  /// A part of what ranks of all hosts show; empty: that was all.
  void take(const std::string& part);

 private:
  struct entrance {
    std::unique_ptr<detail::job_memory> memory;
    detail::descriptor listener{-1};
  };
  using clients = std::list<detail::descriptor>;
  void take_in(int listener);
  void answer();

  channel& root_;
  std::string host_;
  std::list<entrance> entrances_;
  clients next_, now_;  // those for which the root is yet to be asked, and those for which it has been
  bool asked_ = false, some_wait_ = false;
  std::string heard_;
};

}  // namespace armilla::run
