// SPDX-License-Identifier: Apache-2.0
#pragma once
// What tests ask the kernel about large pages of shared memory.
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>

namespace large_pages_test {

struct kernels_answer {
  bool agrees = false;  ///< an emulator may say yes and do nothing
  bool gives = false;
};

/// What this kernel says and does when it is asked for a large page of 2 MiB for shared memory.
inline kernels_answer ask_kernel() {
  constexpr std::size_t large = std::size_t{2} << 20;
  const int file = memfd_create("large_pages_test", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, off_t(2 * large)) != 0) return {};
  void* const range = mmap(nullptr, 2 * large, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  auto* const place = reinterpret_cast<char*>((reinterpret_cast<std::uintptr_t>(range) + large - 1) / large * large);
  auto* const at = static_cast<char*>(mmap(place, large, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0));
  *at = 1;
  const bool agrees = madvise(at, large, 25 /* MADV_COLLAPSE */) == 0;
  struct stat about{};
  const bool gives = agrees && fstat(file, &about) == 0 && std::size_t(about.st_blocks) * 512 == large;
  munmap(range, 2 * large);
  close(file);
  return {agrees, gives};
}

inline bool kernel_has_them() { return ask_kernel().gives; }

/// How much of the mapping around `p` is mapped by large pages.
inline std::size_t bytes_around(const void* p) {
  std::ifstream maps("/proc/self/smaps");
  const auto at = reinterpret_cast<std::uintptr_t>(p);
  bool inside = false;
  for (std::string line; std::getline(maps, line);) {
    unsigned long first = 0, end = 0, kib = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &first, &end) == 2) inside = first <= at && at < end;
    if (inside && std::sscanf(line.c_str(), "ShmemPmdMapped: %lu kB", &kib) == 1) return kib * 1024;
  }
  return 0;
}

/// Whether the kernel takes large pages for shared memory only where it is asked to collapse small ones.
inline bool kernel_waits_to_be_asked() {
  std::ifstream setting("/sys/kernel/mm/transparent_hugepage/shmem_enabled");
  std::string all;
  std::getline(setting, all);
  return all.find("[never]") != all.npos;
}

}  // namespace large_pages_test
