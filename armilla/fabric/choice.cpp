// SPDX-License-Identifier: Apache-2.0
#include "armilla/fabric/choice.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "armilla/base/core/options.hpp"
#include "armilla/boot/host/bootstrap.hpp"
#include "armilla/boot/host/interfaces.hpp"
#include "armilla/boot/wire_up/exchange.hpp"
#include "armilla/boot/wire_up/gathering.hpp"
#include "armilla/boot/wire_up/join_job.hpp"
#include "armilla/boot/wire_up/listeners.hpp"
#include "armilla/error.hpp"
#include "armilla/fabric/backend_list.hpp"
#include "armilla/fabric/backends.hpp"
#include "armilla/fabric/reachability.hpp"
#include "armilla/fabric/remote_segments.hpp"
#include "armilla/fabric/testing/faults.hpp"
#include "armilla/fabric/testing/loop_network.hpp"

namespace armilla::detail {
namespace {

/// What a rank says of one step: nothing, or why it cannot take it.
struct verdict {
  char why[504] = {};
  std::int64_t failed = 0;
};

class choosing {
 public:
  choosing(launch& self, std::string_view joined_by)
      : self_(self), joined_by_(joined_by), settings_(*self.settings), folders_(backend_folders(settings_.backends)) {}
  chosen_network run();

 private:
  std::size_t hosts() const { return self_.host_of.empty() ? 1 : std::size_t(*std::ranges::max_element(self_.host_of)) + 1; }
  bool comes_alone() const { return self_.new_rank && self_.started == nullptr; }
  std::string agree(const std::string& problem) const;
  std::string as_rank_0(const std::string& text) const;
  network_settings network_options() const;
  std::string try_backend(const std::string& name);
  void named();
  void loop();
  void automatic();
  void require_fabric() const;
  bool leads_host() const;
  const std::byte* addresses_of_all(const network& carries);
  std::string why_closed() const;
  std::string take_addresses();
  std::string try_neighbours();
  rank_t first_without_tcp(const std::vector<rank_t>& peers);
  bool any(bool mine) const;
  rank_t first_of(std::size_t host) const;

