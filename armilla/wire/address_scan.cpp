// SPDX-License-Identifier: Apache-2.0
#include "armilla/wire/address_scan.hpp"

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "armilla/base/core/context.hpp"
#include "armilla/base/core/options.hpp"
#include "armilla/base/host/address_space.hpp"
#include "armilla/error.hpp"

namespace armilla::detail {
namespace {

constexpr std::uintptr_t highest_mapped = 0xffff'ffff'ffff;

// Below the half lie numbers, programs at fixed addresses, and the shadow memory of sanitizers, which is mapped wherever one
// looks.
bool is_mapped(std::uintptr_t word) noexcept {
  if (word < half_of_addresses() || word > highest_mapped) return false;
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  unsigned char resident;
  return mincore(reinterpret_cast<void*>(word & ~(page - 1)), 1, &resident) == 0 || errno != ENOMEM;
}

struct search {
  std::uintptr_t word;
  std::uintptr_t end_of_first;  // of the program itself, which the list starts with
};

int look_into_image(dl_phdr_info* image, std::size_t, void* data) noexcept {
  auto& s = *static_cast<search*>(data);
  std::uintptr_t end = 0;
  for (int i = 0; i < image->dlpi_phnum; ++i) {
    const auto& part = image->dlpi_phdr[i];
    if (part.p_type != PT_LOAD) continue;
    const std::uintptr_t first = image->dlpi_addr + part.p_vaddr;
    if (s.word >= first && s.word < first + part.p_memsz) return 1;
    if (first + part.p_memsz > end) end = first + part.p_memsz;
  }
  if (s.end_of_first == 0) s.end_of_first = end;
  return 0;
}

/// In an image at whatever address, or in the heap that follows the program's.
bool is_in_program(std::uintptr_t word) noexcept {
  if (word < 0x10000 || word > highest_mapped) return false;
  search s{word, 0};
  if (dl_iterate_phdr(look_into_image, &s) != 0) return true;
  return word >= s.end_of_first && word < reinterpret_cast<std::uintptr_t>(sbrk(0));
}

}  // namespace

bool scan_for_addresses(const void* bytes, std::size_t n) noexcept {
  // Words of the closure, not of memory: it may itself lie anywhere.
  for (std::size_t at = 0; at + sizeof(std::uintptr_t) <= n; at += sizeof(std::uintptr_t)) {
    std::uintptr_t word;
    std::memcpy(&word, static_cast<const char*>(bytes) + at, sizeof word);
    if (is_mapped(word) || is_in_program(word)) return true;
  }
  return false;
}

void refuse_addresses(const char* operation, const void* closure, std::size_t n) {
  if (current != nullptr && current->settings != nullptr && !current->settings->checked) return;
  if (scan_for_addresses(closure, n))
    throw_usage(operation,
                "a capture of the closure holds an address, which means nothing on another rank; capture values or pass them as "
                "arguments (if it is a number that looks like one: ARMILLA_CHECKED=0)");
}

}  // namespace armilla::detail
