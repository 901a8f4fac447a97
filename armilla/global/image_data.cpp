// SPDX-License-Identifier: Apache-2.0
#include "armilla/global/image_data.hpp"

#include <link.h>

#include <cstdint>

namespace armilla::detail {
namespace {

struct search {
  std::uintptr_t address;
  const char* name = nullptr;  // of the image, once it is found
};

bool holds(const dl_phdr_info& image, const ElfW(Phdr) & part, std::uintptr_t address) {
  return address - (image.dlpi_addr + part.p_vaddr) < part.p_memsz;
}

bool among_variables(const dl_phdr_info& image, std::uintptr_t address) {
  bool writable = false;
  for (int i = 0; i < image.dlpi_phnum; ++i) {
    const auto& part = image.dlpi_phdr[i];
    if (!holds(image, part, address)) continue;
    if (part.p_type == PT_GNU_RELRO) return false;
    writable |= part.p_type == PT_LOAD && (part.p_flags & PF_W) != 0;
  }
  return writable;
}

// Looked up each time: libraries come and go.
int look_into(dl_phdr_info* image, std::size_t, void* data) {
  auto& wanted = *static_cast<search*>(data);
  if (!among_variables(*image, wanted.address)) return 0;
  wanted.name = image->dlpi_name;
  return 1;
}

}  // namespace

std::optional<std::string> image_whose_data_holds(const void* p) {
  search wanted{reinterpret_cast<std::uintptr_t>(p)};
  if (dl_iterate_phdr(look_into, &wanted) == 0) return std::nullopt;
  return *wanted.name == 0 ? "the program" : wanted.name;  // glibc gives the program itself no name
}

}  // namespace armilla::detail
