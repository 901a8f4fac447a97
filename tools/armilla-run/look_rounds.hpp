// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "channel.hpp"

namespace armilla::run {

/// What attached clients hear of other hosts, at the side of armilla-run. The agent of an attached client's host asks; then all
/// agents say what their ranks show, and what they say is passed on, unread, to those that have asked. Requests that come
/// meanwhile wait for the next round. An agent that has not answered yet is asked nothing more, and what is passed on leaves by
/// `send_later`: an agent, or an attached client behind it, that stands still costs a bounded amount of memory, and no wait.
class look_rounds {
 public:
  /// The agents by host; they outlive this, or are lost.
  void begin_with(std::vector<channel*> agents);
  void lose(std::size_t host);

  /// An agent asks.
  void ask(std::size_t host);
  /// A part of what an agent's ranks show; empty: that was all.
  void take(std::size_t host, const std::string& part);
  void advance();
  /// When `advance` has something to do.
  std::uint64_t until_ns() const;

 private:
  struct member {
    channel* agent = nullptr;
    bool asks = false, hears = false;  // in the next round, and in this one
    bool owes = false, asked = false;  // an answer; in this round
  };
  void begin(std::uint64_t now);
  void end();

  std::vector<member> members_;
  bool running_ = false, some_wait_ = false;
  std::uint64_t began_ns_ = 0;
};

}  // namespace armilla::run
