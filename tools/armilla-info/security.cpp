// SPDX-License-Identifier: Apache-2.0
#include "security.hpp"

#include <unistd.h>

#include <cstdio>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "armilla/armilla.hpp"
#include "armilla/base/core/options.hpp"
#include "armilla/boot/host/interfaces.hpp"
#include "armilla/boot/wire_up/listeners.hpp"

namespace armilla::info {
namespace {

using namespace armilla::detail;

void line(std::string_view title, std::string_view text) { fmt::print("  {:<12} {}\n", title, text); }

std::string described(const network_interface& one) {
  return fmt::format("{}, {}", address_text(one.address), is_private(one.address) ? "private" : "public: strangers may reach it");
}

void print_interfaces() {
  fmt::print("Interfaces of this machine, in the order in which a job over several hosts prefers them\n");
  for (const network_interface& one : own_interfaces()) line(one.name, described(one));
  line("lo", "all users of this host, and no others");
}

void print_rules(const options& settings) {
  fmt::print("\nPorts of a job\n");
  line("one host", "none; with ARMILLA_FABRIC=ucx and UCX_TLS=tcp, or with ofi, on the loopback: for all users of this host");
  line("",
       "with ARMILLA_FABRIC=ucx local sockets by which all users of this host can end the job, but not read or write its memory");
  const interface_list all = own_interfaces();
  const network_interface first = all.empty() ? network_interface{} : all.front();
  line("more hosts", first.there()
                         ? fmt::format("on the first network that all of them are in; here {} ({}), if the others are in it, too",
                                       first.name, described(first))
                         : "this machine is in no network that leads to others");
  line("",
       "UCX and libfabric (TCP): every process that completes its hello can read and write the memory of the job; nothing is "
       "encrypted");
  line("", "heartbeats (UDP): refused without the job's word, which travels unencrypted");
  line("armilla-run",
       "--hosts, --meet: one port, until all agents have connected, with more than eight hosts also at some of these; callers "
       "without the job's key are refused");
  line("MPI, PMIx", "open ports of their own, under rules of their own");
  line("public", settings.trust_network ? "UCX and libfabric may listen on public addresses (ARMILLA_TRUST_NETWORK=1)"
                                        : "UCX and libfabric are refused on public addresses (ARMILLA_TRUST_NETWORK=0)");
}

std::string ports_of_this_rank() {
  std::string text;
  for (const listener& one : own_listeners())
    text +=
        fmt::format("  {:<12} {} {}: {}\n", fmt::format("rank {}", armilla::rank()), one.protocol, one.place, text_of(one.from));
  return text.empty() ? fmt::format("  {:<12} none\n", fmt::format("rank {}", armilla::rank())) : text;
}

void print_this_job() {
  fmt::print("\nPorts that this job has open, those of MPI and PMIx among them\n");
  for (armilla::rank_t r = 0; r < armilla::ranks(); ++r)
    fmt::print("{}", armilla::call(r, [] { return ports_of_this_rank(); }).get());
}

void print_trust() {
  fmt::print("\nWho must be trusted\n");
  line("this user", fmt::format("user {}: each of their processes may read, stop and end ranks", getuid()));
  line("this host", "all its users, where a port is on the loopback");
  line("the network", "everybody who can reach the interface between the hosts, or listen to it");
  line("", "docs/guide/networks.md says what a deployment does about it");
}

}  // namespace

void print_security() {
  print_interfaces();
  print_rules(options::from_environment());
  print_this_job();
  print_trust();
  std::fflush(stdout);
}

}  // namespace armilla::info