  launch& self_;
  std::string_view joined_by_;
  const options& settings_;
  std::vector<std::string> folders_;
  chosen_network chosen_;
};

// All take a step or none: what the first rank that cannot says, or nothing. A rank that comes into the running job takes the
// steps that the others have taken; over several hosts it hears from its agent what these have said.
std::string choosing::agree(const std::string& problem) const {
  if (comes_alone()) return problem;
  // Mostly none has anything to say: of many ranks the words would be long.
  const std::uint8_t can = problem.empty() ? 1 : 0;
  std::vector<std::uint8_t> each(std::size_t(self_.world_size()));
  exchange(self_, &can, each.data(), sizeof can);
  if (std::ranges::count(each, std::uint8_t{1}) == std::ptrdiff_t(each.size())) return self_.new_rank ? problem : "";
  verdict mine;
  mine.failed = problem.empty() ? 0 : 1;
  std::snprintf(mine.why, sizeof mine.why, "%s", problem.c_str());
  std::vector<verdict> all(std::size_t(self_.world_size()));
  exchange(self_, &mine, all.data(), sizeof mine);
  const auto first = std::ranges::find_if(all, [](const verdict& v) { return v.failed != 0; });
  if (first == all.end()) return {};
  first->why[sizeof first->why - 1] = 0;
  return fmt::format("rank {}: {}", first - all.begin(), first->why);
}

// All ranks take what rank 0 says: what lies in the folders of another host may differ.
std::string choosing::as_rank_0(const std::string& text) const {
  if (comes_alone()) return text;
  verdict mine;
  std::snprintf(mine.why, sizeof mine.why, "%s", text.c_str());
  std::vector<verdict> all(std::size_t(self_.world_size()));
  exchange(self_, &mine, all.data(), sizeof mine);
  all[0].why[sizeof all[0].why - 1] = 0;
  return all[0].why;
}

std::string with_folders(const std::string& problem, const std::vector<std::string>& folders) {
  return fmt::format("{}; looked in {}; ARMILLA_BACKENDS names other folders", problem, fmt::join(folders, ", "));
}

// Of an engine that lets any process that calls at its port write memory: the job's keys lie above that.
std::string exposure(std::string_view engine, const std::vector<listener>& before) {
  for (const listener& one : own_listeners())
    if (one.from == listener::reach::everybody && std::ranges::find(before, one) == before.end())
      return fmt::format(
          "{} listens at {} {}, a public address, and what reaches it can read and write the job's memory; name a private "
          "interface by the variables of {}, or set ARMILLA_TRUST_NETWORK=1 if a firewall stands before it",
          engine, one.protocol, one.place, engine);
  return {};
}

network_settings choosing::network_options() const {
  network_settings how;
  how.hosts = std::uint32_t(hosts());
  how.goes_on = self_.job->goes_on != 0;
  how.new_rank = self_.new_rank;
  how.listens_on = how.hosts == 1 ? "lo" : self_.interface.c_str();
  how.one_thread =
      (settings_.progress == progress_mode::automatic || settings_.progress == progress_mode::poll) && settings_.faults.empty();
  return how;
}

std::string choosing::try_backend(const std::string& name) {
  const backend found = load_backend(name, folders_);
  const bool can = found && found.loaded->open != nullptr;
  if (auto problem = agree(can ? "" : found ? found.file + " is no network" : found.problem); !problem.empty()) return problem;
  char why[sizeof(verdict::why)] = {};
  bootstrap* const same = joined_by_ == name ? self_.started : nullptr;
  const std::vector<listener> before = own_listeners();
  chosen_.carries.reset(found.loaded->open(self_.rank, self_.places, network_options(), same, why, sizeof why));
  const bool unprotected = found.loaded->trusts_callers && !settings_.trust_network;
  auto problem = agree(chosen_.carries == nullptr ? (*why != 0 ? why : "it does not say why")
                       : unprotected              ? exposure(found.loaded->name, before)
                                                  : "");
  if (!problem.empty()) chosen_.carries.reset();
  return problem;
}

// Whether this rank speaks for those that share its memory.
bool choosing::leads_host() const {
  const local_ranks& here = self_.job->locals;
  rank_t first = self_.rank;
  here.each([&](rank_t r) {
    if (self_.host_of.empty() || self_.host_of[std::size_t(r)] == self_.host_of[std::size_t(self_.rank)])
      first = std::min(first, r);
  });
  return first == self_.rank;
}

// By rank, in the memory of the host: of a job of many hosts they are long.
const std::byte* choosing::addresses_of_all(const network& carries) {
  const std::size_t bytes = carries.address_bytes();
  if (bytes == 0) return nullptr;
  std::byte* const shared = self_.host_base + self_.layout.addresses();
  if (comes_alone()) return shared;
  const std::size_t all = bytes * std::size_t(self_.world_size());
  auto received = std::make_unique<std::byte[]>(all);
  exchange(self_, carries.address(), received.get(), bytes);
  if (bytes > host_layout::address_bytes) {
    chosen_.addresses = std::move(received);
    return chosen_.addresses.get();
  }
  if (leads_host() && !self_.new_rank) std::memcpy(shared, received.get(), all);  // others may have come since
  meet(self_, exchange_meeting);
  return shared;
}

rank_t choosing::first_of(std::size_t host) const {
  return rank_t(std::ranges::find(self_.host_of, std::uint32_t(host)) - self_.host_of.begin());
}

namespace {

/// What the first rank of a host says of its neighbours, and where it was to be reached.
struct host_report {
  network_interface at;
  rank_t deaf_to = no_rank;  ///< the first rank of a host that it has no connection with
  char why[128] = {};
};

network_interface interface_of(const std::string& name) {
  const std::vector<network_interface> all = outer_interfaces();
  const auto mine = std::ranges::find_if(all, [&](const network_interface& one) { return one.name == name; });
  return mine != all.end() ? *mine : network_interface{};
}

std::string place_of(const network_interface& at) {
  const std::string name(at.name, strnlen(at.name, sizeof at.name));
  return at.there() ? fmt::format(" ({}, {})", address_text(at.address), name) : "";
}

}  // namespace

// Whether any rank says so.
bool choosing::any(bool mine) const {
  const std::uint8_t said = mine ? 1 : 0;
  std::vector<std::uint8_t> each(std::size_t(self_.world_size()));
  exchange(self_, &said, each.data(), sizeof said);
  return std::ranges::count(each, std::uint8_t{1}) != 0;
}

// The network goes by the interface alone, so where TCP does not get through there, it does not. UCX would try to connect for
// some minutes, and nothing can call it back.
rank_t choosing::first_without_tcp(const std::vector<rank_t>& peers) {
  const trial_port mine(self_.rank == first_of(self_.host_of[std::size_t(self_.rank)]) ? interface_of(self_.interface).address
                                                                                       : 0);
  std::vector<trial_place> places(std::size_t(self_.world_size()));
  const trial_place place = mine.place();
  exchange(self_, &place, places.data(), sizeof place);
  const std::string_view goes_by = chosen_.carries->version();
  const char* const named = std::getenv("UCX_NET_DEVICES");
  const bool alone = goes_by.ends_with(" on " + self_.interface) || (named != nullptr && self_.interface == named);
  std::vector<trial_place> theirs;
  for (const rank_t r : peers)
    if (alone) theirs.push_back(places[std::size_t(r)]);
  const std::vector<bool> good = try_places(theirs, settings_.loss_timeout_ns);
  const auto first = std::ranges::find(good, false);
  const rank_t found = first != good.end() ? peers[std::size_t(first - good.begin())] : no_rank;
  meet(self_, exchange_meeting);  // the ports are needed until all have tried
  return found;
}

// Engines find a dead way late or never, and then the program has begun. All ranks return the same.
std::string choosing::try_neighbours() {
  const std::size_t all = hosts();
  if (all == 1 || settings_.loss_timeout_ns == 0) return {};
  const std::size_t here = self_.host_of[std::size_t(self_.rank)];
  host_report mine;
  std::vector<rank_t> peers;
  if (first_of(here) == self_.rank && !self_.new_rank) {  // which hears what was found
    peers.push_back(first_of((here + 1) % all));
    if (all > 2) peers.push_back(first_of((here + all - 1) % all));
  }
  mine.deaf_to = first_without_tcp(peers);
  if (!any(mine.deaf_to != no_rank) && !peers.empty()) {
    for (const tried_peer& one : try_peers(*chosen_.carries, self_.rank, peers, settings_.loss_timeout_ns)) {
      if (one.good() || mine.deaf_to != no_rank) continue;
      mine.deaf_to = one.rank;
      std::snprintf(mine.why, sizeof mine.why, "%s", one.why.c_str());
    }
  }
  if (!any(mine.deaf_to != no_rank)) return {};
  mine.at = interface_of(self_.interface);
  std::vector<host_report> reports(std::size_t(self_.world_size()));
  exchange(self_, &mine, reports.data(), sizeof mine);
  const auto first = std::ranges::find_if(reports, [](const host_report& one) { return one.deaf_to != no_rank; });
  if (first == reports.end() || first->deaf_to < 0 || first->deaf_to >= self_.places) return "hosts do not reach each other";
  const host_report& other = reports[std::size_t(first->deaf_to)];
  // Adapters such as InfiniBand's need none.
  const bool addressed = first->at.there() && other.at.there();
  const auto name = [&](std::ptrdiff_t r) { return self_.host_names[self_.host_of[std::size_t(r)]]; };
  const std::string why(first->why, strnlen(first->why, sizeof first->why));
  return fmt::format("{}{} and {}{} do not reach each other{}; {}", name(first - reports.begin()), place_of(first->at),
                     name(first->deaf_to), place_of(other.at),
                     why.empty() ? fmt::format(" within {:.3g} s", double(settings_.loss_timeout_ns) / 1e9) : ": " + why,
                     addressed ? "is there a firewall? UCX_NET_DEVICES names another interface"
                               : "hosts of a job need addresses of IPv4 in one network; IPv6 is not used");
}

// What keeps ranks from coming into a running job; nothing: they may, or none does.
std::string choosing::why_closed() const {
  const network& carries = *chosen_.carries;
  if (!self_.job->takes_new_ranks()) return {};
  if (!settings_.faults.empty()) return "with ARMILLA_FAULTS ranks are not replaced and do not join; unset it";
  if (carries.takes_new_ranks() && carries.address_bytes() <= host_layout::address_bytes) return {};
  return fmt::format("over {} ranks are not replaced and do not join; set ARMILLA_FABRIC=shm, or ARMILLA_ON_LOSS=continue",
                     carries.version());
}

// What keeps its hosts apart; nothing: it is taken.
std::string choosing::take_addresses() {
  if (std::string problem = why_closed(); !problem.empty()) return problem;
  if (self_.all_far && reaches_segments(settings_)) hold_segment(*chosen_.carries, self_);
  chosen_.carries->set_addresses(addresses_of_all(*chosen_.carries));
  if (std::string problem = try_neighbours(); !problem.empty()) {
    for (rank_t r = 0; r < self_.places; ++r)
      if (self_.far(r)) chosen_.carries->give_up(r);
    chosen_.carries.reset();
    return problem;
  }
  chosen_.carries = with_faults(std::move(chosen_.carries), fault_settings::from(settings_.faults), self_.rank, self_.places);
  network& carries = *chosen_.carries;
  self_.beyond = &carries;
  self_.why += fmt::format(": {}", carries.version());
  if (!settings_.faults.empty()) self_.why += fmt::format(", with faults ({})", settings_.faults);
  return {};
}

// ARMILLA_FABRIC is a backend's name, or that of its kin.
void choosing::named() {
  std::string problem;
  const std::vector<backend_entry> all = list_backends(folders_);
  const backend_entry* const mine = named_backend(all, settings_.fabric, problem);
  const std::string option = "ARMILLA_FABRIC=" + settings_.fabric;
  problem = agree(mine != nullptr ? "" : with_folders(problem, folders_));
  if (problem.empty()) problem = try_backend(as_rank_0(mine->name));
  if (!problem.empty()) throw_usage("start", fmt::format("{}: {}", option, problem));
  self_.all_far = true;
  self_.why = option;
  if (problem = take_addresses(); !problem.empty()) throw_usage("start", fmt::format("{}: {}", option, problem));
}

void choosing::loop() {
  if (hosts() != 1)
    throw_usage("start", "ARMILLA_FABRIC=loop takes ranks that share memory: it is for tests of the way over a network");
  chosen_.carries = make_loop_network(self_.host_base, self_.layout, self_.rank, self_.places);
  self_.all_far = true;
  self_.why = "ARMILLA_FABRIC=loop";
  if (const std::string problem = take_addresses(); !problem.empty()) throw_usage("start", self_.why + ": " + problem);
}

std::string names_with_spaces(const std::vector<backend_entry>& all) {
  std::string text;
  for (const backend_entry& each : all) text += each.name + " ";
  return text;
}

void choosing::automatic() {
  const std::string hosts_text = fmt::format("the ranks are on {} hosts", hosts());
  std::string problems;
  std::string names = as_rank_0(names_with_spaces(usable_backends(list_backends(folders_), &backend_entry::between_hosts)));
  for (; !names.empty(); names.erase(0, names.find(' ') + 1)) {
    const std::string name = names.substr(0, names.find(' '));
    std::string problem = try_backend(name);
    if (problem.empty()) {
      self_.why = hosts_text + problems;
      problem = take_addresses();
      if (problem.empty()) return;
    }
    problems += fmt::format("; {} cannot be used ({})", name, problem);
  }
  if (problems.empty()) problems = with_folders("; no backend for that is here", folders_);
  throw_usage("start", fmt::format("{}, and nothing carries messages between them{}", hosts_text, problems));
}

bool built_in(std::string_view fabric) { return fabric == "auto" || fabric == "shm" || fabric == "threads" || fabric == "loop"; }

// Where no network is needed, a name that means nothing is an error all the same.
void choosing::require_fabric() const {
  std::string problem;
  const std::vector<backend_entry> all = list_backends(folders_);
  if (named_backend(all, settings_.fabric, problem) == nullptr)
    throw_usage("start", fmt::format("ARMILLA_FABRIC={}: {}", settings_.fabric, with_folders(problem, folders_)));
}

// What is built in first. `auto` means shared memory on one host, else automatic().
chosen_network choosing::run() {
  const std::string& asked = settings_.fabric;
  if (self_.threads || self_.places == 1) {
    if (!built_in(asked)) require_fabric();
    self_.why = self_.threads ? "the ranks are threads of one process" : "there is one rank";
  } else if (!built_in(asked)) {
    named();
  } else if (asked == "loop") {
    loop();
  } else if (hosts() == 1) {
    self_.why = "all ranks share memory";
  } else if (asked == "shm") {
    throw_usage("start",
                fmt::format("ARMILLA_FABRIC=shm requires ranks that share memory, but these are on {} hosts; unset it", hosts()));
  } else {
    automatic();
  }
  return std::move(chosen_);
}

}  // namespace

void show_address(const launch& self) {
  if (self.beyond == nullptr) return;
  const std::size_t bytes = self.beyond->address_bytes();
  if (bytes == 0) return;
  std::memcpy(self.host_base + self.layout.addresses() + std::size_t(self.rank) * bytes, self.beyond->address(), bytes);
  if (self.left != nullptr) self.left->show_address({reinterpret_cast<const char*>(self.beyond->address()), bytes});
}

chosen_network choose_network(launch& self, std::string_view joined_by) { return choosing(self, joined_by).run(); }

}  // namespace armilla::detail
