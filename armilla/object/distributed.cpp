// SPDX-License-Identifier: Apache-2.0
#include "armilla/distributed.hpp"

#include "armilla/base/core/context.hpp"

namespace armilla::detail {

object_id name_next_object(const team& members, const std::type_info& type, const char* operation) {
  context& self = here(operation);
  require_members(members, operation);
  return self.objects->table.next_id(members == world() ? 0 : members.id()).of_class(type);
}

void register_object(object_id id, const std::type_info& type, void* object) {
  current->objects->table.add(*current, id, type, object);
}

}  // namespace armilla::detail
