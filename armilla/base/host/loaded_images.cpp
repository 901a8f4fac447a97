// SPDX-License-Identifier: Apache-2.0
#include "armilla/base/host/loaded_images.hpp"

#include <link.h>

#include "armilla/base/host/executable_code.hpp"

namespace armilla::detail {
namespace {

int add_image(dl_phdr_info* info, std::size_t, void* list) {
  loaded_image image{info->dlpi_addr, {}, {}};
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const std::uintptr_t first = info->dlpi_addr + segment.p_vaddr;
    if ((segment.p_flags & PF_X) != 0) image.code = {first, first + segment.p_memsz};
    if ((segment.p_flags & PF_W) != 0) image.variables = {first, first + segment.p_memsz};
  }
  static_cast<std::vector<loaded_image>*>(list)->push_back(image);
  return 0;
}

}  // namespace

const std::vector<loaded_image>& images_at_start() {
  static const std::vector<loaded_image> list = [] {
    std::vector<loaded_image> found;
    dl_iterate_phdr(&add_image, &found);
    return found;
  }();
  return list;
}

const executable_code executable = [] {
  const loaded_image& image = images_at_start().front();
  return executable_code{image.base, image.code.first, image.code.last - image.code.first};
}();

}  // namespace armilla::detail
