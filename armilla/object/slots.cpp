// SPDX-License-Identifier: Apache-2.0
#include "armilla/object/slots.hpp"

#include <memory>
#include <string>

#include "armilla/am/endpoint/outbox.hpp"
#include "armilla/boot/host/membership.hpp"
#include "armilla/error.hpp"
#include "armilla/object/creations.hpp"
#include "armilla/object/remake.hpp"
#include "armilla/rpc/calls.hpp"

namespace armilla::detail {

object_slot* slot_table::find_remade(object_name name) noexcept {
  object_slot* const s = remade_.find(name);
  return s != nullptr && s->object != nullptr && !s->doomed ? s : nullptr;
}

void slot_table::grow() {
  const auto first = std::uint32_t(chunks_.size()) * chunk_slots;
  // Names of what a lost rank had in this place are old.
  const std::uint32_t generation = first_generation(current == nullptr ? 0 : current->out->life(current->rank));
  chunks_.push_back(std::make_unique<object_slot[]>(chunk_slots));
  for (std::uint32_t i = chunk_slots; i-- > 0;) {
    object_slot& s = chunks_.back()[i];
    s.name = {first + i, generation};
    s.next_free = free_;
    free_ = &s;
  }
}

object_slot& slot_table::add(void* object, const object_kind& kind, creation_key created_as) {
  if (free_ == nullptr) grow();
  object_slot& s = *free_;
  free_ = s.next_free;
  s.object = object;
  s.kind = &kind;
  s.seen_as = kind.type;
  s.seen_at = 0;
  s.created_as = created_as;
  ++living_;
  return s;
}

void slot_table::destroy(object_slot& slot) {
  slot.doomed = true;
  if (slot.uses == 0) bury(slot);
}

// The slot is free only when the destructor has ended: what that creates comes elsewhere.
void slot_table::bury(object_slot& slot) {
  void* const object = slot.object;
  slot.object = nullptr;
  slot.owed = 0;
  if (++slot.name.generation == 0) slot.name.generation = 1;
  creations_.forget(slot.created_as);
  remade_.forget(slot);
  slot.kind->destroy(object);
  slot.doomed = false;
  slot.next_free = free_;
  free_ = &slot;
  --living_;
}

void slot_table::destroy_all() {
  while (living_ != 0) {
    const std::size_t before = living_;
    for (std::size_t c = chunks_.size(); c-- > 0;)
      for (std::size_t i = chunk_slots; i-- > 0;)
        if (object_slot& s = chunks_[c][i]; s.object != nullptr && s.uses == 0) bury(s);
    if (living_ >= before) return;  // what is left is in use, or makes its own successor
  }
}

void slot_table::look_as(object_slot& slot, const std::type_info& base, base_finder finder) {
  std::ptrdiff_t offset = -1;
  bool known = false;
  if (*slot.kind->type == base) offset = 0, known = true;
  for (const known_base& b : bases_)
    if (!known && b.kind == slot.kind && *b.base == base) offset = b.offset, known = true;
  if (!known) {
    offset = finder(*slot.kind, slot.object);
    if (offset >= 0) bases_.push_back({slot.kind, &base, offset});
  }
  if (offset < 0)
    throw_usage("call", "the object is a " + demangle(slot.kind->type->name()) + " and has no accessible, unambiguous base " +
                            demangle(base.name()) + "; call it by a class that it is");
  slot.seen_as = &base;
  slot.seen_at = offset;
}

void throw_no_object(object_name name, const char* operation) {
  if (name == object_name{})
    throw_usage(operation,
                "the processor object is not there: its constructor threw, which the future that create gave tells, or it "
                "has been destroyed");
  throw_usage(operation, "processor object " + std::to_string(name.slot) + " (generation " + std::to_string(name.generation) +
                             ") " + std::string(object_is_gone) +
                             "; keep a reference to it and do not destroy it before the last call");
}

}  // namespace armilla::detail
