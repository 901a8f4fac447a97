// SPDX-License-Identifier: Apache-2.0
#include "armilla/stats/trace_part.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <string_view>

#include "armilla/base/values/clock.hpp"
#include "armilla/error.hpp"

namespace armilla::detail {

std::string trace_part_name(const std::string& file, rank_t rank) { return file + "." + std::to_string(rank) + ".part"; }

std::uint64_t wall_ns() noexcept {
  timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return std::uint64_t(t.tv_sec) * 1'000'000'000u + std::uint64_t(t.tv_nsec);
}

std::uint64_t this_machine() noexcept {
  char text[64] = {};
  const int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
  if (fd >= 0) {
    static_cast<void>(!read(fd, text, sizeof text - 1));
    close(fd);
  }
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char* c = text; *c != 0; ++c) hash = (hash ^ std::uint8_t(*c)) * 0x100000001b3;
  return hash;
}

trace_part::trace_part(const std::string& file, std::uint64_t events, rank_t rank, rank_t ranks) {
  const std::string name = trace_part_name(file, rank);
  bytes_ = head_bytes + name_room + std::size_t(events) * sizeof(trace_event);
  // A file of its own, even if another process still maps one of that name, or has put another's in its place.
  unlink(name.c_str());
  const int fd = open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  // Room is taken now: a disk that is full later would end the rank by a signal.
  const int refused = fd < 0 ? errno : posix_fallocate(fd, 0, off_t(bytes_));
  void* const place = refused != 0 ? MAP_FAILED : mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  const int why = refused != 0 ? refused : errno;
  if (fd >= 0) close(fd);
  if (place == MAP_FAILED) {
    if (fd >= 0) unlink(name.c_str());
    throw_usage("ARMILLA_TRACE", "events cannot be kept in '" + name + "' (" + std::strerror(why) +
                                     "); name a file in a folder that exists, may be written to and has room, or set "
                                     "ARMILLA_TRACE_EVENTS lower");
  }
  base_ = static_cast<std::byte*>(place);
#if defined(MADV_POPULATE_WRITE)
  madvise(base_, bytes_, MADV_POPULATE_WRITE);  // else each 128th event takes a fault, the first time round
#endif
  head() = {trace_head::good_magic, events, 0, ticks(), wall_ns(), 0, 0, this_machine(), 0, 0, 0, rank, ranks};
}

trace_part::~trace_part() { munmap(base_, bytes_); }

std::uint32_t trace_part::add_name(std::string_view text) noexcept {
  trace_head& h = head();
  if (name_room - h.name_bytes <= text.size()) return 0;
  std::byte* const place = base_ + head_bytes + h.name_bytes;
  std::memcpy(place, text.data(), text.size());
  place[text.size()] = std::byte{0};
  h.name_bytes += text.size() + 1;
  return h.names++;
}

std::uint32_t trace_part::name(const char* text) noexcept {
  const auto at = std::ranges::find(numbers_, text, [](const auto& n) -> std::string_view { return n.first; });
  if (at != numbers_.end()) return at->second;
  const std::uint32_t number = add_name(text);
  numbers_.emplace_back(text, number);
  return number;
}

std::vector<std::byte> trace_part::copy() const { return {base_, base_ + bytes_}; }

}  // namespace armilla::detail
