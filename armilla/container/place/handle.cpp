// SPDX-License-Identifier: Apache-2.0
#include "armilla/handle.hpp"

#include "armilla/am/endpoint/endpoint.hpp"
#include "armilla/object/made_object.hpp"
#include "armilla/team/core/fence_participant.hpp"

namespace armilla::detail {
// Another member may be past the meeting in which they have made it, while this one is on its way out of it.
void* find_container(const container_name& name) {
  context& self = here("handle");
  object_table& table = self.objects->table;
  void* found = table.find(name.id);
  if (found == nullptr && has_team(name.team)) {
    self.messages->waits.wait_until([&] { return table.look(name.id) != object_table::presence::absent; },
                                    "a container that this rank makes");
    found = table.find(name.id);
  }
  if (found == nullptr) throw_no_container(name.id);
  return found;
}

void throw_no_container(object_id part) {
  throw_if_part_lost(part, "handle");
  throw_usage_of(
      part, "handle",
      "this rank has no part of the container: it is no member, or it has ended there; call members of its team only, and let "
      "it live until a fence after the last call");
}

}  // namespace armilla::detail
