// SPDX-License-Identifier: Apache-2.0
#include "armilla/rpc/callable.hpp"

#include <fmt/format.h>

#include "armilla/base/host/executable_code.hpp"
#include "armilla/base/host/loaded_images.hpp"
#include "armilla/error.hpp"

namespace armilla::detail {

function_place place_of_function(const void* function, const char* operation) {
  const auto address = reinterpret_cast<std::uintptr_t>(function);
  if (executable.holds(address)) [[likely]]
    return {0, address - executable.base};
  if (address == 0) throw_usage(operation, "the function pointer is null; pass a function of this program");
  const auto& all = images_at_start();
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].code.holds(address)) return {i, address - all[i].base};
  throw_usage(operation,
              fmt::format("the function at {} lies in no image that was loaded at the start of the program; name it at compile "
                          "time instead, call<&function>",
                          function));
}

const void* function_at(function_place place, rank_t sender) {
  if (place.image == 0 && executable.holds(executable.base + place.offset)) [[likely]]
    return reinterpret_cast<const void*>(executable.base + place.offset);
  const auto& all = images_at_start();
  if (place.image < all.size()) {
    const std::uintptr_t address = all[place.image].base + place.offset;
    if (all[place.image].code.holds(address)) return reinterpret_cast<const void*>(address);
  }
  throw_decode(sender, "call",
               fmt::format("a function pointer (image {}, offset {}) names no code of this program", place.image, place.offset));
}

}  // namespace armilla::detail
