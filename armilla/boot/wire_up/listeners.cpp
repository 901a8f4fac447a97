// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/wire_up/listeners.hpp"

#include <arpa/inet.h>
#include <dirent.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstdlib>
#include <optional>

#include <fmt/format.h>

#include "armilla/boot/host/interfaces.hpp"

namespace armilla::detail {
namespace {

using reach = listener::reach;

/// Room for an address of any family.
union any_address {
  sockaddr head;
  sockaddr_in four;
  sockaddr_in6 six;
  sockaddr_un local;
  sockaddr_storage room;
};

bool is_public(const sockaddr& a) noexcept {
  if (a.sa_family == AF_INET) return !is_private(reinterpret_cast<const sockaddr_in&>(a).sin_addr.s_addr);
  return a.sa_family == AF_INET6 && !is_private(reinterpret_cast<const sockaddr_in6&>(a).sin6_addr);
}

/// From where a port on all addresses is reached.
reach of_all_addresses() {
  reach from = reach::near;
  const bool told = visit_addresses([&](const ifaddrs& one) {
    if (is_public(*one.ifa_addr)) from = reach::everybody;
  });
  return told ? from : reach::everybody;
}

reach of(const sockaddr_in& a) {
  if (a.sin_addr.s_addr == htonl(INADDR_ANY)) return of_all_addresses();
  if (is_loopback(a.sin_addr.s_addr)) return reach::host;
  return is_private(a.sin_addr.s_addr) ? reach::near : reach::everybody;
}

reach of(const sockaddr_in6& a) {
  if (IN6_IS_ADDR_UNSPECIFIED(&a.sin6_addr)) return of_all_addresses();
  if (IN6_IS_ADDR_LOOPBACK(&a.sin6_addr)) return reach::host;
  return is_private(a.sin6_addr) ? reach::near : reach::everybody;
}

int option(int descriptor, int name) noexcept {
  int value = 0;
  socklen_t size = sizeof value;
  return getsockopt(descriptor, SOL_SOCKET, name, &value, &size) == 0 ? value : -1;
}

std::string text_of(const any_address& a) {
  char text[INET6_ADDRSTRLEN] = "";
  if (a.head.sa_family == AF_INET6) {
    inet_ntop(AF_INET6, &a.six.sin6_addr, text, sizeof text);
    return fmt::format("[{}]:{}", text, ntohs(a.six.sin6_port));
  }
  return fmt::format("{}:{}", address_text(a.four.sin_addr.s_addr), ntohs(a.four.sin_port));
}

std::string name_of(const sockaddr_un& a, socklen_t size) {
  const std::size_t bytes = size - offsetof(sockaddr_un, sun_path);
  if (a.sun_path[0] != 0) return a.sun_path;
  return "@" + std::string(a.sun_path + 1, bytes - 1);
}

std::optional<listener> listener_at(int descriptor) {
  const int type = option(descriptor, SO_TYPE);
  const bool listens = option(descriptor, SO_ACCEPTCONN) == 1;
  any_address where{};
  socklen_t size = sizeof where;
  if ((!listens && type != SOCK_DGRAM) || getsockname(descriptor, &where.head, &size) != 0) return {};
  const char* const protocol = type == SOCK_DGRAM ? "udp" : "tcp";
  if (where.head.sa_family == AF_UNIX && size > offsetof(sockaddr_un, sun_path)) {
    const bool asks_nobody =
        type == SOCK_DGRAM && where.local.sun_path[0] == 0;  // no file whose rights count, and no caller to ask
    return listener{descriptor, asks_nobody ? reach::host : reach::user, "unix", name_of(where.local, size)};
  }
  if (where.head.sa_family == AF_INET && where.four.sin_port != 0)
    return listener{descriptor, of(where.four), protocol, text_of(where)};
  if (where.head.sa_family == AF_INET6 && where.six.sin6_port != 0)
    return listener{descriptor, of(where.six), protocol, text_of(where)};
  return {};
}

}  // namespace

std::vector<listener> own_listeners() {
  std::vector<listener> found;
  DIR* const folder = opendir("/proc/self/fd");
  if (folder == nullptr) return found;
  while (const dirent* const entry = readdir(folder))
    if (auto one = listener_at(std::atoi(entry->d_name))) found.push_back(std::move(*one));
  closedir(folder);
  return found;
}

const char* text_of(listener::reach from) noexcept {
  switch (from) {
    case reach::user: return "processes of this host that its owner lets in";
    case reach::host: return "all users of this host";
    case reach::near: return "all users of this host, and all machines in its private network";
    case reach::everybody: return "everybody: the address is public";
  }
  return "";
}

}  // namespace armilla::detail
