// SPDX-License-Identifier: Apache-2.0
#include "armilla/remote.hpp"

#include "armilla/base/core/context.hpp"
#include "armilla/error.hpp"

namespace armilla::detail {

void throw_null_reference(const char* operation) {
  throw_usage(operation, "the reference is null: it was default constructed, moved from or reset; use what create gave");
}

void* local_object(const reference* r, const std::type_info& type, base_finder finder) {
  context& self = here("remote::local");
  if (r == nullptr || r->rank != self.rank) return nullptr;
  object_slot* const slot = self.objects->slots.find(r->name);
  return slot == nullptr ? nullptr : self.objects->slots.seen_as(*slot, type, finder);
}

}  // namespace armilla::detail
