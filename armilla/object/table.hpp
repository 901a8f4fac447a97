// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "armilla/am/endpoint.hpp"

namespace armilla::detail {

/// Name of a distributed object, the same on every rank: the how-manieth of all ranks it is, or, with the top bit, a hash of a
/// team's id and the how-manieth of that team. One word: it travels with every call.
struct object_id {
  std::uint64_t word = 0;

  static constexpr std::uint64_t by_team = std::uint64_t(1) << 63;
  static object_id of_team(std::uint64_t team, std::uint64_t number) noexcept;
  bool of_all_ranks() const noexcept { return (word & by_team) == 0; }

  friend bool operator==(const object_id&, const object_id&) = default;
  friend auto operator<=>(const object_id&, const object_id&) = default;
};

/// A call that came before its object; it runs when the object appears.
struct parked_call {
  rank_t source;
  handler_id handler;
  std::vector<std::byte> item;
};

/// A rank's part of all distributed objects.
class object_table {
 public:
  enum class presence { absent, present, destroyed };

  /// `team`: its id, 0 for all ranks.
  object_id next_id(std::uint64_t team);

  /// `object` is this rank's part of `id`; calls that came before it run now.
  void add(endpoint& self, object_id id, void* object);
  void remove(object_id id);

  /// This rank's part. Budget for objects of all ranks: three loads and a test.
  void* find(object_id id) const noexcept {
    if (id.word < world_.size()) [[likely]]
      return world_[id.word].object;
    return find_slowly(id);
  }
  presence look(object_id id) const noexcept {
    if (id.word < world_.size() && world_[id.word].object != nullptr) [[likely]]
      return presence::present;
    return look_slowly(id);
  }
  void park(endpoint& self, object_id id, parked_call call);
  void clear(endpoint& self);
  const std::map<object_id, std::vector<parked_call>>& parked() const noexcept { return parked_; }

 private:
  struct entry {
    void* object = nullptr;
    bool destroyed = false;
  };
  void* find_slowly(object_id id) const noexcept;
  presence look_slowly(object_id id) const noexcept;
  const entry* entry_of(object_id id) const noexcept;
  entry& make_entry(object_id id);

  std::vector<entry> world_;  // of all ranks, by number
  std::map<object_id, entry> others_;
  std::map<std::uint64_t, std::uint64_t> next_;
  std::map<object_id, std::vector<parked_call>> parked_;
};

[[noreturn, gnu::cold]] void throw_destroyed(object_id id, const char* operation);

}  // namespace armilla::detail
