// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <typeinfo>
#include <vector>

#include "armilla/base/values/owned.hpp"
#include "armilla/base/values/types.hpp"
#include "armilla/mutex.hpp"

/// The processor objects that live on a rank.
namespace armilla::detail {

/// Names a processor object on its rank. The generation tells an object that is gone from the one that has its slot now.
struct object_name {
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;  ///< of an object: never 0

  friend bool operator==(const object_name&, const object_name&) = default;
  friend auto operator<=>(const object_name&, const object_name&) = default;
};

/// The how-manieth creation of which rank: what an object is called before its name is known (creations.hpp).
struct creation_key {
  std::uint64_t number = 0;
  std::int64_t creator = -1;

  friend bool operator==(const creation_key&, const creation_key&) = default;
};

class creation_table;
class remade_objects;

/// What the owner knows of an object's class.
struct object_kind {
  const std::type_info* type;
  void (*destroy)(void* object);
  void (*throw_pointer)(void* object);  ///< throws it as T*: the language then finds the bases of T
};

template <class T>
inline constexpr object_kind kind_of_object = {&typeid(T), [](void* object) { delete static_cast<T*>(object); },
                                               [](void* object) { throw static_cast<T*>(object); }};

/// Where the base B lies in an object, or a negative number if it has no accessible base B, or several.
template <class B>
std::ptrdiff_t find_base(const object_kind& kind, void* object) {
  try {
    kind.throw_pointer(object);
  } catch (B* base) {
    return reinterpret_cast<std::byte*>(base) - static_cast<std::byte*>(object);
  } catch (...) {  // another class
  }
  return -1;
}
using base_finder = std::ptrdiff_t (*)(const object_kind& kind, void* object);

struct object_slot {
  object_name name;
  std::uint32_t uses = 0;  ///< bodies that run in the object
  bool doomed = false;     ///< destroyed as soon as they have ended
  void* object = nullptr;
  const object_kind* kind = nullptr;
  const std::type_info* seen_as = nullptr;  ///< the class by which it was last called, and where that lies in it
  std::ptrdiff_t seen_at = 0;
  std::uint64_t owed = 0;  ///< weight of all references; none left: it is destroyed (see reference.hpp)
  creation_key created_as;
  mutex atomic;  ///< held by a body of one of its atomic methods
  object_slot* next_free = nullptr;
};

/// A rank's processor objects. Slots are pooled and never move; a name from another rank is looked up with two tests.
class slot_table {
 public:
  slot_table(creation_table& creations, remade_objects& remade) : creations_(creations), remade_(remade) {}
  slot_table(const slot_table&) = delete;

  /// Takes over `object`.
  object_slot& add(void* object, const object_kind& kind, creation_key created_as);

  /// The living object of that name, or null.
  object_slot* find(object_name name) noexcept {
    if (name.slot / chunk_slots >= chunks_.size()) [[unlikely]]
      return find_remade(name);
    object_slot* const s = &chunks_[name.slot / chunk_slots][name.slot % chunk_slots];
    return s->name.generation == name.generation && s->object != nullptr && !s->doomed ? s : find_remade(name);
  }

  /// Its name means nothing from now on; it is destroyed when no body runs in it.
  void destroy(object_slot& slot);
  void end_use(object_slot& slot) {
    if (--slot.uses == 0 && slot.doomed) [[unlikely]]
      bury(slot);
  }
  /// The object seen as a B. Throws usage_error when it is none.
  void* seen_as(object_slot& slot, const std::type_info& base, base_finder finder) {
    if (slot.seen_as != &base) [[unlikely]]
      look_as(slot, base, finder);
    return static_cast<std::byte*>(slot.object) + slot.seen_at;
  }

  /// Destroys all objects, the youngest slots first, and what their destructors create.
  void destroy_all();
  std::size_t size() const noexcept { return living_; }

 private:
  static constexpr std::uint32_t chunk_slots = 64;
  struct known_base {
    const object_kind* kind;
    const std::type_info* base;
    std::ptrdiff_t offset;
  };
  [[gnu::cold]] object_slot* find_remade(object_name name) noexcept;
  void grow();
  void bury(object_slot& slot);
  [[gnu::noinline]] void look_as(object_slot& slot, const std::type_info& base, base_finder finder);

  creation_table& creations_;
  remade_objects& remade_;
  std::vector<owned<object_slot[]>> chunks_;
  std::vector<known_base> bases_;  // few: each is found once in a job
  object_slot* free_ = nullptr;
  std::size_t living_ = 0;
};

[[noreturn, gnu::cold]] void throw_no_object(object_name name, const char* operation);

}  // namespace armilla::detail
