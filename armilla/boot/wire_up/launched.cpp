// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/wire_up/launched.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>

#include <fmt/format.h>

#include "armilla/base/core/options.hpp"
#include "armilla/boot/host/bootstrap.hpp"
#include "armilla/boot/host/control_block.hpp"
#include "armilla/boot/host/descriptor.hpp"
#include "armilla/boot/host/host_memory.hpp"
#include "armilla/boot/host/interfaces.hpp"
#include "armilla/boot/host/pin.hpp"
#include "armilla/boot/watch/ending.hpp"
#include "armilla/boot/watch/failure_record.hpp"
#include "armilla/boot/watch/heartbeat.hpp"
#include "armilla/boot/watch/process_monitor.hpp"
#include "armilla/boot/watch/tell_loss.hpp"
#include "armilla/boot/wire_up/agent_line.hpp"
#include "armilla/boot/wire_up/descriptor_server.hpp"
#include "armilla/boot/wire_up/gathering.hpp"
#include "armilla/boot/wire_up/join_job.hpp"
#include "armilla/boot/wire_up/launched_end.hpp"
#include "armilla/boot/wire_up/launcher_watch.hpp"
#include "armilla/boot/wire_up/new_rank.hpp"
#include "armilla/boot/wire_up/peer_info.hpp"
#include "armilla/error.hpp"

namespace armilla::detail {
namespace {

constexpr int wrong_use = 2;

/// One process on its way into the job.
class joining {
 public:
  joining(bootstrap& others, options& settings)
      : others_(others),
        settings_(settings),
        self_(others.rank()),
        memory_(others.to_agent() != nullptr ? others.to_agent()->inherited_memory() : -1),
        is_new_(memory_ >= 0) {}
  launch run(const std::string& problem);

 private:
  [[noreturn]] void end();
  [[noreturn]] void give_up(const std::string& why);
  [[noreturn]] void refuse(rank_t speaker, const std::string& why);
  void exchange(const void* mine, void* all, std::size_t bytes);
  template <class T>
  std::vector<T> exchange(const T& mine);
  void meet();

  void greet(const std::string& problem);
  void read_peers();
  void require_agreement();
  std::vector<std::string> all_options();
  void share_options();
  std::vector<rank_t> candidates() const;
  void open_host();
  job_block* map_of(int memory);
  void share();
  void fill_block();
  std::shared_ptr<process_monitor> make_monitor() const;
  void watch(const std::shared_ptr<process_monitor>& them, std::size_t host);
  network_interface find_interface(const std::vector<rank_t>& leads, std::size_t host);
  void watch_hosts(launch& self, const std::vector<rank_t>& leads);
  void fill_programs();

  bool goes_on() const { return settings_.on_loss != loss_use::end && others_.to_agent() != nullptr; }
  std::vector<rank_t> ranks_here() const;
  const peer_info& of(rank_t r) const { return peers_[std::size_t(r)]; }
  std::size_t ranks() const { return peers_.size(); }

