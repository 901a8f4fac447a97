// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <csignal>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "agent_child.hpp"
#include "armilla/base/values/clock.hpp"
#include "armilla/boot/children/output.hpp"
#include "armilla/boot/children/spawn_process.hpp"
#include "armilla/boot/watch/ending.hpp"
#include "armilla/boot/watch/orphans.hpp"
#include "armilla/boot/wire_up/agent_line.hpp"
#include "calls.hpp"
#include "channel.hpp"
#include "client_relay.hpp"
#include "exchange_tree.hpp"
#include "job_end.hpp"
#include "lent_memory.hpp"
#include "life_frame.hpp"
#include "look_listener.hpp"

/// The agent of armilla-run on one host: it starts the ranks there and looks after them.
namespace armilla::run {

using namespace armilla::detail;
using nlohmann::json;

inline constexpr int could_not_start = 2;

using child = agent_child;

class agent {
 public:
  /// `number`: the host's in the list.
  agent(channel& root, const job_key& key, const std::string& host, std::uint32_t number)
      : root_(root), host_(host), speaks_(number == 0), branch_(root, key), clients_(root, host), relay_(root, host, number) {}
  /// This host's own command, which has no number yet.
  agent(channel& root, const job_key& key, const std::string& host) : agent(root, key, host, any_host) { met_ = speaks_ = true; }
  /// Returns the exit code of the job, if it was heard.
  int run();

 private:
  bool hear_first(int& code);
  bool start(const json& job);
  void start_one(child& c);
  void start_new(std::unique_ptr<child>& c);
  void lose_new_rank(child& c);
  void hear_of_life(const std::string& text);
  void wait_for_events();
  void read_signals();
  void hear_root();
  void hear_of_loss(const std::string& text);
  void pass_gathering(const std::string& text);
  void hear(child& c);
  void take(child& c, const line_head& head, std::string text);
  void pass_exchange();
  void repeat_exchange(child& c);
  void hand_out(const std::string& all);
  void reap();
  ending ending_of(const child& c) const;
  void judge(child& c);
  void tell(rank_t rank, int code, bool primary, const std::string& text, const std::string& cause = "",
            const std::string& hint = "");
  void tell_lost(rank_t rank, const std::string& cause);
  void tell_done();
  void lose_root();
  void stop();
  void hear_end(const std::string& text);
  void advance();

  channel& root_;
  std::string host_;
  bool speaks_;       ///< says that the root is gone: where others would, too, one does
  bool met_ = false;  ///< it is a command of the user's: the job's end is its end
  bool told_to_stop_ = false;
  job_end end_;
  rank_t ranks_ = 0;
  bool label_ = false, raw_ = false, goes_on_ = false, replaces_ = false, binds_ = false, told_last_ = false, told_done_ = false,
       root_lost_ = false;
  int ended_well_ = 0;                  // ranks that armilla-run has not been told of
  int came_ = 0;                        // ranks in the places of lost ones here
  std::vector<std::string> exchanges_;  // of the start, for these
  std::uint64_t grace_ns_ = 0;
  lent_memory lent_;
  exchange_branch branch_;
  look_listener clients_;
  client_relay relay_;
  std::vector<std::unique_ptr<child>> children_;
  orphanage orphans_;
  output_lines lines_;
  sigset_t before_{};
  int signals_ = -1;
  bool stopping_ = false;
  std::uint64_t stop_ns_ = never, deadline_ = never;
};

}  // namespace armilla::run
