// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <netinet/in.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

struct ifaddrs;

/// Which networks this host is in, and by which one the hosts of a job talk: ports are opened there and nowhere else.
namespace armilla::detail {

/// An interface of this host with an address of IPv4. As exchanged between ranks, as it is.
struct network_interface {
  char name[16] = {};
  std::uint32_t address = 0;  ///< as on the wire; 0: there is none
  std::uint32_t mask = 0;     ///< as on the wire

  bool there() const noexcept { return address != 0; }
  bool beside(const network_interface& other) const noexcept {
    return mask == other.mask && (address & mask) == (other.address & mask);
  }
};

/// Calls `visit` for each address of this host's interfaces, of any family; false: the kernel does not tell them.
bool visit_addresses(const std::function<void(const ifaddrs&)>& visit);

/// Interfaces that are up and are no loopback, in the kernel's order.
std::vector<network_interface> outer_interfaces();

/// Those of one host, the preferred ones first.
using interface_list = std::vector<network_interface>;

/// The outer interfaces, those with private addresses first. Where UCX_NET_DEVICES names some of them, these alone: a choice for
/// UCX is one for the rest.
interface_list own_interfaces();

/// The one by which host `me` reaches the others: in the first network in which all hosts have an address of their own, or, where
/// routers stand between, the one that the route to another host takes. None if there is no way.
network_interface interface_between(const std::vector<interface_list>& hosts, std::size_t me);

/// The address that the kernel would use for what goes to `address`; 0: it knows no way.
std::uint32_t source_towards(std::uint32_t address) noexcept;

/// Whether only this host reaches it.
bool is_loopback(std::uint32_t address) noexcept;

/// Whether strangers of the internet cannot reach it: the loopback, link-local addresses and RFC 1918, RFC 4193.
bool is_private(std::uint32_t address) noexcept;
bool is_private(const in6_addr& address) noexcept;

/// "10.0.0.7".
std::string address_text(std::uint32_t address);

}  // namespace armilla::detail
