// SPDX-License-Identifier: Apache-2.0
#include "armilla/object/object_state.hpp"

#include <utility>

#include "armilla/object/library.hpp"

namespace armilla::detail {

void start_objects(context& self, const launch&) {
  self.objects = new object_state;
  provide_load(self);
}

void stop_objects(context& self) {
  self.objects->table.clear(self);
  self.objects->creations.clear(self);
  delete std::exchange(self.objects, nullptr);
}

void destroy_objects(context& self) { self.objects->slots.destroy_all(); }

}  // namespace armilla::detail
