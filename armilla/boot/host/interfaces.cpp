// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/host/interfaces.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>

#include <net/if.h>

namespace armilla::detail {
namespace {

// Whether `word` is one of a list with commas.
bool names(std::string_view list, std::string_view word) {
  for (std::size_t at = 0, end; at <= list.size(); at = end + 1) {
    end = std::min(list.find(',', at), list.size());
    if (list.substr(at, end - at) == word) return true;
  }
  return false;
}

// The host's own one in the network of `there`. Bridges of containers have the same address everywhere: that is no common
// network.
const network_interface* in_network(const interface_list& host, const network_interface& there) {
  for (const network_interface& mine : host)
    if (mine.beside(there) && mine.address != there.address) return &mine;
  return nullptr;
}

network_interface with_address(const interface_list& host, std::uint32_t address) {
  for (const network_interface& one : host)
    if (one.address == address) return one;
  return {};
}

bool inside(std::uint32_t address, std::uint32_t network, int bits) noexcept {
  return (ntohl(address) ^ network) >> (32 - bits) == 0;
}

}  // namespace

bool visit_addresses(const std::function<void(const ifaddrs&)>& visit) {
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return false;
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(all, freeifaddrs);
  for (const ifaddrs* one = all; one != nullptr; one = one->ifa_next)
    if (one->ifa_addr != nullptr) visit(*one);
  return true;
}

std::vector<network_interface> outer_interfaces() {
  std::vector<network_interface> found;
  visit_addresses([&](const ifaddrs& one) {
    if (one.ifa_addr->sa_family != AF_INET || one.ifa_netmask == nullptr) return;
    if ((one.ifa_flags & IFF_UP) == 0 || (one.ifa_flags & IFF_LOOPBACK) != 0) return;
    network_interface mine;
    std::snprintf(mine.name, sizeof mine.name, "%s", one.ifa_name);
    mine.address = reinterpret_cast<const sockaddr_in*>(one.ifa_addr)->sin_addr.s_addr;
    mine.mask = reinterpret_cast<const sockaddr_in*>(one.ifa_netmask)->sin_addr.s_addr;
    found.push_back(mine);
  });
  return found;
}

interface_list own_interfaces() {
  interface_list found = outer_interfaces();
  if (const char* const wanted = std::getenv("UCX_NET_DEVICES"))
    if (std::ranges::any_of(found, [&](const auto& one) { return names(wanted, one.name); }))
      std::erase_if(found, [&](const auto& one) { return !names(wanted, one.name); });
  std::ranges::stable_partition(found, [](const auto& one) { return is_private(one.address); });
  return found;
}

network_interface interface_between(const std::vector<interface_list>& hosts, std::size_t me) {
  for (const network_interface& first : hosts[0]) {
    const auto is_in = [&](const interface_list& host) { return in_network(host, first) != nullptr; };
    if (std::all_of(hosts.begin() + 1, hosts.end(), is_in)) return me == 0 ? first : *in_network(hosts[me], first);
  }
  for (const network_interface& there : hosts[me == 0 ? 1 : 0])
    if (const auto mine = with_address(hosts[me], source_towards(there.address)); mine.there()) return mine;
  return {};
}

// A datagram's socket that is connected has chosen its route, and nothing has been sent.
std::uint32_t source_towards(std::uint32_t address) noexcept {
  const int probe = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (probe < 0) return 0;
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_port = htons(9);
  place.sin_addr.s_addr = address;
  socklen_t size = sizeof place;
  const bool known = connect(probe, reinterpret_cast<const sockaddr*>(&place), sizeof place) == 0 &&
                     getsockname(probe, reinterpret_cast<sockaddr*>(&place), &size) == 0;
  close(probe);
  return known ? place.sin_addr.s_addr : 0;
}

bool is_loopback(std::uint32_t address) noexcept { return ntohl(address) >> 24 == IN_LOOPBACKNET; }

bool is_private(std::uint32_t address) noexcept {
  return is_loopback(address) || inside(address, 0x0a000000, 8) || inside(address, 0xac100000, 12) ||
         inside(address, 0xc0a80000, 16) || inside(address, 0xa9fe0000, 16);
}

bool is_private(const in6_addr& address) noexcept {
  if (IN6_IS_ADDR_V4MAPPED(&address)) {
    std::uint32_t four = 0;
    std::memcpy(&four, address.s6_addr + 12, sizeof four);
    return is_private(four);
  }
  return IN6_IS_ADDR_LOOPBACK(&address) || IN6_IS_ADDR_LINKLOCAL(&address) || (address.s6_addr[0] & 0xfe) == 0xfc;
}

std::string address_text(std::uint32_t address) {
  char text[INET_ADDRSTRLEN] = "";
  inet_ntop(AF_INET, &address, text, sizeof text);
  return text;
}

}  // namespace armilla::detail
