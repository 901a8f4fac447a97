// SPDX-License-Identifier: Apache-2.0
#include "armilla/object/table.hpp"

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "armilla/am/endpoint/meant_for_lost.hpp"
#include "armilla/am/endpoint/outbox.hpp"
#include "armilla/am/endpoint/parked.hpp"
#include "armilla/base/core/context.hpp"
#include "armilla/boot/host/membership.hpp"
#include "armilla/error.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/object/made_object.hpp"
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

object_id object_id::of(const object_team& t, std::uint64_t number) noexcept {
  if (t.id == 0) return {(number << 1 | std::uint64_t(t.members_only)) & number_mask};
  return {by_team | std::uint64_t(t.newest & lives_mask) << lives_shift |
          (mixed(t.id ^ number * 0x9e3779b97f4a7c15u) & number_mask)};
}

// A team knows no life that is newer than the newest, and the name has the lowest bits of its number: it is the last number with
// these bits. A team of long ago may be taken for a younger one.
bool object_id::is_older_than(std::uint32_t life, std::uint32_t newest) const noexcept {
  if (of_all_ranks()) return life != 0 && (number() & 1) != 0;
  const std::uint32_t before = (newest - std::uint32_t(word >> lives_shift)) & lives_mask;
  return before <= newest && newest - before < life;
}

// The name of the class, not its address, which differs between ranks.
object_id object_id::of_class(const std::type_info& type) const noexcept {
  std::uint64_t mark = 0;
  for (const char* c = type.name(); *c != 0; ++c) mark = (mark ^ std::uint8_t(*c)) * 0x100000001b3u;
  constexpr std::uint64_t most = class_mask >> class_shift;
  return {(word & ~class_mask) | mixed(mark) % most << class_shift};  // never all ones
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
  std::map<std::pair<std::uint64_t, bool>, std::uint64_t> next;
  std::map<object_id, early_calls> early;
  bool ended = false;
};

object_table::object_table() : rare_(std::make_unique<rare>()) {}
object_table::~object_table() = default;

object_id object_table::next_id(const object_team& team) {
  return object_id::of(team, rare_->next[{team.id, team.id == 0 && team.members_only}]++);
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
  if (is_lost(id)) return presence::lost;
  const auto here = rare_->classes.find(id.place());
  return here != rare_->classes.end() && id.of_class(*here->second) != id ? presence::other : presence::absent;
}

// The part may be here still while calls that came early begin.
bool object_table::is_lost(object_id id) const noexcept {
  const std::uint32_t life = current->out->life(current->rank);
  if (life == 0) return false;
  if (id.is_older_than(life, current->host->job().newest_life())) return true;
  return rare_->ended && !rare_->classes.contains(id.place());
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
  forget_object(id);
  make_entry(id) = {nullptr, gone};
  rare_->early.erase(id.place());
  rare_->classes.erase(id.place());
}

void object_table::park(context& self, object_id id, parked_call call) {
  rare_->early[id.place()].calls->add(self, std::move(call));
}

void object_table::end(context& self) {
  rare_->ended = true;
  if (self.out->life(self.rank) == 0) return;
  std::vector<std::shared_ptr<parked_calls>> lost;
  std::erase_if(rare_->early, [&lost](const auto& one) {
    if (one.second.object == nullptr) lost.push_back(one.second.calls);
    return one.second.object == nullptr;
  });
  for (const auto& calls : lost) parked_calls::open(self, calls);  // they find nothing
}

void object_table::go_on() noexcept { rare_->ended = false; }

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

std::string object_id::text() const {
  if (!of_all_ranks()) return "a distributed object of a team";
  return ((number() & 1) != 0 ? "container " : "distributed object ") + std::to_string(number() >> 1);
}

void throw_if_part_lost(object_id id, const char* operation) {
  if (current->objects->table.is_lost(id)) throw meant_for_lost(current->rank, operation);
}

void throw_no_part(object_id id, const std::type_info& called, const char* operation) {
  throw_if_part_lost(id, operation);
  const context& self = *current;
  const std::type_info* const here = self.objects->table.class_at(id);
  if (here != nullptr && id.of_class(*here) != id)
    throw_usage(operation, "the caller means a " + demangle(called.name()) + ", but " + id.text() + " is a " +
                               demangle(here->name()) + " on rank " + std::to_string(self.rank) +
                               "; all members of a team must make its distributed objects in the same order");
  const std::string known = described(id);
  throw_usage(operation, (known.empty() ? id.text() : known) + " " + std::string(object_is_gone) +
                             "; let it live until a fence after the last call");
}

}  // namespace armilla::detail
