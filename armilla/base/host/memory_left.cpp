// SPDX-License-Identifier: Apache-2.0
#include "armilla/base/host/memory_left.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>

#include "armilla/base/host/large_pages.hpp"

namespace armilla::detail {
namespace {

constexpr std::uint64_t stays_free = 32;  // of so many parts one: page tables, and what the kernel counts as free and is not

std::string text_of(const std::string& path) {
  std::string text;
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return text;
  std::array<char, 4096> some;
  for (ssize_t n; (n = read(file, some.data(), some.size())) > 0;) text.append(some.data(), std::size_t(n));
  close(file);
  return text;
}

std::optional<std::uint64_t> number_in(std::string_view text) {
  const auto digits = std::min(text.find_first_not_of(' '), text.size());
  std::uint64_t number = 0;
  const auto [end, wrong] = std::from_chars(text.data() + digits, text.data() + text.size(), number);
  return wrong == std::errc() ? std::optional(number) : std::nullopt;
}

/// What a line says that begins with `name`.
std::optional<std::uint64_t> number_behind(std::string_view text, std::string_view name) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (text.substr(at, name.size()) == name) return number_in(text.substr(at + name.size(), end - at - name.size()));
    at = end + 1;
  }
  return std::nullopt;
}

/// `given` bytes, of which `used` are in use.
std::uint64_t rest_of(std::uint64_t given, std::uint64_t used) {
  used += given / stays_free;
  return given > used ? given - used : 0;
}

std::uint64_t left_on_host(const std::string& root) {
  const std::string text = text_of(root + "/proc/meminfo");
  const auto all = number_behind(text, "MemTotal:"), available = number_behind(text, "MemAvailable:");
  if (!all || !available) return no_bound;
  const std::uint64_t swap = number_behind(text, "SwapFree:").value_or(0), used = *all - std::min(*all, *available);
  return rest_of(*all << 10, used << 10) + (swap << 10);
}

/// The files of a version of control groups.
struct group_files {
  const char *limit, *used, *cache;
};
constexpr group_files version_1{"/memory.limit_in_bytes", "/memory.usage_in_bytes", "total_inactive_file "},
    version_2{"/memory.max", "/memory.current", "inactive_file "};

std::uint64_t left_in_group(const std::string& folder, const group_files& files) {
  const auto limit = number_in(text_of(folder + files.limit)), used = number_in(text_of(folder + files.used));
  if (!limit || !used) return no_bound;
  const std::uint64_t cache = number_behind(text_of(folder + "/memory.stat"), files.cache).value_or(0);
  return rest_of(*limit, *used - std::min(*used, cache));
}

/// Of a group and all that it lies in. A container may see its own group as the root.
std::uint64_t left_in_groups(const std::string& root, std::string path, const group_files& files) {
  std::uint64_t left = no_bound;
  for (;;) {
    left = std::min(left, left_in_group(root + path, files));
    if (path.empty()) return left;
    path.resize(path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
  }
}

}  // namespace

std::uint64_t memory_left(const std::string& root) {
  std::uint64_t left = left_on_host(root);
  const std::string groups = text_of(root + "/proc/self/cgroup");
  for (std::size_t at = 0; at < groups.size();) {
    const std::size_t end = std::min(groups.find('\n', at), groups.size());
    const std::string_view line(groups.data() + at, end - at);
    const std::string path(line.substr(std::min(line.find('/'), line.size())));
    if (line.substr(0, 3) == "0::") left = std::min(left, left_in_groups(root + "/sys/fs/cgroup", path, version_2));
    if (line.find(":memory:") != line.npos)
      left = std::min(left, left_in_groups(root + "/sys/fs/cgroup/memory", path, version_1));
    at = end + 1;
  }
  return left;
}

std::string remedy_for_segment(std::uint64_t bytes, const char* half) {
  const std::uint64_t host = std::uint64_t(sysconf(_SC_PHYS_PAGES)) * std::uint64_t(sysconf(_SC_PAGESIZE));
  if (bytes > host)
    return "this host has " + std::to_string(host >> 20) + " MiB of memory; ask for fewer elements, or take more hosts";
  return std::string("raise ARMILLA_SEGMENT (half of it is for ") + half + ")";
}

std::uint64_t untouched_bytes(const std::byte* begin, std::uint64_t bytes) {
  const auto page = std::uintptr_t(sysconf(_SC_PAGESIZE)), first = reinterpret_cast<std::uintptr_t>(begin);
  std::uint64_t missing = 0;
  for (std::uint64_t at = 0; at < bytes; at += large_page) {
    unsigned char resident = 0;
    if (mincore(reinterpret_cast<void*>((first + at) / page * page), page, &resident) != 0) return bytes;
    if ((resident & 1) == 0) missing += std::min<std::uint64_t>(large_page, bytes - at);
  }
  return missing;
}

}  // namespace armilla::detail
