// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "armilla/am/pending.hpp"
#include "armilla/object/slots.hpp"
#include "armilla/object/table.hpp"

/// Calls to objects whose name has not come back yet. The creator numbers its creations and names the object by that; the
/// owner, which runs the creation first (messages of a pair keep their order), knows what it has become.
///
/// Paper: MRPC, section 2 (global pointers to processor objects).
namespace armilla::detail {

struct creation_hash {
  std::size_t operator()(const creation_key& k) const noexcept {
    return std::size_t(k.number * 0x9e3779b97f4a7c15u ^ std::uint64_t(k.creator) << 17);
  }
};

/// At the owner: what living objects are called by their creators.
class creation_table {
 public:
  /// The constructor begins; calls by that key park.
  void begin(creation_key key);
  /// It has ended: the object has a name, or there is none. Calls that parked run now; `bind` returns when they have begun, so
  /// that those by the name do not overtake them.
  void bind(context& self, creation_key key, object_name name);
  void fail(context& self, creation_key key);
  /// The object has been destroyed.
  void forget(creation_key key) { entries_.erase(key); }

  /// Whether a call by that key is put off: the constructor is under way, or earlier calls have not begun.
  bool puts_off(creation_key key) const noexcept;
  void park(context& self, creation_key key, parked_call call);
  /// Its name, or one that nothing has: destroyed, or the creation failed.
  object_name find(creation_key key) const noexcept;
  void clear(context& self);
  /// `hear(key, count)` for each object that calls wait for.
  template <class F>
  void each_parked(F hear) const {
    for (const auto& [key, e] : entries_)
      if (e.under_way && e.parked != nullptr) hear(key, e.parked->size());
  }

 private:
  struct entry {
    object_name name;
    bool under_way = true;
    std::shared_ptr<parked_calls> parked;  ///< null: none yet
  };

  std::unordered_map<creation_key, entry, creation_hash> entries_;
};

/// At the creator: which pending operations are creations.
class creation_log {
 public:
  struct item {
    std::uint32_t generation = 0;
    rank_t owner = -1;
    std::uint64_t number = 0;
  };
  std::uint64_t next() noexcept { return ++last_; }
  void note(const pending_op& c, rank_t owner, std::uint64_t number);
  /// The creation that will fill `c`, or null: it is no creation, or has ended.
  const item* find(const pending_op& c) const noexcept {
    if (c.state != pending_op::state_t::pending || c.index >= items_.size() || items_[c.index].generation != c.generation)
      return nullptr;
    return &items_[c.index];
  }

 private:
  std::uint64_t last_ = 0;
  std::vector<item> items_;
};

}  // namespace armilla::detail
