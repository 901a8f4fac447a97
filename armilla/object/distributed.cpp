// SPDX-License-Identifier: Apache-2.0
#include "armilla/object/distributed.hpp"

namespace armilla::detail {

object_id register_object(const team& members, const std::type_info& type, void* object, const char* operation) {
  context& self = here(operation);
  require_members(members, operation);
  object_table& table = self.objects->table;
  const object_id id = table.next_id(members == world() ? 0 : members.id()).of_class(type);
  table.add(self, id, type, object);
  return id;
}

}  // namespace armilla::detail
