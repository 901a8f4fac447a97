// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <list>
#include <optional>
#include <utility>
#include <vector>

#include "armilla/async.hpp"
#include "armilla/base/values/types.hpp"
#include "armilla/call.hpp"
#include "armilla/container/place/algorithm_call.hpp"
#include "armilla/container/place/named_parts.hpp"
#include "armilla/container/views/zip_view_inline.hpp"
#include "armilla/hints.hpp"

namespace armilla {

/// Names an element of a `list` on every rank: a small value that can be copied, stored and sent. It remains valid while other
/// elements are inserted and erased. After its element has been erased it names nothing, even when its slot is used again.
struct list_place {
  rank_t rank = -1;  ///< of the job
  std::uint32_t slot = 0;
  std::uint32_t age = 0;
  friend bool operator==(const list_place&, const list_place&) = default;
};

}  // namespace armilla

namespace armilla::detail {

[[noreturn, gnu::cold]] void throw_erased(const void* inside, const char* operation);
[[noreturn, gnu::cold]] void throw_no_place(const void* inside, rank_t r);

/// What one rank has of a list. A slot says where an element is; it is used again, and older by then.
template <class T>
class list_part {
 public:
  using value_type = T;
  struct node {
    T value;
    std::uint32_t slot;
  };
  std::list<node> nodes;

  list_place add(T value) { return add_at(nodes.end(), std::move(value)); }
  void push(T value) { add(std::move(value)); }
  list_place insert(list_place before, T value) {
    const slot_record* const there = look(before);
    if (there == nullptr) throw_erased(this, "insert");
    return add_at(there->at, std::move(value));
  }
  void erase(list_place p) {
    slot_record* const there = look(p);
    if (there == nullptr) return;
    nodes.erase(there->at);
    there->at = nodes.end();
    ++there->age;
    free_.push_back(p.slot);
  }
  std::optional<T> get(list_place p) {
    const slot_record* const there = look(p);
    return there == nullptr ? std::nullopt : std::optional<T>(there->at->value);
  }
  void set(list_place p, T value) {
    if (slot_record* const there = look(p)) there->at->value = std::move(value);
  }
  std::size_t size() const noexcept { return nodes.size(); }
  void clear() {
    while (!nodes.empty()) erase(place_of(nodes.front()));
  }
  /// All of another list follow; there they are erased.
  void take_all(list_part& other) {
    while (!other.nodes.empty()) {
      node& first = other.nodes.front();
      add(std::move(first.value));
      other.erase(other.place_of(first));
    }
  }
  list_place place_of(const node& n) const noexcept { return {current_head->rank, n.slot, slots_[n.slot].age}; }

 private:
  struct slot_record {
    typename std::list<node>::iterator at;
    std::uint32_t age = 0;
  };
  list_place add_at(typename std::list<node>::iterator before, T value) {
    if (free_.empty()) {
      free_.push_back(std::uint32_t(slots_.size()));
      slots_.push_back({nodes.end()});
    }
    const std::uint32_t slot = free_.back();
    slots_[slot].at = nodes.insert(before, node{std::move(value), slot});
    free_.pop_back();
    return {current_head->rank, slot, slots_[slot].age};
  }
  slot_record* look(list_place p) noexcept {
    if (p.slot >= slots_.size() || slots_[p.slot].age != p.age || slots_[p.slot].at == nodes.end()) return nullptr;
    return &slots_[p.slot];
  }

  std::vector<slot_record> slots_;
  std::vector<std::uint32_t> free_;
};

}  // namespace armilla::detail
