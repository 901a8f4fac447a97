// SPDX-License-Identifier: Apache-2.0
#include "armilla/object/creations.hpp"

#include <memory>
#include <unordered_map>
#include <utility>

#include "armilla/am/endpoint/parked.hpp"

namespace armilla::detail {
namespace {

struct creation_hash {
  std::size_t operator()(const creation_key& k) const noexcept {
    return std::size_t(k.number * 0x9e3779b97f4a7c15u ^ std::uint64_t(k.creator) << 17);
  }
};

struct creation {
  object_name name;
  bool under_way = true;
  std::shared_ptr<parked_calls> parked;  // null: none yet
};

}  // namespace

struct creation_table::map {
  std::unordered_map<creation_key, creation, creation_hash> all;
};

creation_table::creation_table() : entries_(std::make_unique<map>()) {}
creation_table::~creation_table() = default;

void creation_table::begin(creation_key key) { entries_->all[key] = {}; }

void creation_table::bind(context& self, creation_key key, object_name name) {
  creation& e = entries_->all[key];
  e.name = name;
  e.under_way = false;
  const auto calls = e.parked;
  if (calls == nullptr) return;
  parked_calls::open(self, calls);
  while (calls->let_begin(self)) {}
}

void creation_table::fail(context& self, creation_key key) {
  const auto found = entries_->all.find(key);
  if (found == entries_->all.end()) return;
  const auto calls = std::move(found->second.parked);
  entries_->all.erase(found);
  if (calls != nullptr) parked_calls::open(self, calls);
}

bool creation_table::puts_off(creation_key key) const noexcept {
  const auto found = entries_->all.find(key);
  if (found == entries_->all.end()) return false;
  const creation& e = found->second;
  return e.under_way || (e.parked != nullptr && !e.parked->lets_in());
}

void creation_table::park(context& self, creation_key key, parked_call call) {
  auto& calls = entries_->all[key].parked;
  if (calls == nullptr) calls = std::make_shared<parked_calls>();
  calls->add(self, std::move(call));
}

object_name creation_table::find(creation_key key) const noexcept {
  const auto found = entries_->all.find(key);
  return found == entries_->all.end() ? object_name{} : found->second.name;
}

void creation_table::forget(creation_key key) noexcept { entries_->all.erase(key); }

std::vector<std::pair<creation_key, std::size_t>> creation_table::parked() const {
  std::vector<std::pair<creation_key, std::size_t>> all;
  for (const auto& [key, e] : entries_->all)
    if (e.under_way && e.parked != nullptr) all.emplace_back(key, e.parked->size());
  return all;
}

void creation_table::clear(context& self) {
  for (auto& [key, e] : entries_->all)
    if (e.parked != nullptr) e.parked->drop(self);
  entries_->all.clear();
}

void creation_log::note(const pending_op& c, rank_t owner, std::uint64_t number) {
  if (c.index >= requests_.size()) requests_.resize(c.index + 64);
  requests_[c.index] = {c.generation, owner, number};
}

}  // namespace armilla::detail
