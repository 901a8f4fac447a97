// SPDX-License-Identifier: Apache-2.0
#include "armilla/object/table.hpp"

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "armilla/am/endpoint/parked.hpp"
#include "armilla/base/core/context.hpp"
#include "armilla/error.hpp"
#include "armilla/object/object_state.hpp"
#include "armilla/rpc/calls.hpp"

namespace armilla::detail {

namespace {

std::uint64_t mixed(std::uint64_t h) noexcept {
  h *= 0xd6e8feb86659fd93u;
  h = (h ^ h >> 32) * 0xd6e8feb86659fd93u;
  return h ^ h >> 32;
}

}  // namespace

object_id object_id::of_team(std::uint64_t team, std::uint64_t number) noexcept {
  return {(mixed(team ^ number * 0x9e3779b97f4a7c15u) & number_mask) | by_team};
}

// The name of the class, not its address, which differs between ranks.
object_id object_id::of_class(const std::type_info& type) const noexcept {
  std::uint64_t mark = 0;
  for (const char* c = type.name(); *c != 0; ++c) mark = (mark ^ std::uint8_t(*c)) * 0x100000001b3u;
  constexpr std::uint64_t most = (by_team >> class_shift) - 1;
  return {place().word | mixed(mark) % most << class_shift};  // never all ones
}

/// Calls that came early, until the last of them has begun; till then the object is here and in no entry.
struct object_table::rare {
  struct early_calls {
    std::shared_ptr<parked_calls> calls = std::make_shared<parked_calls>();
    void* object = nullptr;
    std::uint64_t word = none;
  };
  std::map<object_id, entry> others;  // by place, as all below
  std::map<object_id, const std::type_info*> classes;
  std::map<std::uint64_t, std::uint64_t> next;
  std::map<object_id, early_calls> early;
};

object_table::object_table() : rare_(std::make_unique<rare>()) {}
object_table::~object_table() = default;

object_id object_table::next_id(std::uint64_t team) {
  const std::uint64_t number = rare_->next[team]++;
  return team == 0 ? object_id::of_all(number) : object_id::of_team(team, number);
}

const object_table::entry* object_table::entry_of(object_id id) const noexcept {
  if (id.of_all_ranks()) return id.number() < world_.size() ? &world_[id.number()] : nullptr;
  const auto found = rare_->others.find(id.place());
  return found == rare_->others.end() ? nullptr : &found->second;
}

object_table::entry& object_table::make_entry(object_id id) {
  if (!id.of_all_ranks()) return rare_->others[id.place()];
  if (id.number() >= world_.size()) world_.resize(std::size_t(id.number()) + 1);
  return world_[id.number()];
}

void* object_table::find_slowly(object_id id) const noexcept {
  const entry* const e = entry_of(id);
  if (e != nullptr && e->word == id.word) return e->object;
  const auto early = rare_->early.find(id.place());
  return early == rare_->early.end() || early->second.word != id.word ? nullptr : early->second.object;
}

void* object_table::find_in_turn(object_id id) noexcept {
  const auto early = rare_->early.find(id.place());
  if (early == rare_->early.end()) return find_slowly(id);
  if (early->second.word != id.word || !early->second.calls->lets_in()) return nullptr;
  void* const object = early->second.object;
  if (early->second.calls->over()) {  // from now on calls find it in its entry
    make_entry(id) = {object, id.word};
    rare_->early.erase(early);
  }
  return object;
}

object_table::presence object_table::look_slowly(object_id id) noexcept {
  if (const entry* const e = entry_of(id); e != nullptr && e->word == gone) return presence::destroyed;
  if (find_in_turn(id) != nullptr) return presence::present;
  const auto here = rare_->classes.find(id.place());
  return here != rare_->classes.end() && id.place().of_class(*here->second) != id ? presence::other : presence::absent;
}

const std::type_info* object_table::class_at(object_id id) const noexcept {
  const auto found = rare_->classes.find(id.place());
  return found == rare_->classes.end() ? nullptr : found->second;
}

void object_table::add(context& self, object_id id, const std::type_info& type, void* object) {
  entry& e = make_entry(id);
  if (!rare_->classes.try_emplace(id.place(), &type).second)
    throw_usage("distributed",
                "two objects of teams have got the same name, by a rare chance; make one more object of this team "
                "before this one");
  const auto early = rare_->early.find(id.place());
  if (early == rare_->early.end()) {
    e = {object, id.word};
    return;
  }
  early->second.object = object;
  early->second.word = id.word;
  parked_calls::open(self, std::shared_ptr(early->second.calls));
}

void object_table::remove(object_id id) {
  make_entry(id) = {nullptr, gone};
  rare_->early.erase(id.place());
  rare_->classes.erase(id.place());
}

void object_table::park(context& self, object_id id, parked_call call) {
  rare_->early[id.place()].calls->add(self, std::move(call));
}

void object_table::clear(context& self) {
  for (auto& [id, early] : rare_->early) early.calls->drop(self);
  rare_->early.clear();
}

std::vector<std::pair<object_id, const parked_calls*>> object_table::parked() const {
  std::vector<std::pair<object_id, const parked_calls*>> all;
  for (const auto& [id, early] : rare_->early)
    if (early.object == nullptr) all.emplace_back(id, early.calls.get());
  return all;
}

namespace {

std::string name_of(object_id id) {
  return id.of_all_ranks() ? "distributed object " + std::to_string(id.number()) : "a distributed object of a team";
}

}  // namespace

void throw_no_part(object_id id, const std::type_info& called, const char* operation) {
  const context& self = *current;
  const std::type_info* const here = self.objects->table.class_at(id);
  if (here != nullptr && id.place().of_class(*here) != id)
    throw_usage(operation, "the caller means a " + demangle(called.name()) + ", but " + name_of(id) + " is a " +
                               demangle(here->name()) + " on rank " + std::to_string(self.rank) +
                               "; all members of a team must make its distributed objects in the same order");
  throw_usage(operation, name_of(id) + " " + std::string(object_is_gone) + "; let it live until a fence after the last call");
}

}  // namespace armilla::detail
