// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/host/interfaces.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <cstdio>
#include <initializer_list>
#include <string>

#include <gtest/gtest.h>

using namespace armilla::detail;

namespace {

network_interface interface_at(const char* name, const char* address, int bits) {
  network_interface one;
  std::snprintf(one.name, sizeof one.name, "%s", name);
  inet_pton(AF_INET, address, &one.address);
  one.mask = htonl(~0U << (32 - bits));
  return one;
}

interface_list host_with(std::initializer_list<network_interface> all) { return all; }

std::uint32_t four(const char* text) {
  std::uint32_t address = 0;
  inet_pton(AF_INET, text, &address);
  return address;
}

in6_addr six(const char* text) {
  in6_addr address{};
  inet_pton(AF_INET6, text, &address);
  return address;
}

TEST(interfaces, hosts_talk_in_the_first_network_that_all_of_them_are_in) {
  const auto a = host_with({interface_at("eth0", "10.0.0.1", 24), interface_at("eth1", "10.0.1.1", 24)});
  const auto b = host_with({interface_at("ens3", "10.0.1.2", 24)});
  EXPECT_STREQ(interface_between({a, b}, 0).name, "eth1");
  EXPECT_STREQ(interface_between({a, b}, 1).name, "ens3");
}

TEST(interfaces, a_bridge_with_the_same_address_everywhere_is_no_common_network) {
  const auto a = host_with({interface_at("docker0", "172.17.0.1", 16), interface_at("eth0", "10.0.0.1", 24)});
  const auto b = host_with({interface_at("docker0", "172.17.0.1", 16), interface_at("eth0", "10.0.0.2", 24)});
  EXPECT_STREQ(interface_between({a, b}, 0).name, "eth0");
  EXPECT_STREQ(interface_between({a, b}, 1).name, "eth0");
}

TEST(interfaces, behind_a_router_the_route_decides) {
  const auto far = host_with({interface_at("far0", "127.8.8.8", 32)});  // whose route leads over the loopback
  const auto mine = host_with({interface_at("other0", "10.0.0.1", 24), interface_at("near0", "127.0.0.1", 32)});
  EXPECT_STREQ(interface_between({mine, far}, 0).name, "near0");
}

TEST(interfaces, a_host_may_have_many) {
  interface_list a, b{interface_at("eth0", "10.9.9.2", 24)};
  for (int i = 0; i < 100; ++i)
    a.push_back(interface_at(("br" + std::to_string(i)).c_str(), ("10.1." + std::to_string(i) + ".1").c_str(), 24));
  a.push_back(interface_at("eth7", "10.9.9.1", 24));
  EXPECT_STREQ(interface_between({a, b}, 0).name, "eth7");
  EXPECT_STREQ(interface_between({b, a}, 1).name, "eth7");
}

TEST(interfaces, without_a_way_there_is_none) {
  EXPECT_FALSE(interface_between({interface_list{}, interface_list{}}, 0).there());
}

TEST(interfaces, private_addresses_are_those_that_the_internet_does_not_carry) {
  for (const char* text : {"127.0.0.1", "10.1.2.3", "172.16.0.1", "172.31.255.254", "192.168.0.9", "169.254.1.1"})
    EXPECT_TRUE(is_private(four(text))) << text;
  for (const char* text : {"8.8.8.8", "172.32.0.1", "172.15.0.1", "192.169.0.1", "100.64.0.1", "203.0.113.1", "11.0.0.1"})
    EXPECT_FALSE(is_private(four(text))) << text;
  for (const char* text : {"::1", "fe80::1", "fd00::2", "::ffff:10.0.0.1"}) EXPECT_TRUE(is_private(six(text))) << text;
  for (const char* text : {"2001:db8::1", "::ffff:8.8.8.8", "ff02::1"}) EXPECT_FALSE(is_private(six(text))) << text;
}

}  // namespace
