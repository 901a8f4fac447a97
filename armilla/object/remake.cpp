// SPDX-License-Identifier: Apache-2.0
#include "armilla/object/remake.hpp"

#include <map>
#include <memory>
#include <mutex>

#include "armilla/am/endpoint/outbox.hpp"
#include "armilla/boot/host/membership.hpp"
#include "armilla/object/object_state.hpp"

namespace armilla::detail {
namespace {

// Never sent home in full: references of before the loss have weight, too, and how much is not known.
constexpr std::uint64_t weight_of_remade = std::uint64_t{1} << 61;

bool is_of_earlier_life(object_name name) noexcept {
  const std::uint32_t life = current->out->life(current->rank);
  return name.generation != 0 && life_of_generation(name.generation, life) != life;
}

struct entry {
  object_slot* slot = nullptr;
  bool over = false;  // it has been made, or must not be
  mutex making;
};

}  // namespace

struct remade_objects::map {
  std::map<object_name, entry> all;
};

remade_objects::remade_objects() : entries_(std::make_unique<map>()) {}
remade_objects::~remade_objects() = default;

object_slot* remade_objects::find(object_name name) const noexcept {
  const auto found = entries_->all.find(name);
  return found == entries_->all.end() ? nullptr : found->second.slot;
}

bool remade_objects::awaits(object_name name) const noexcept {
  const auto found = entries_->all.find(name);
  return found == entries_->all.end() ? is_of_earlier_life(name) : !found->second.over;
}

void remade_objects::make(context& self, object_name name, const object_kind& kind, maker make) {
  if (!awaits(name)) return;
  entry& e = entries_->all[name];
  const std::lock_guard alone(e.making);
  if (e.over) return;
  void* const object = make(self, name);
  if (object == nullptr) return;
  e.slot = &self.objects->slots.add(object, kind, {});
  e.slot->owed = weight_of_remade;
  if (e.over) self.objects->slots.destroy(*e.slot);  // meanwhile it has been told to go
  e.over = true;
}

void remade_objects::refuse(object_name name) {
  if (awaits(name)) entries_->all[name].over = true;
}

void remade_objects::forget(const object_slot& slot) noexcept {
  for (auto& [name, e] : entries_->all)
    if (e.slot == &slot) e.slot = nullptr;
}

reference* reference_to_remade(context& self, object_name name) {
  auto* const r = new reference{name, self.rank};
  r->copies = 1;
  r->weight = full_weight;
  return r;
}

}  // namespace armilla::detail
