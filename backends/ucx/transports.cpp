// SPDX-License-Identifier: Apache-2.0
#include "backends/ucx/transports.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string_view>

namespace armilla::detail {
namespace {

bool is_device(const std::string& word) {
  // UCX names a port of an adapter "mlx5_0:1"; transports have no such names.
  if (word.find(':') != std::string::npos) return word.find('\\') == std::string::npos;
  return access(("/sys/class/net/" + word).c_str(), F_OK) == 0 || access(("/sys/class/infiniband/" + word).c_str(), F_OK) == 0;
}

void append(std::string& list, const std::string& word) {
  if (!list.empty()) list += ',';
  list += word;
}

/// Whether a list as in UCX_TLS admits a transport under one of its names. A list of exclusions admits the rest, aliases
/// included.
bool admits(const std::string& tls, std::initializer_list<std::string_view> names) {
  if (tls.empty()) return true;
  bool excludes = tls.front() == '^';
  std::string_view rest = std::string_view(tls).substr(excludes ? 1 : 0);
  bool named = false;
  while (!rest.empty()) {
    std::string_view word = rest.substr(0, rest.find(','));
    rest.remove_prefix(word.size() < rest.size() ? word.size() + 1 : rest.size());
    for (std::string_view one : names) named = named || word == one;
  }
  return excludes ? !named : named;
}

/// What was said here, else what the environment says.
std::string in_force(const std::string& said, const char* variable) {
  const char* const environment = std::getenv(variable);
  return said.empty() && environment != nullptr ? environment : said;
}

std::string line_of(const std::filesystem::path& file) {
  std::ifstream text(file);
  std::string line;
  std::getline(text, line);
  return line;
}

/// Ports of adapters that are in use, as UCX names them: they listen to no stranger of TCP.
void append_adapters(std::string& list) {
  std::error_code none;
  for (const auto& adapter : std::filesystem::directory_iterator("/sys/class/infiniband", none))
    for (const auto& port : std::filesystem::directory_iterator(adapter.path() / "ports", none))
      if (line_of(port.path() / "state").find("ACTIVE") != std::string::npos)
        append(list, adapter.path().filename().string() + ":" + port.path().filename().string());
}

std::uint64_t inode(const char* path) {
  struct stat what{};
  return stat(path, &what) == 0 ? what.st_ino : 0;
}

}  // namespace

ucx_transports ucx_transports::of(const char* interfaces) {
  ucx_transports chosen;
  std::string_view rest = interfaces == nullptr ? "" : interfaces;
  while (!rest.empty()) {
    std::string word(rest.substr(0, rest.find(',')));
    rest.remove_prefix(word.size() < rest.size() ? word.size() + 1 : rest.size());
    if (!word.empty()) append(is_device(word) ? chosen.devices : chosen.tls, word);
  }
  const std::string tls = in_force(chosen.tls, "UCX_TLS");
  chosen.shared_memory = admits(tls, {"all", "sm", "shm", "mm", "posix", "sysv", "xpmem"});
  chosen.posix = admits(tls, {"all", "sm", "shm", "mm", "posix"});
  chosen.sysv = admits(tls, {"all", "sm", "shm", "mm", "sysv"});
  return chosen;
}

void ucx_transports::keep_to(const char* interface) {
  const std::string wanted = in_force(tls, "UCX_TLS");
  if (*interface == '\0' || !in_force(devices, "UCX_NET_DEVICES").empty() || !admits(wanted, {"all", "tcp"})) return;
  const bool near = std::string_view(interface) == "lo";
  if (near && wanted.empty()) {
    tls = "sm,self";
    return;
  }
  devices = interface;
  append_adapters(devices);
  guessed = true;
}

std::string ucx_transports::text() const {
  std::string words = in_force(tls, "UCX_TLS");
  if (words.empty()) words = "transports of its own choice";
  return devices.empty() ? words : words + " on " + devices;
}

host_mark this_host() {
  host_mark mark = {0, inode("/proc/self/ns/ipc"), inode("/proc/self/ns/pid"), 0};
  // The boot id has 36 characters, 32 of them digits: two words.
  char text[40] = "";
  if (std::FILE* file = std::fopen("/proc/sys/kernel/random/boot_id", "r")) {
    std::size_t got = std::fread(text, 1, sizeof text - 1, file);
    std::fclose(file);
    int digits = 0;
    for (std::size_t i = 0; i < got; ++i) {
      if (text[i] == '-' || text[i] == '\n') continue;
      std::uint64_t digit = text[i] <= '9' ? text[i] - '0' : text[i] - 'a' + 10;
      std::uint64_t& word = digits++ < 16 ? mark[0] : mark[3];
      word = (word << 4) | digit;
    }
  }
  return mark;
}

}  // namespace armilla::detail
