// SPDX-License-Identifier: Apache-2.0
#include "armilla/object/object_state.hpp"

#include <memory>
#include <utility>

#include "armilla/am/endpoint/outbox.hpp"
#include "armilla/library.hpp"
#include "armilla/object/made_object.hpp"
#include "armilla/object/polymorphic_kinds.hpp"
#include "armilla/object/reference_book.hpp"
#include "armilla/rpc/calls.hpp"

namespace armilla::detail {

object_state::object_state() : references(std::make_unique<reference_book>()), kinds(std::make_unique<polymorphic_kinds>()) {}
object_state::~object_state() = default;

void start_objects(context& self, const launch&) {
  self.objects = new object_state;
  const std::uint32_t life = self.out->life(self.rank);
  self.objects->asked.begin(life);
  self.objects->references->begin(life);
  provide_load(self);
  self.calls->objects = &list_of_objects;
}

void stop_objects(context& self) {
  self.objects->table.clear(self);
  self.objects->creations.clear(self);
  delete std::exchange(self.objects, nullptr);
}

void destroy_objects(context& self) { self.objects->slots.destroy_all(); }

}  // namespace armilla::detail
