// SPDX-License-Identifier: Apache-2.0
#include "armilla/object/creations.hpp"

#include <utility>

namespace armilla::detail {
void creation_table::begin(creation_key key) { entries_[key] = {}; }

void creation_table::bind(context& self, creation_key key, object_name name) {
  entry& e = entries_[key];
  e.name = name;
  e.under_way = false;
  const auto calls = e.parked;
  if (calls == nullptr) return;
  parked_calls::open(self, calls);
  while (calls->let_begin(self)) {}
}

void creation_table::fail(context& self, creation_key key) {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return;
  const auto calls = std::move(found->second.parked);
  entries_.erase(found);
  if (calls != nullptr) parked_calls::open(self, calls);
}

bool creation_table::puts_off(creation_key key) const noexcept {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return false;
  const entry& e = found->second;
  return e.under_way || (e.parked != nullptr && !e.parked->lets_in());
}

void creation_table::park(context& self, creation_key key, parked_call call) {
  auto& calls = entries_[key].parked;
  if (calls == nullptr) calls = std::make_shared<parked_calls>();
  calls->add(self, std::move(call));
}

object_name creation_table::find(creation_key key) const noexcept {
  const auto found = entries_.find(key);
  return found == entries_.end() ? object_name{} : found->second.name;
}

void creation_table::clear(context& self) {
  for (auto& [key, e] : entries_)
    if (e.parked != nullptr) e.parked->drop(self);
  entries_.clear();
}

void creation_log::note(const pending_op& c, rank_t owner, std::uint64_t number) {
  if (c.index >= items_.size()) items_.resize(c.index + 64);
  items_[c.index] = {c.generation, owner, number};
}

}  // namespace armilla::detail
