// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "armilla/base/values/owned.hpp"
#include "armilla/object/creations.hpp"
#include "armilla/object/named_members.hpp"
#include "armilla/object/reference.hpp"
#include "armilla/object/remake.hpp"
#include "armilla/object/slots.hpp"
#include "armilla/object/table.hpp"

namespace armilla::detail {

struct launch;
struct polymorphic_kinds;
class reference_book;

/// What layer object keeps for a rank.
struct object_state {
  object_state();
  ~object_state();
  object_state(const object_state&) = delete;

  object_table table;                   ///< distributed objects
  creation_table creations;             ///< processor objects by what their creators call them
  remade_objects remade;                ///< processor objects by what they were called before this rank came
  slot_table slots{creations, remade};  ///< processor objects
  owned<reference_book> references;     ///< references that other ranks know by a number
  creation_log asked;                   ///< creations that this rank has asked for
  owned<polymorphic_kinds> kinds;
  member_table members;                ///< methods of processor objects that other programs call
  std::vector<std::string> libraries;  ///< loaded on this rank
};

void start_objects(context& self, const launch& how);
void stop_objects(context& self);
/// Destroys the processor objects that are left on this rank, while calls are still possible.
void destroy_objects(context& self);

}  // namespace armilla::detail
