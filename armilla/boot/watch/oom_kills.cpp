// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/watch/oom_kills.hpp"

#include <charconv>
#include <fstream>
#include <sstream>

namespace armilla::detail {
namespace {

std::string content_of(const std::string& name) {
  std::ostringstream text;
  text << std::ifstream(name).rdbuf();
  return text.str();
}

// Calls `visit(line)` until that returns true.
template <class Visit>
void each_line(std::string_view text, const Visit& visit) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (visit(text.substr(0, end))) return;
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
}

}  // namespace

// Version 2: "0::/path". Version 1: "9:cpu,memory:/path".
std::string oom_file_of(std::string_view cgroups) {
  std::string file;
  each_line(cgroups, [&file](std::string_view line) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == line.npos) return false;
    const std::string_view path = line.substr(second + 1);
    const std::string controllers = "," + std::string(line.substr(first + 1, second - first - 1)) + ",";
    if (line.starts_with("0::") && file.empty())
      file = "/sys/fs/cgroup" + std::string(path == "/" ? "" : path) + "/memory.events";
    if (controllers.find(",memory,") == controllers.npos) return false;
    file = "/sys/fs/cgroup/memory" + std::string(path == "/" ? "" : path) + "/memory.oom_control";
    return true;
  });
  return file;
}

std::uint64_t oom_kills_in(std::string_view text) {
  std::uint64_t n = 0;
  each_line(text, [&n](std::string_view line) {
    constexpr std::string_view name = "oom_kill ";
    if (!line.starts_with(name)) return false;
    std::from_chars(line.data() + name.size(), line.data() + line.size(), n);
    return true;
  });
  return n;
}

oom_kills::oom_kills() : file_(oom_file_of(content_of("/proc/self/cgroup"))), before_(oom_kills_in(content_of(file_))) {}

std::uint64_t oom_kills::since_start() const {
  const std::uint64_t now = oom_kills_in(content_of(file_));
  return now > before_ ? now - before_ : 0;
}

}  // namespace armilla::detail
