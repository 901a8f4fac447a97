// SPDX-License-Identifier: Apache-2.0
#include "armilla/object/creations.hpp"

#include <utility>

namespace armilla::detail {
void creation_table::begin(creation_key key) { entries_[key] = {}; }

void creation_table::bind(endpoint& self, creation_key key, object_name name) {
  entry& e = entries_[key];
  e.name = name;
  e.under_way = false;
  run_parked(self, std::exchange(e.parked, {}));
}

void creation_table::fail(endpoint& self, creation_key key) {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return;
  std::vector<parked_call> calls = std::move(found->second.parked);
  entries_.erase(found);
  run_parked(self, std::move(calls));
}

bool creation_table::under_way(creation_key key) const noexcept {
  const auto found = entries_.find(key);
  return found != entries_.end() && found->second.under_way;
}

void creation_table::park(endpoint& self, creation_key key, parked_call call) {
  entries_[key].parked.push_back(std::move(call));
  self.defer();
}

object_name creation_table::find(creation_key key) const noexcept {
  const auto found = entries_.find(key);
  return found == entries_.end() ? object_name{} : found->second.name;
}

void creation_table::clear(endpoint& self) {
  for (auto& [key, e] : entries_)
    for (std::size_t i = 0; i < e.parked.size(); ++i) self.resume();
  entries_.clear();
}

void creation_table::run_parked(endpoint& self, std::vector<parked_call> calls) {
  for (parked_call& call : calls) self.run_parked(call.source, call.handler, std::move(call.item));
}

void creation_log::note(const cell& c, rank_t owner, std::uint64_t number) {
  if (c.index >= items_.size()) items_.resize(c.index + 64);
  items_[c.index] = {c.generation, owner, number};
}

}  // namespace armilla::detail
