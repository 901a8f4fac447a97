// SPDX-License-Identifier: Apache-2.0
#include "armilla/distributed.hpp"

#include <algorithm>

#include "armilla/base/core/context.hpp"
#include "armilla/team/membership/survivors.hpp"

namespace armilla::detail {

object_id name_next_object(const team& members, const std::type_info& type, part_owners which, const char* operation) {
  context& self = here(operation);
  require_members(members, operation);
  object_team made_by{.id = members == world() ? 0 : members.id(), .members_only = which == part_owners::members};
  for (const std::uint32_t life : lives_in(members)) made_by.newest = std::max(made_by.newest, life);
  return self.objects->table.next_id(made_by).of_class(type);
}

void register_object(object_id id, const std::type_info& type, void* object) {
  current->objects->table.add(*current, id, type, object);
}

}  // namespace armilla::detail
