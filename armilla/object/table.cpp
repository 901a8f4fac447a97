// SPDX-License-Identifier: Apache-2.0
#include "armilla/object/table.hpp"

#include <string>
#include <utility>

#include "armilla/base/error.hpp"

namespace armilla::detail {

const object_table::entry* object_table::entry_of(object_id id) const noexcept {
  if (id.team == 0) return id.number < world_.size() ? &world_[id.number] : nullptr;
  const auto found = others_.find(id);
  return found == others_.end() ? nullptr : &found->second;
}

object_table::entry& object_table::make_entry(object_id id) {
  if (id.team != 0) return others_[id];
  if (id.number >= world_.size()) world_.resize(std::size_t(id.number) + 1);
  return world_[id.number];
}

void* object_table::find_slowly(object_id id) const noexcept {
  const entry* e = entry_of(id);
  return e == nullptr ? nullptr : e->object;
}

object_table::presence object_table::look(object_id id) const noexcept {
  const entry* e = entry_of(id);
  if (e == nullptr || (e->object == nullptr && !e->destroyed)) return presence::absent;
  return e->destroyed ? presence::destroyed : presence::present;
}

void object_table::add(endpoint& self, object_id id, void* object) {
  make_entry(id).object = object;
  const auto waiting = parked_.find(id);
  if (waiting == parked_.end()) return;
  std::vector<parked_call> calls = std::move(waiting->second);
  parked_.erase(waiting);
  for (parked_call& call : calls) self.run_parked(call.source, call.handler, std::move(call.item));
}

void object_table::remove(object_id id) { make_entry(id) = {nullptr, true}; }

void object_table::park(endpoint& self, object_id id, parked_call call) {
  parked_[id].push_back(std::move(call));
  self.defer();
}

void object_table::clear(endpoint& self) {
  for (auto& [id, calls] : parked_)
    for (std::size_t i = 0; i < calls.size(); ++i) self.resume();
  parked_.clear();
}

void throw_destroyed(object_id id, const char* operation) {
  throw_usage(operation, "distributed object " + std::to_string(id.number) +
                             (id.team == 0 ? "" : " of team " + std::to_string(id.team)) +
                             " has been destroyed on this rank; let it live until a fence after the last call");
}

}  // namespace armilla::detail
