// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/wire_up/launcher_server.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <fmt/format.h>

#include "armilla/boot/host/descriptor.hpp"

namespace armilla::detail {
namespace {

constexpr int answers_within_ms = 2000;
// Each version of the protocol has a variable of its own that says where a server of PMIx listens:
// PMIX_SERVER_URI41=name.rank;tcp4://127.0.0.1:4711.
constexpr std::string_view place_variables = "PMIX_SERVER_URI";

struct server_place {
  std::string address;
  int port = 0;
};

server_place place_in(std::string_view uri) {
  const std::size_t start = uri.find("://"), colon = uri.rfind(':');
  if (start == uri.npos || colon <= start + 2) return {};
  std::string_view address = uri.substr(start + 3, colon - start - 3);
  if (address.starts_with('[') && address.ends_with(']')) address = address.substr(1, address.size() - 2);
  return {std::string(address), std::atoi(std::string(uri.substr(colon + 1)).c_str())};
}

enum class finding { listens, absent, unknown };

finding try_place(const server_place& where) {
  sockaddr_in6 six{};
  sockaddr_in four{};
  four.sin_family = AF_INET, six.sin6_family = AF_INET6;
  four.sin_port = six.sin6_port = htons(std::uint16_t(where.port));
  const bool is_four = inet_pton(AF_INET, where.address.c_str(), &four.sin_addr) == 1;
  if (where.port <= 0 || where.port > 65535 || (!is_four && inet_pton(AF_INET6, where.address.c_str(), &six.sin6_addr) != 1))
    return finding::unknown;
  const descriptor caller(socket(is_four ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const auto* const there = is_four ? reinterpret_cast<const sockaddr*>(&four) : reinterpret_cast<const sockaddr*>(&six);
  if (connect(caller.get(), there, is_four ? socklen_t(sizeof four) : socklen_t(sizeof six)) == 0) return finding::listens;
  if (errno != EINPROGRESS) return errno == ECONNREFUSED ? finding::absent : finding::unknown;
  pollfd wait{caller.get(), POLLOUT, 0};
  if (poll(&wait, 1, answers_within_ms) <= 0) return finding::unknown;
  int error = 0;
  socklen_t size = sizeof error;
  getsockopt(caller.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  return error == 0 ? finding::listens : error == ECONNREFUSED ? finding::absent : finding::unknown;
}

std::string no_pmix_server() {
  std::string tried;
  for (const char* const* each = environ; *each != nullptr; ++each) {
    const std::string_view entry = *each;
    const std::size_t equals = entry.find('=');
    if (!entry.starts_with(place_variables) || equals == entry.npos) continue;
    const server_place where = place_in(entry.substr(equals + 1));
    if (try_place(where) != finding::absent) return "";
    tried = fmt::format("no server listens at {} port {} ({})", where.address, where.port, entry.substr(0, equals));
  }
  return tried.empty() ? "no PMIX_SERVER_URI names a server" : tried;
}

// MPICH's gives an open socket along.
std::string no_pmi_server() {
  const char* const number = std::getenv("PMI_FD");
  if (number == nullptr || fcntl(std::atoi(number), F_GETFD) >= 0) return "";
  return fmt::format("PMI_FD={} is no open file", number);
}

}  // namespace

std::string why_gone(const launcher& from) {
  const bool pmix = std::getenv("PMIX_RANK") != nullptr && std::getenv("PMIX_NAMESPACE") != nullptr;
  if ((from.kind == launcher_kind::pmix || from.kind == launcher_kind::open_mpi) && pmix) return no_pmix_server();
  return from.kind == launcher_kind::mpich ? no_pmi_server() : "";
}

}  // namespace armilla::detail
