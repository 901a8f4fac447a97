// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "armilla/am/endpoint/pending.hpp"
#include "armilla/am/handler/parked_call.hpp"
#include "armilla/base/values/owned.hpp"
#include "armilla/object/slots.hpp"

/// Calls to objects whose name has not come back yet. The creator numbers its creations and names the object by that; the
/// owner, which runs the creation first (messages of a pair keep their order), knows what it has become.
///
/// Paper: MRPC, section 2 (global pointers to processor objects).
namespace armilla::detail {

/// At the owner: what living objects are called by their creators.
class creation_table {
 public:
  creation_table();
  ~creation_table();
  creation_table(const creation_table&) = delete;

  /// The constructor begins; calls by that key park.
  void begin(creation_key key);
  /// It has ended: the object has a name, or there is none. Calls that parked run now; `bind` returns when they have begun, so
  /// that those by the name do not overtake them.
  void bind(context& self, creation_key key, object_name name);
  void fail(context& self, creation_key key);
  /// The object has been destroyed.
  void forget(creation_key key) noexcept;

  /// Whether a call by that key is put off: the constructor is under way, or earlier calls have not begun.
  bool puts_off(creation_key key) const noexcept;
  void park(context& self, creation_key key, parked_call call);
  /// Its name, or one that nothing has: destroyed, or the creation failed.
  object_name find(creation_key key) const noexcept;
  void clear(context& self);
  /// Each object that calls wait for, and how many.
  std::vector<std::pair<creation_key, std::size_t>> parked() const;

 private:
  struct map;
  owned<map> entries_;
};

/// At the creator: which pending operations are creations.
class creation_log {
 public:
  struct request {
    std::uint32_t generation = 0;
    rank_t owner = -1;
    std::uint64_t number = 0;
  };
  /// Numbers begin behind all those of the ranks that had this place before.
  void begin(std::uint32_t life) noexcept { last_ = std::uint64_t{life} << 40; }
  std::uint64_t next() noexcept { return ++last_; }
  void note(const pending_op& c, rank_t owner, std::uint64_t number);
  /// The creation that will fill `c`, or null: it is no creation, or has ended.
  const request* find(const pending_op& c) const noexcept {
    if (c.state != pending_op::state_t::pending || c.index >= requests_.size() || requests_[c.index].generation != c.generation)
      return nullptr;
    return &requests_[c.index];
  }

 private:
  std::uint64_t last_ = 0;
  std::vector<request> requests_;
};

}  // namespace armilla::detail
