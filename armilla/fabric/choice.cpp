// SPDX-License-Identifier: Apache-2.0
#include "armilla/fabric/choice.hpp"

#include <algorithm>
#include <cstdio>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "armilla/base/error.hpp"
#include "armilla/base/options.hpp"
#include "armilla/boot/bootstrap.hpp"
#include "armilla/boot/exchange.hpp"
#include "armilla/boot/listeners.hpp"
#include "armilla/fabric/backends.hpp"
#include "armilla/fabric/faults.hpp"
#include "armilla/fabric/loop_network.hpp"

namespace armilla::detail {
namespace {

/// What a rank says of one step: nothing, or why it cannot take it.
struct verdict {
  char why[504] = {};
  std::int64_t failed = 0;
};

class choosing {
 public:
  choosing(launch& self, const char* joined_by) : self_(self), joined_by_(joined_by), settings_(*self.settings) {}
  chosen_network run();

 private:
  std::size_t hosts() const { return self_.host_of.empty() ? 1 : std::size_t(*std::ranges::max_element(self_.host_of)) + 1; }
  std::string agree(const std::string& problem) const;
  std::string try_backend(const char* name);
  void forced(const char* name, const std::string& option);
  void automatic();
  void take_addresses();
  const char* mpi_name() const;

  launch& self_;
  const char* joined_by_;
  const options& settings_;
  chosen_network chosen_;
};

// All take a step or none: what the first rank that cannot says, or nothing.
std::string choosing::agree(const std::string& problem) const {
  verdict mine;
  mine.failed = problem.empty() ? 0 : 1;
  std::snprintf(mine.why, sizeof mine.why, "%s", problem.c_str());
  std::vector<verdict> all(std::size_t(self_.ranks));
  exchange(self_, &mine, all.data(), sizeof mine);
  const auto first = std::ranges::find_if(all, [](const verdict& v) { return v.failed != 0; });
  if (first == all.end()) return {};
  first->why[sizeof first->why - 1] = 0;
  return fmt::format("rank {}: {}", first - all.begin(), first->why);
}

// UCX lets any process that calls at its port write memory: the job's keys lie above that.
std::string exposure(const std::vector<listener>& before) {
  for (const listener& one : own_listeners())
    if (one.from == listener::reach::everybody && std::ranges::find(before, one) == before.end())
      return fmt::format(
          "UCX listens at {} {}, a public address, and whoever reaches it can read and write the job's memory; name a private "
          "interface by UCX_NET_DEVICES, or set ARMILLA_TRUST_NETWORK=1 if a firewall stands before it",
          one.protocol, one.place);
  return {};
}

std::string choosing::try_backend(const char* name) {
  const backend found = load_backend(name, backend_folders(settings_.backends));
  const bool can = found && found.loaded->open != nullptr;
  if (auto problem = agree(can ? "" : found ? found.file + " is no network" : found.problem); !problem.empty()) return problem;
  char why[sizeof(verdict::why)] = {};
  bootstrap* const same = joined_by_ != nullptr && std::string_view(joined_by_) == name ? self_.started : nullptr;
  network_settings how;
  how.listens_on = hosts() == 1 ? "lo" : self_.interface.c_str();
  how.one_thread = settings_.reception != reception_kind::thread && settings_.faults.empty();
  const std::vector<listener> before = own_listeners();
  chosen_.carries.reset(found.loaded->open(self_.rank, self_.ranks, how, same, why, sizeof why));
  const bool unprotected = std::string_view(name) == "ucx" && !settings_.trust_network;
  auto problem = agree(chosen_.carries == nullptr ? (*why != 0 ? why : "it does not say why")
                       : unprotected              ? exposure(before)
                                                  : "");
  if (!problem.empty()) chosen_.carries.reset();
  return problem;
}

void choosing::take_addresses() {
  chosen_.carries = with_faults(std::move(chosen_.carries), fault_settings::from(settings_.faults), self_.rank, self_.ranks);
  network& carries = *chosen_.carries;
  const std::size_t bytes = carries.address_bytes();
  if (bytes != 0) {
    chosen_.addresses = std::make_unique<std::byte[]>(bytes * std::size_t(self_.ranks));
    exchange(self_, carries.address(), chosen_.addresses.get(), bytes);
  }
  carries.set_addresses(chosen_.addresses.get());
  self_.beyond = &carries;
  self_.why += fmt::format(": {}", carries.version());
  if (!settings_.faults.empty()) self_.why += fmt::format(", with faults ({})", settings_.faults);
}

// The launcher's if it is an MPI's, else none.
const char* choosing::mpi_name() const { return self_.started != nullptr ? which_mpi().name : nullptr; }

void choosing::forced(const char* name, const std::string& option) {
  self_.all_far = true;
  self_.why = option;
  if (const auto problem = try_backend(name); !problem.empty()) throw_usage("start", fmt::format("{}: {}", option, problem));
  take_addresses();
}

void choosing::automatic() {
  const std::string hosts_text = fmt::format("the ranks are on {} hosts", hosts());
  const std::string no_ucx = try_backend("ucx");
  if (no_ucx.empty()) {
    self_.why = hosts_text + ", and UCX is there";
    return take_addresses();
  }
  const char* const mpi = mpi_name();
  const std::string no_mpi = mpi != nullptr ? try_backend(mpi) : "no MPI's launcher started the job";
  if (!no_mpi.empty())
    throw_usage("start",
                fmt::format("{}, and nothing carries messages between them; UCX: {}; MPI: {}", hosts_text, no_ucx, no_mpi));
  self_.why = fmt::format("{}, without UCX ({})", hosts_text, no_ucx);
  take_addresses();
}

chosen_network choosing::run() {
  const fabric_kind asked = settings_.fabric;
  if (self_.threads || self_.ranks == 1) {
    self_.why = self_.threads ? "the ranks are threads of one process" : "there is one rank";
  } else if (asked == fabric_kind::mpi) {
    const char* const mpi = mpi_name();
    if (mpi == nullptr)
      throw_usage("start", "ARMILLA_FABRIC=mpi takes a job that an MPI's launcher has started: mpirun -n 4 ./program");
    forced(mpi, "ARMILLA_FABRIC=mpi");
  } else if (asked == fabric_kind::ucx) {
    forced("ucx", "ARMILLA_FABRIC=ucx");
  } else if (asked == fabric_kind::loop) {
    if (hosts() != 1)
      throw_usage("start", "ARMILLA_FABRIC=loop takes ranks that share memory: it is for tests of the way over a network");
    chosen_.carries = make_loop_network(self_.host_base, self_.layout, self_.rank, self_.ranks);
    self_.all_far = true;
    self_.why = "ARMILLA_FABRIC=loop";
    take_addresses();
  } else if (hosts() == 1) {
    self_.why = "all ranks share memory";
  } else if (asked == fabric_kind::shm) {
    throw_usage("start", fmt::format("ARMILLA_FABRIC=shm takes ranks that share memory, and these are on {} hosts; leave it away",
                                     hosts()));
  } else {
    automatic();
  }
  return std::move(chosen_);
}

}  // namespace

chosen_network choose_network(launch& self, const char* joined_by) { return choosing(self, joined_by).run(); }

}  // namespace armilla::detail
