// SPDX-License-Identifier: Apache-2.0
#include "armilla/object/table.hpp"

#include <string>
#include <utility>

#include "armilla/base/error.hpp"

namespace armilla::detail {

object_id object_id::of_team(std::uint64_t team, std::uint64_t number) noexcept {
  std::uint64_t h = (team ^ number * 0x9e3779b97f4a7c15u) * 0xd6e8feb86659fd93u;
  h = (h ^ h >> 32) * 0xd6e8feb86659fd93u;
  return {(h ^ h >> 32) | by_team};
}

object_id object_table::next_id(std::uint64_t team) {
  const std::uint64_t number = next_[team]++;
  return team == 0 ? object_id{number} : object_id::of_team(team, number);
}

const object_table::entry* object_table::entry_of(object_id id) const noexcept {
  if (id.of_all_ranks()) return id.word < world_.size() ? &world_[id.word] : nullptr;
  const auto found = others_.find(id);
  return found == others_.end() ? nullptr : &found->second;
}

object_table::entry& object_table::make_entry(object_id id) {
  if (!id.of_all_ranks()) return others_[id];
  if (id.word >= world_.size()) world_.resize(std::size_t(id.word) + 1);
  return world_[id.word];
}

void* object_table::find_slowly(object_id id) const noexcept {
  const entry* const e = entry_of(id);
  if (e != nullptr && e->object != nullptr) return e->object;
  const auto early = early_.find(id);
  return early == early_.end() ? nullptr : early->second.object;
}

void* object_table::find_in_turn(object_id id) noexcept {
  const auto early = early_.find(id);
  if (early == early_.end()) return find_slowly(id);
  void* const object = early->second.object;
  if (object == nullptr || !early->second.calls->lets_in()) return nullptr;
  if (early->second.calls->over()) {  // from now on calls find it in its entry
    make_entry(id).object = object;
    early_.erase(early);
  }
  return object;
}

object_table::presence object_table::look_slowly(object_id id) noexcept {
  if (const entry* const e = entry_of(id); e != nullptr && e->destroyed) return presence::destroyed;
  return find_in_turn(id) != nullptr ? presence::present : presence::absent;
}

void object_table::add(endpoint& self, object_id id, void* object) {
  entry& e = make_entry(id);
  if (find_slowly(id) != nullptr || e.destroyed)
    throw_usage("distributed",
                "two objects of teams have got the same name, by a rare chance; make one more object of this team "
                "before this one");
  const auto early = early_.find(id);
  if (early == early_.end()) {
    e.object = object;
    return;
  }
  early->second.object = object;
  parked_calls::open(self, std::shared_ptr(early->second.calls));
}

void object_table::remove(object_id id) {
  make_entry(id) = {nullptr, true};
  early_.erase(id);
}

void object_table::park(endpoint& self, object_id id, parked_call call) { early_[id].calls->add(self, std::move(call)); }

void object_table::clear(endpoint& self) {
  for (auto& [id, early] : early_) early.calls->drop(self);
  early_.clear();
}

void throw_destroyed(object_id id, const char* operation) {
  throw_usage(operation,
              (id.of_all_ranks() ? "distributed object " + std::to_string(id.word) : "a distributed object of a team") +
                  " has been destroyed on this rank; let it live until a fence after the last call");
}

}  // namespace armilla::detail
