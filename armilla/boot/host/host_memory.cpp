// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/host/host_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include <fmt/format.h>

#include "armilla/base/core/options.hpp"
#include "armilla/base/host/address_space.hpp"
#include "armilla/base/host/valgrind.hpp"
#include "armilla/base/values/limits.hpp"
#include "armilla/error.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ARMILLA_SMALL_MAPS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define ARMILLA_SMALL_MAPS 1
#endif
#endif

namespace armilla::detail {
namespace {

constexpr std::uint64_t tebi = std::uint64_t{1} << 40;

#ifdef ARMILLA_SMALL_MAPS  // sanitizers keep shadow bytes of what is mapped
constexpr std::uint64_t most_segment = std::uint64_t{1} << 30;
#else
constexpr std::uint64_t most_segment = tebi;
#endif

// Valgrind places its own maps into what is left of the addresses, and looks through all that is mapped.
constexpr std::uint64_t segment_under_valgrind = std::uint64_t{64} << 20;

std::uint64_t limit_of(__rlimit_resource resource) {
  rlimit limit{};
  return getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY ? limit.rlim_cur : UINT64_MAX;
}

std::string in_gib(std::uint64_t bytes) { return fmt::format("{:.1f} GiB", double(bytes) / double(1 << 30)); }

}  // namespace

host_layout layout_for(rank_t places, rank_t locals, const options& settings) {
  host_layout layout;
  layout.places = std::uint32_t(places);
  layout.locals = std::uint32_t(locals);
  layout.ring_bytes = settings.ring;
  layout.segment_bytes = align_up(settings.segment, host_layout::page);
  const std::uint64_t most_bytes = half_of_addresses();
  const bool asked_for = settings.segment != options{}.segment;
  if (layout.segment_bytes > most_segment) layout.segment_bytes = most_segment;
  if (!asked_for && under_valgrind()) layout.segment_bytes = std::min(layout.segment_bytes, segment_under_valgrind);
  while (!asked_for && layout.total() > most_bytes && layout.segment_bytes > least_segment_bytes) layout.segment_bytes /= 2;
  if (layout.total() > most_bytes)
    throw_usage("start",
                fmt::format("{} ranks with ARMILLA_SEGMENT={} and ARMILLA_RING={} need {} of addresses, more than {}; choose a "
                            "smaller ARMILLA_SEGMENT or ARMILLA_RING",
                            locals, settings.get("segment"), settings.get("ring"), in_gib(layout.total()), in_gib(most_bytes)));
  return layout;
}

host_layout layout_within_limit(rank_t places, const options& settings, std::string& note) {
  host_layout layout = layout_for(places, places, settings);
  const std::uint64_t limit = limit_of(RLIMIT_AS), wanted = layout.segment_bytes;
  if (settings.segment != options{}.segment) return layout;
  while (layout.total() > limit / 2 && layout.segment_bytes > least_segment_bytes) layout.segment_bytes /= 2;
  if (layout.segment_bytes != wanted)
    note = fmt::format(
        "armilla: the address space limit (ulimit -v) is {}: each rank can allocate {:.0f} MiB of global memory "
        "instead of {}; raise the limit, or choose ARMILLA_SEGMENT",
        in_gib(limit), double(layout.segment_bytes) / double(1 << 20), in_gib(wanted));
  return layout;
}

int create_host_memory(const host_layout& layout) {
  if (layout.total() > limit_of(RLIMIT_FSIZE))  // beyond it the kernel would send SIGXFSZ
    throw_limit(
        "start",
        fmt::format("the file size limit (ulimit -f) is below the {} that the ranks reserve; raise it or choose a smaller "
                    "ARMILLA_SEGMENT (nothing is written to disk)",
                    in_gib(layout.total())));
  int descriptor = memfd_create("armilla", MFD_CLOEXEC);
  if (descriptor >= 0 && descriptor <= STDERR_FILENO) descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (descriptor < 0)
    throw_limit("start", fmt::format("memfd_create: {}; Linux 3.17 or later is needed, and a container's filter that allows this "
                                     "system call",
                                     std::strerror(errno)));
  if (ftruncate(descriptor, off_t(layout.total())) != 0) {
    const int why = errno;
    close(descriptor);
    throw_limit("start", fmt::format("cannot reserve {} for the ranks: {}; choose a smaller ARMILLA_SEGMENT",
                                     in_gib(layout.total()), std::strerror(why)));
  }
  return descriptor;
}

std::byte* map_host_memory(int descriptor, std::uint64_t bytes) {
  std::byte* const base = map_part_of_memory(descriptor, 0, bytes);
  if (base == nullptr)
    throw_limit(
        "start",
        fmt::format("cannot map {} of shared memory: {}; choose a smaller ARMILLA_SEGMENT (for example 256M) or raise the "
                    "address space limit (ulimit -v)",
                    in_gib(bytes), std::strerror(errno)));
  return base;
}

std::byte* map_part_of_memory(int descriptor, std::uint64_t first, std::uint64_t bytes) noexcept {
  constexpr std::uint64_t unit = host_layout::huge_page;
  void* const range = mmap(nullptr, bytes + unit, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) return nullptr;
  const auto begin = reinterpret_cast<std::uintptr_t>(range);
  const std::uintptr_t place = begin + (first - begin) % unit;
  if (place != begin) munmap(range, place - begin);
  const std::uint64_t taken = align_up(bytes, std::size_t(sysconf(_SC_PAGESIZE)));  // of the kernel: 4, 16 or 64 KiB
  munmap(reinterpret_cast<void*>(place + taken), begin + unit - place - (taken - bytes));
  void* const at = mmap(reinterpret_cast<void*>(place), bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED,
                        descriptor, off_t(first));
  if (at != MAP_FAILED) return static_cast<std::byte*>(at);
  const int why = errno;
  munmap(reinterpret_cast<void*>(place), taken);
  errno = why;
  return nullptr;
}

void prefer_large_pages(std::byte* base, const host_layout& layout, const options& settings) {
#ifndef ARMILLA_SMALL_MAPS
  // Random access to a large segment would miss the TLB at every step. A refusal only costs speed.
  if (settings.large_pages) (void)madvise(base + layout.segment({}), layout.total() - layout.segment({}), MADV_HUGEPAGE);
#else
  (void)base, (void)layout, (void)settings;
#endif
}

}  // namespace armilla::detail
