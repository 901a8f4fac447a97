// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <csignal>
#include <list>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "armilla/base/core/options.hpp"
#include "armilla/base/values/clock.hpp"
#include "armilla/boot/children/output.hpp"
#include "armilla/boot/host/units.hpp"
#include "armilla/boot/watch/orphans.hpp"
#include "calls.hpp"
#include "channel.hpp"
#include "exchange_tree.hpp"
#include "gathering_desk.hpp"
#include "hosts.hpp"
#include "job_end.hpp"
#include "look_rounds.hpp"
#include "new_rank_desk.hpp"

/// armilla-run, where a job runs on several hosts: it starts their agents, and carries what these say to each other.
namespace armilla::run {

using namespace armilla::detail;
using nlohmann::json;

inline constexpr std::uint64_t agents_call_within_ns = 60'000 * milli;  // behind the last one that has called
inline constexpr std::ptrdiff_t most_shells_at_once = 32;

struct host {
  host_slots what;
  std::uint32_t number = 0;  // in the list
  rank_t first = 0, ranks = 0;
  int came = 0;  // ranks in the places of lost ones
  pid_t rsh = -1;
  bool rsh_alive = false, done = false, gone = false, silent = false;
  std::unique_ptr<channel> agent;
  std::optional<std::string> met_in;  // the folder of its own command, which is its agent
  bool has_answered = false;          // where it is in the tree
};

struct failure {
  int code = 1;
  bool primary = false;  // no other rank's end can be its cause
  bool lost = false;     // the others hear of it, and have time to end by themselves
  std::string text;
  std::string hint = {};  // lines below the report
};

class root {
 public:
  root(const std::vector<host_slots>& hosts, std::string rsh, const std::vector<program_spec>& programs, const options& settings);
  /// The last of the hosts have called already.
  void take_met(std::vector<met_agent> met);
  int run();

 private:
  void start_agent(host& h);
  void start_agents();
  void wait_for_events();
  void read_signals();
  void hear_callers();
  void welcome(host& h, std::unique_ptr<channel> agent);
  void hear(host& h);
  void take(host& h, const channel::frame& frame);
  void take_failure(const std::string& text);
  void take_gathering(const host& h, const std::string& text);
  void suspect(const gathering_message& said);
  void send_gathering(rank_t to, const std::string& text);
  bool goes_on() const { return settings_.on_loss != loss_use::end && started_; }
  std::set<std::uint32_t> tell_agents(const life_frame& what, std::string_view address);
  void let_live(rank_t r, std::uint32_t life);
  void take_life(host& h, const std::string& text);
  host& host_of(rank_t r);
  void go_on_without(const failure& loss, rank_t left);
  void lose_ranks(rank_t first, rank_t last);
  void pass_loss(const host& from, const std::string& said);
  void lose(host& h);
  std::string why_reset(host& h);
  void pass_circuit(const host& from, const std::string& text);
  void close_circuits(const host& gone);
  void take_exchange(const host& h, const std::string& part);
  void plant_tree();
  void take_tree(host& h, const std::string& text);
  void release_children(const host& lost);
  void begin();
  void reap();
  std::string hint_of_ipv6() const;
  void fail(failure f);
  void stop();
  void advance();
  bool over() const;
  json job_of(const host& h) const;
  job_end end_of_job();
  int report();

  std::list<host> hosts_;
  std::string rsh_, self_;
  std::vector<const program_spec*> program_of_;
  const options& settings_;
  job_key key_ = random_key();
  call_port port_{key_};
  gathering_desk desk_;
  new_rank_desk new_ranks_{{[this](const life_frame& what, std::string_view address) { return tell_agents(what, address); },
                            [this](rank_t to, const std::string& text) { send_gathering(to, text); },
                            [this](rank_t r, std::uint32_t life) { let_live(r, life); }}};
  std::optional<exchange_desk> exchanges_;  ///< from `begin` on
  std::uint64_t tree_ns_ = never;           ///< until then all may say where they are in the tree
  bool last_meeting_ = false;               ///< the next exchange that all take part in is the last of the start
  bool started_ = false;                    ///< it is over
  look_rounds looks_;
  output_lines lines_;                 ///< of the commands that start agents
  int ended_well_ = 0;                 ///< ranks
  std::optional<failure> first_loss_;  ///< where the others go on
  int signals_ = -1;
  orphanage orphans_;
  sigset_t before_{};
  std::optional<failure> failure_;
  std::optional<failure> heard_of_;  ///< what only the ranks have noticed, and ended by
  int interrupted_by_ = 0;
  bool stopping_ = false, killed_ = false;
  std::uint64_t stop_ns_ = never, kill_ns_ = never, call_ns_ = deadline_after_ns(agents_call_within_ns);
};

}  // namespace armilla::run
