// SPDX-License-Identifier: Apache-2.0
#include "live_trace.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "armilla/base/host/descriptor.hpp"
#include "armilla/error.hpp"
#include "armilla/stats/trace_merge.hpp"
#include "armilla/stats/trace_part.hpp"

namespace armilla::top {
namespace {

using detail::trace_event, detail::trace_head, detail::trace_part;

constexpr std::size_t most_bytes = std::size_t(512) << 20;
constexpr std::size_t events_at = trace_part::head_bytes + trace_part::name_room;

// The files that a process has mapped whose names are those of parts.
std::set<std::string> parts_of(int process) {
  std::set<std::string> files;
  std::ifstream maps(fmt::format("/proc/{}/maps", process));
  for (std::string line; std::getline(maps, line);)
    if (const std::size_t name = line.find('/'); name != line.npos && line.ends_with(".part")) files.insert(line.substr(name));
  return files;
}

trace_head head_of(int file) {
  trace_head head{};
  if (pread(file, &head, sizeof head, 0) != ssize_t(sizeof head)) head = {};
  return head;
}

bool is_good(const trace_head& h, std::size_t bytes) {
  return h.magic == trace_head::good_magic && h.capacity > 0 && (h.capacity & (h.capacity - 1)) == 0 && bytes >= events_at &&
         h.capacity <= (bytes - events_at) / sizeof(trace_event);
}

std::string contents_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A folder that is gone with it.
class temporary_folder {
 public:
  temporary_folder() {
    if (mkdtemp(name_) == nullptr) name_[0] = 0;
  }
  ~temporary_folder() {
    if (!made()) return;
    unlink(file().c_str());
    rmdir(name_);
  }
  temporary_folder(const temporary_folder&) = delete;
  bool made() const noexcept { return name_[0] != 0; }
  std::string file() const { return std::string(name_) + "/trace.json"; }

 private:
  char name_[32] = "/tmp/armilla-trace-XXXXXX";
};

}  // namespace

std::vector<std::byte> copy_of_live_part(const std::string& file) {
  const detail::descriptor part(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  struct stat about{};
  if (part.get() < 0 || fstat(part.get(), &about) != 0 || !S_ISREG(about.st_mode) || std::size_t(about.st_size) > most_bytes)
    return {};
  const trace_head before = head_of(part.get());
  if (!is_good(before, std::size_t(about.st_size))) return {};
  std::vector<std::byte> bytes(std::size_t(about.st_size));
  if (pread(part.get(), bytes.data(), bytes.size(), 0) != ssize_t(bytes.size())) return {};
  // Events from `before.written` on, and one that may be half written, are in the places of the oldest.
  const std::uint64_t after = std::max(head_of(part.get()).written, before.written);
  const std::uint64_t kept = std::min(before.written, before.capacity), oldest = before.written - kept;
  const std::uint64_t overwritten = after + 1 > oldest + before.capacity ? after + 1 - oldest - before.capacity : 0;
  trace_head head = before;
  head.written = kept;
  std::vector<trace_event> events;
  for (std::uint64_t i = std::min(overwritten, kept); i < kept; ++i) {
    trace_event one;
    std::memcpy(&one, bytes.data() + events_at + ((oldest + i) & (before.capacity - 1)) * sizeof one, sizeof one);
    events.push_back(one);
  }
  head.written = events.size();
  std::memcpy(bytes.data(), &head, sizeof head);
  if (!events.empty()) std::memcpy(bytes.data() + events_at, events.data(), events.size() * sizeof(trace_event));
  return bytes;
}

std::string live_trace_of(const client& job) try {
  std::set<std::string> files;
  std::set<int> processes;
  for (const rank_look& r : job.look())
    if (r.here && processes.insert(r.process).second) files.merge(parts_of(r.process));
  std::vector<std::vector<std::byte>> parts;
  std::size_t bytes = 0;
  for (const std::string& file : files) {
    if (auto part = copy_of_live_part(file); !part.empty()) {
      if ((bytes += part.size()) > most_bytes) return {};
      parts.push_back(std::move(part));
    }
  }
  if (parts.empty()) return {};
  const temporary_folder folder;
  if (!folder.made()) return {};
  detail::merge_traces(folder.file(), parts, job.ranks());
  return contents_of(folder.file());
} catch (const error&) { return {}; }

}  // namespace armilla::top
