// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

#include "armilla/am/handler/parked_call.hpp"
#include "armilla/base/values/owned.hpp"

namespace armilla::detail {

struct context;
class parked_calls;

/// The team that makes a distributed object, as its name tells of it.
struct object_team {
  std::uint64_t id = 0;      ///< 0: all ranks
  std::uint32_t newest = 0;  ///< the greatest life of a member (boot/host/membership.hpp)
  bool members_only = true;  ///< false: an object of all ranks, of which ranks that come later make parts, too
};

/// Name of a distributed object, the same on every rank: the how-manieth of all ranks it is, or, with the top bit, a hash of a
/// team's id and the how-manieth of that team. Above them is a mark of its class, so that a rank that made its objects in another
/// order does not know the name, and of the members' lives, so that a new rank knows what was meant for the one before it in its
/// place. Of all ranks, those of members only have odd numbers: ranks that come later, which make none, number the others alike.
/// One word: it travels with every call.
struct object_id {
  std::uint64_t word = 0;

  static constexpr std::uint64_t by_team = std::uint64_t(1) << 63;
  static constexpr unsigned class_shift = 39, lives_shift = 55;
  static constexpr std::uint64_t number_mask = (std::uint64_t(1) << class_shift) - 1;
  static constexpr std::uint64_t class_mask = (std::uint64_t(1) << lives_shift) - 1 - number_mask;
  static constexpr std::uint32_t lives_mask = (by_team >> lives_shift) - 1;

  static object_id of(const object_team& t, std::uint64_t number) noexcept;
  bool of_all_ranks() const noexcept { return (word & by_team) == 0; }
  std::uint64_t number() const noexcept { return word & number_mask; }
  /// As errors call it.
  std::string text() const;
  /// The name by which order alone tells it from others.
  object_id place() const noexcept { return {word & (by_team | number_mask)}; }
  /// Whether only a rank that was in the job when the object was made can have a part, and the rank of that life was not.
  /// `newest`: the newest life in the job.
  bool is_older_than(std::uint32_t life, std::uint32_t newest) const noexcept;
  /// The name of the object of class `type` that stands there.
  object_id of_class(const std::type_info& type) const noexcept;

  friend bool operator==(const object_id&, const object_id&) = default;
  friend auto operator<=>(const object_id&, const object_id&) = default;
};

/// A rank's part of all distributed objects.
class object_table {
 public:
  /// `other`: of another class. `lost`: it was on the rank that had this one's place before.
  enum class presence { absent, present, destroyed, other, lost };

  object_table();
  ~object_table();
  object_table(const object_table&) = delete;

  /// Without a class.
  object_id next_id(const object_team& team);

  /// `object` is this rank's part of `id`, of class `type`; calls that came before it run now.
  void add(context& self, object_id id, const std::type_info& type, void* object);
  void remove(object_id id);

  /// This rank's part, or null.
  void* find(object_id id) const noexcept {
    if (id.number() < world_.size() && world_[id.number()].word == id.word) [[likely]]
      return world_[id.number()].object;
    return find_slowly(id);
  }
  /// The same for a call that has come: null, too, while calls that came before it have not begun. Budget for objects of all
  /// ranks: three loads and two tests.
  void* find_for_call(object_id id) noexcept {
    if (id.number() < world_.size() && world_[id.number()].word == id.word) [[likely]]
      return world_[id.number()].object;
    return find_in_turn(id);
  }
  /// Whether such a call is not put off.
  presence look(object_id id) noexcept {
    if (id.number() < world_.size() && world_[id.number()].word == id.word) [[likely]]
      return presence::present;
    return look_slowly(id);
  }
  /// Whether what is not here was on the rank that had this one's place before.
  bool is_lost(object_id id) const noexcept;
  /// The class of this rank's object at the place of `id`, or null.
  const std::type_info* class_at(object_id id) const noexcept;
  void park(context& self, object_id id, parked_call call);
  /// This rank's function has ended, and makes no more objects: if it is a new rank, what calls wait for was on the rank before
  /// it.
  void end(context& self);
  /// Another function begins.
  void go_on() noexcept;
  void clear(context& self);
  /// Each object that is not there and that calls wait for.
  std::vector<std::pair<object_id, const parked_calls*>> parked() const;

 private:
  /// `word`: of the name by which calls find it; no name while there is none.
  struct entry {
    void* object = nullptr;
    std::uint64_t word = none;
  };
  static constexpr std::uint64_t none = ~std::uint64_t(0), gone = none - 1;  // no name has all ones below the top bit
  void* find_slowly(object_id id) const noexcept;
  void* find_in_turn(object_id id) noexcept;
  presence look_slowly(object_id id) noexcept;
  const entry* entry_of(object_id id) const noexcept;
  entry& make_entry(object_id id);

  std::vector<entry> world_;  // of all ranks, by number
  struct rare;
  owned<rare> rare_;  // what usual calls do not look at
};

/// A call to an object finds no part here. Throws meant_for_lost if the part was on the rank that had this one's place before.
void throw_if_part_lost(object_id id, const char* operation);
/// A call to a member of class `called` finds no part: it is lost, another one has its place, or it has been destroyed.
[[noreturn, gnu::cold]] void throw_no_part(object_id id, const std::type_info& called, const char* operation);

}  // namespace armilla::detail