  bootstrap& others_;
  options& settings_;
  rank_t self_;
  host_layout layout_;
  peer_info mine_{};
  std::unique_ptr<descriptor_server> server_;
  std::vector<peer_info> peers_;
  std::vector<rank_t> lead_;               // the first rank of each one's host
  std::vector<heartbeat_listener> beats_;  // by host; empty: there is one, or none is watched
  int memory_;
  const bool is_new_;  // it comes into the running job: its agent lets it hear what the ranks of the start exchanged
  job_block* job_ = nullptr;
};

// --- what all must say together ---

void joining::end() {
  others_.abort(wrong_use);
  _exit(wrong_use);  // never: for compilers that do not look through a virtual call
}

void joining::give_up(const std::string& why) {
  say_to_launcher(why);
  end();
}

// All ranks have found the same: one says it, the others wait for the end.
void joining::refuse(rank_t speaker, const std::string& why) {
  if (self_ == speaker) give_up(fmt::format("armilla: rank {}: start: {}", self_, why));
  others_.meet();
  end();
}

void joining::exchange(const void* mine, void* all, std::size_t bytes) {
  if (!others_.exchange(mine, all, bytes))
    give_up(fmt::format("armilla: rank {}: start: the ranks cannot find each other by {}: {}", self_, others_.name(),
                        others_.error()));
}

template <class T>
std::vector<T> joining::exchange(const T& mine) {
  std::vector<T> all(std::size_t(others_.ranks()));
  exchange(&mine, all.data(), sizeof mine);
  return all;
}

void joining::meet() {
  if (!others_.meet())
    give_up(fmt::format("armilla: rank {}: start: the ranks did not meet by {}: {}", self_, others_.name(), others_.error()));
}

// --- the other processes ---

void joining::greet(const std::string& problem) {
  greeting mine;
  mine.wrong_options = problem.empty() ? 0 : 1;
  const auto all = exchange(mine);
  const auto other = std::ranges::find_if(
      all, [](const greeting& g) { return g.magic != job_block::good_magic || g.version != job_block::good_version; });
  if (other != all.end())
    refuse(0, fmt::format(
                  "rank {} was built with version {} of Armilla's wire, rank {} with version {}; build all programs of the job "
                  "from one version of Armilla",
                  other - all.begin(), other->version, self_, job_block::good_version));
  const auto wrong = std::ranges::find(all, 1u, &greeting::wrong_options);
  if (wrong == all.end()) return;
  if (wrong - all.begin() == self_) give_up(problem);
  refuse(rank_t(wrong - all.begin()), problem);
}

void joining::read_peers() {
  mine_ = own_peer_info(settings_);
  server_ = std::make_unique<descriptor_server>(mine_);
  peers_ = exchange(mine_);
  for (peer_info& one : peers_) {  // ours or not: no text without an end
    one.server[sizeof one.server - 1] = one.host[sizeof one.host - 1] = 0;
    one.file[sizeof one.file - 1] = one.name[sizeof one.name - 1] = 0;
  }
}

void joining::require_agreement() {
  if (ranks() > job_block::max_ranks)
    refuse(0, fmt::format("{} ranks asked for; a job holds up to {}", ranks(), job_block::max_ranks));
  if (const rank_t most = most_on_a_host(peers_); most > most_local_ranks)
    refuse(0, fmt::format("{} ranks on one host; a host runs up to {}; start fewer on each", most, most_local_ranks));
  for (std::size_t r = 1; r < ranks(); ++r)
    if (peers_[r].user != peers_[0].user)
      refuse(0, fmt::format("rank {} on {} belongs to user {}, rank 0 on {} to user {}; start all ranks as one user", r,
                            peers_[r].host, peers_[r].user, peers_[0].host, peers_[0].user));
  share_options();
  if (settings_.fabric == "threads")
    refuse(0,
           "ARMILLA_FABRIC=threads runs all ranks in one process, and a launcher starts one for each; leave the launcher or "
           "ARMILLA_FABRIC away");
  settings_.ranks = int(ranks());
}

// By rank.
std::vector<std::string> joining::all_options() {
  const std::size_t bytes = std::ranges::max(peers_, {}, &peer_info::options_bytes).options_bytes;
  if (bytes > peer_info::most_options)
    refuse(0, fmt::format("the names of files in ARMILLA_* are {} bytes long on one rank; up to {} are possible", bytes,
                          peer_info::most_options));
  std::string mine = settings_.shared();
  mine.resize(bytes);
  std::string together(bytes * ranks(), 0);
  exchange(mine.data(), together.data(), bytes);
  std::vector<std::string> all;
  for (std::size_t r = 0; r < ranks(); ++r) all.push_back(together.substr(r * bytes, peers_[r].options_bytes));
  return all;
}

// What one rank decides for all: launchers do not carry every variable to every host.
void joining::share_options() try {
  const auto alike = [this](const peer_info& c) {
    return c.options_hash == of(0).options_hash && c.options_bytes == of(0).options_bytes;
  };
  if (std::ranges::all_of(peers_, alike)) return;
  const auto all = all_options();
  settings_.take_shared(all[0]);
  if (self_ != 0) return;
  rank_t first = no_rank;
  std::size_t others = 0;
  options::overruled what;
  for (std::size_t r = 1; r < ranks(); ++r) {
    options theirs;
    theirs.take_shared(all[r]);
    auto overruled = theirs.take_shared(all[0]);
    if (overruled.here.empty() || others++ != 0) continue;
    first = rank_t(r);
    what = std::move(overruled);
  }
  if (others == 0) return;
  say(fmt::format("armilla: rank {} on {}{} has {}, rank 0 on {} has {}: all ranks go by rank 0; set this alike for all", first,
                  of(first).host, others > 1 ? fmt::format(" (and {} more)", others - 1) : "", what.here, of(0).host,
                  what.there));
} catch (const error& why) { give_up(why.what()); }

// --- memory ---

// Ranks that may share memory with this one, itself among them.
std::vector<rank_t> joining::candidates() const {
  std::vector<rank_t> all;
  for (std::size_t r = 0; r < ranks(); ++r)
    if (peers_[r].place == mine_.place) all.push_back(rank_t(r));
  return all;
}

void joining::open_host() try {
  memory_ = create_host_memory(layout_);
  job_ = map_of(memory_);
  lead_[std::size_t(self_)] = self_;
} catch (const error& why) { give_up(why.what()); }

job_block* joining::map_of(int memory) {
  std::byte* const base = map_host_memory(memory, layout_.total());
  prefer_large_pages(base, layout_, settings_);
  return reinterpret_cast<job_block*>(base);
}

void joining::share() try {
  const std::vector<rank_t> locals = candidates();
  layout_ = layout_for(rank_t(ranks()), most_on_a_host(peers_), settings_);  // segments are as long on all hosts
  layout_.locals = std::uint32_t(locals.size());
  lead_.assign(ranks(), self_);
  if (is_new_) {
    job_ = map_of(memory_);
    clear_control(*job_, self_);
    exchange(std::int32_t(no_rank));
    return server_.reset();
  }
  const rank_t lead = locals[0];
  if (lead == self_) open_host();
  const int connection = lead != self_ ? request_descriptor(of(lead), self_) : -1;
  const auto came = exchange(std::int32_t(connection >= 0 ? lead : no_rank));
  if (lead == self_) {
    std::vector<rank_t> callers;
    for (std::size_t r = 0; r < ranks(); ++r)
      if (came[r] == self_) callers.push_back(rank_t(r));
    server_->hand_out(memory_, mine_, callers);
  }
  if (const int given = connection >= 0 ? receive_memory(connection) : -1; given >= 0) {
    memory_ = given;
    job_ = map_of(given);
    lead_[std::size_t(self_)] = lead;
  }
  if (job_ == nullptr) open_host();  // there is no way to them
  server_.reset();
} catch (const error& why) { give_up(why.what()); }

// --- the job, as its block says ---

void joining::fill_programs() {
  std::vector<rank_t> first;  // rank of each program
  for (std::size_t r = 0; r < ranks(); ++r) {
    const auto at = std::ranges::find_if(first, [&](rank_t f) { return same_program(of(f), peers_[r]); });
    if (at == first.end() && first.size() == job_block::max_programs)
      refuse(0, fmt::format("a job holds up to {} programs", job_block::max_programs));
    job_->rank[r].program = std::uint32_t(at - first.begin());
    job_->rank[r].build = peers_[r].build;
    if (at != first.end()) continue;
    std::snprintf(job_->program_names[first.size()], job_block::max_name, "%s", peers_[r].name);
    first.push_back(rank_t(r));
  }
  job_->program_count = std::uint32_t(first.size());
}

// Those that share this memory.
std::vector<rank_t> joining::ranks_here() const {
  std::vector<rank_t> all;
  for (std::size_t r = 0; r < ranks(); ++r)
    if (lead_[r] == lead_[std::size_t(self_)]) all.push_back(rank_t(r));
  return all;
}

void joining::fill_block() {
  job_->magic = job_block::good_magic;
  job_->version = job_block::good_version;
  job_->places = layout_.places;
  job_->ring_bytes = layout_.ring_bytes;
  job_->segment_bytes = layout_.segment_bytes;
  job_->supervisor = job_block::launched;
  job_->losses_told = others_.to_agent() != nullptr;
  job_->goes_on = goes_on();
  job_->replaces = goes_on() && settings_.on_loss == loss_use::replace;
  const std::vector<rank_t> here = candidates();
  job_->locals.take(here.data(), here.size());
  fill_programs();
  // A launcher that binds no rank has been told so, or has its reasons; agents leave it to their ranks.
  const bool is_left_to_us = others_.to_agent() != nullptr || settings_.pin != pin_kind::automatic;
  place_ranks(*job_, peers_, ranks_here(), is_left_to_us ? settings_.pin : pin_kind::none);
}

std::shared_ptr<process_monitor> joining::make_monitor() const {
  std::vector<process_monitor::process> all;
  for (const rank_t r : ranks_here()) all.push_back({r, of(r).pid});
  return std::make_shared<process_monitor>(*job_, self_, all, settings_.loss_grace_ns);
}

// What one of them says at once is said before the launcher ends all.
void joining::watch(const std::shared_ptr<process_monitor>& them, std::size_t host) {
  const auto heard = [started = &others_, job = job_, grace = settings_.loss_grace_ns, beats = beats_, host](rank_t lost,
                                                                                                             bool first) {
    if (first) say_loss(*started, *job, lost);
    if (const departure* const what = job->why_left(lost); first && what != nullptr && !beats.empty())
      heartbeat::pass_on(beats, host, lost, what->cause);
    end_soon(*started, grace, [first] {
      if (!first) let_others_speak();
    });
  };
  process_monitor::start(them, heard);
}

constexpr std::size_t most_interfaces = 65'536;  // more than a kernel has room for names of

// All ports of the job are there, and nowhere else.
network_interface joining::find_interface(const std::vector<rank_t>& leads, std::size_t host) {
  interface_list mine = own_interfaces();
  const auto counts = exchange(std::uint32_t(mine.size()));
  const std::size_t most = std::ranges::max(counts);
  if (most > most_interfaces)
    refuse(0, fmt::format("a host has {} interfaces; up to {} are possible; name those of the job by UCX_NET_DEVICES", most,
                          most_interfaces));
  mine.resize(most);
  interface_list all(most * ranks());
  if (most != 0) exchange(mine.data(), all.data(), most * sizeof(network_interface));
  std::vector<interface_list> hosts;
  for (const rank_t lead : leads) {
    const auto first = all.begin() + std::ptrdiff_t(std::size_t(lead) * most);
    hosts.emplace_back(first, first + std::ptrdiff_t(counts[std::size_t(lead)]));
  }
  return interface_between(hosts, host);
}

// The first ranks of the hosts tell each other that they are there.
void joining::watch_hosts(launch& self, const std::vector<rank_t>& leads) {
  for (const rank_t lead : leads) self.host_names.emplace_back(of(lead).host);
  const network_interface at = find_interface(leads, self.host_of[std::size_t(self_)]);
  self.interface = at.name;
  if (settings_.loss_timeout_ns == 0) return;
  const bool leads_one = lead_[std::size_t(self_)] == self_;
  if (leads_one && !is_new_) self.beat = std::make_shared<heartbeat>(at);
  const auto listeners = exchange(self.beat != nullptr ? self.beat->listener() : heartbeat_listener{});
  if (leads_one && is_new_) self.beat = std::make_shared<heartbeat>(at, listeners[std::size_t(self_)]);
  for (const rank_t lead : leads) beats_.push_back(listeners[std::size_t(lead)]);
  if (!leads_one) return;
  std::vector<heartbeat::host> hosts;
  for (std::size_t h = 0; h < leads.size(); ++h) {
    hosts.push_back({listeners[std::size_t(leads[h])], {}, self.host_names[h]});
    for (rank_t r = 0; r < rank_t(ranks()); ++r)
      if (self.host_of[std::size_t(r)] == h) hosts.back().ranks.push_back(r);
  }
  if (gatherings* const left = self.left; left != nullptr)
    self.beat->tell_suspicion([left](const std::vector<rank_t>& silent) { left->suspect(silent); });
  heartbeat::start(self.beat, *job_, std::move(hosts), self.host_of[std::size_t(self_)], settings_.loss_timeout_ns);
}

launch joining::run(const std::string& problem) {
  greet(problem);
  read_peers();
  require_agreement();
  share();
  lead_ = exchange(lead_[std::size_t(self_)]);
  const bool leads_one = lead_[std::size_t(self_)] == self_, begins = leads_one && !is_new_;
  if (begins) fill_block();
  agent_line* const agent = others_.to_agent();
  if (begins && agent != nullptr) agent->lend(memory_);
  descriptor memory(memory_);  // the mapping keeps what is in it
  // Agents watch their ranks themselves.
  const auto them = agent == nullptr ? make_monitor() : nullptr;
  meet();
  if (!leads_one && !is_new_ && goes_on()) agent->lend(memory.get());  // there may be two agents on one machine, and both need it
  bind_here(job_->rank[self_].cpu);
  announce(*job_, self_, mine_.build);
  answer_signals(*job_, self_);
  launch self = describe_launch(*job_, self_, settings_);
  self.started = &others_;
  if (goes_on()) self.left = &agent->left();
  if (leads_one) self.host_memory = std::make_shared<descriptor>(memory.release());
  std::vector<rank_t> leads(lead_);
  std::ranges::sort(leads);
  leads.erase(std::unique(leads.begin(), leads.end()), leads.end());
  if (leads.size() > 1)
    for (const rank_t lead : lead_) self.host_of.push_back(std::uint32_t(std::ranges::lower_bound(leads, lead) - leads.begin()));
  if (leads.size() > 1) watch_hosts(self, leads);
  const std::size_t host = self.host_of.empty() ? 0 : self.host_of[std::size_t(self_)];
  if (them != nullptr) {
    watch(them, host);
    watch_launcher(others_, *job_, self_, host == 0);
  }
  const auto on_host = std::size_t(std::ranges::count(lead_, lead_[std::size_t(self_)]));
  self.oversubscribed = std::max(on_host, ranks_beside(peers_, self_)) > job_->processors;
  return self;
}

}  // namespace

launch join_launched(bootstrap& others, options& settings, const std::string& problem) {
  return joining(others, settings).run(problem);
}

}  // namespace armilla::detail
