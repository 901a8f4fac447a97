// SPDX-License-Identifier: Apache-2.0
#include "armilla/rpc/callable.hpp"

#include <link.h>

#include <vector>

#include <fmt/format.h>

#include "armilla/base/error.hpp"

namespace armilla::detail {
namespace {

struct code_range {
  std::uintptr_t base;   // of the image
  std::uintptr_t first;  // of its executable segment
  std::uintptr_t last;
};

int add_image(dl_phdr_info* info, std::size_t, void* list) {
  auto& images = *static_cast<std::vector<code_range>*>(list);
  code_range range{info->dlpi_addr, 0, 0};
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    range.first = info->dlpi_addr + segment.p_vaddr;
    range.last = range.first + segment.p_memsz;
  }
  images.push_back(range);
  return 0;
}

// The images as they were loaded at the start: in the same order on every rank of a program. Libraries that are loaded
// later come behind them and are not known to others.
const std::vector<code_range>& images() {
  static const std::vector<code_range> list = [] {
    std::vector<code_range> found;
    dl_iterate_phdr(&add_image, &found);
    return found;
  }();
  return list;
}

}  // namespace

function_place place_of_function(const void* function, const char* operation) {
  const auto address = reinterpret_cast<std::uintptr_t>(function);
  if (address == 0) throw_usage(operation, "the function pointer is null; pass a function of this program");
  const auto& all = images();
  for (std::size_t i = 0; i < all.size(); ++i)
    if (address >= all[i].first && address < all[i].last) return {i, address - all[i].base};
  throw_usage(operation,
              fmt::format("the function at {} lies in no image that was loaded at the start of the program; name it at compile "
                          "time instead, call<&function>",
                          function));
}

const void* function_at(function_place place, rank_t sender) {
  const auto& all = images();
  if (place.image < all.size()) {
    const std::uintptr_t address = all[place.image].base + place.offset;
    if (address >= all[place.image].first && address < all[place.image].last) return reinterpret_cast<const void*>(address);
  }
  throw_decode(sender, "call",
               fmt::format("a function pointer (image {}, offset {}) names no code of this program", place.image, place.offset));
}

}  // namespace armilla::detail
