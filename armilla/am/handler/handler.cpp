// SPDX-License-Identifier: Apache-2.0
#include "armilla/am/handler/handler.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "armilla/am/handler/method_name.hpp"

namespace armilla::detail {
namespace {

// The registry of methods: the one thing in the process that is mutable and not of a rank. Written while images load,
// before any rank runs.
struct handler_registry {
  std::mutex mutex;
  handler_slot* first = nullptr;
  std::unordered_set<const handler_slot*> known;  // those in the list
  std::vector<handler_fn> table;
  std::vector<std::uint8_t> may_wait;
  std::vector<std::uint8_t> streams;
  std::vector<std::uint32_t> limited;
  std::vector<const handler_slot*> slots;  // null: no handler has the number
  std::vector<std::string> names;          // made when they are first asked for
};

handler_registry& registry() {
  static handler_registry instance;
  return instance;
}

struct place {
  std::string image;  // its file without folders; empty for the executable, which sorts first
  std::uintptr_t offset;
  handler_slot* slot;
  bool operator<(const place& other) const { return image != other.image ? image < other.image : offset < other.offset; }
};

place place_of(handler_slot& slot) {
  Dl_info info{};
  link_map* image = nullptr;
  const auto address = reinterpret_cast<std::uintptr_t>(slot.function);
  if (dladdr1(reinterpret_cast<void*>(address), &info, reinterpret_cast<void**>(&image), RTLD_DL_LINKMAP) == 0 ||
      image == nullptr)
    return {"", address, &slot};
  // Not dli_fname: for the executable that is argv[0], which may differ between ranks.
  const std::string_view file = image->l_name;
  return {std::string(file.substr(file.rfind('/') + 1)), address - image->l_addr, &slot};
}

}  // namespace

handler_slot::handler_slot(handler_fn function, const char* type, std::uint32_t message_bytes, bool may_wait, bool streams,
                           bool runs_bodies, handler_id fixed) noexcept
    : id(fixed),
      function(function),
      type(type),
      message_bytes(message_bytes),
      may_wait(may_wait),
      streams(streams),
      runs_bodies(runs_bodies) {
  // Where a program and a library share the slot, each may construct it as it is loaded: it keeps its place and its number.
  handler_registry& all = registry();
  std::lock_guard lock(all.mutex);
  if (!all.known.insert(this).second) {
    const auto mine = std::find(all.slots.begin(), all.slots.end(), this);
    if (fixed == no_handler && mine != all.slots.end()) id = handler_id(mine - all.slots.begin());
    return;
  }
  next = all.first;
  all.first = this;
}

handler_table freeze_handlers() {
  handler_registry& all = registry();
  std::lock_guard lock(all.mutex);
  if (all.table.empty()) {
    all.table.assign(first_free_handler, &unknown_handler);
    all.slots.assign(first_free_handler, nullptr);
    std::vector<place> places;
    for (handler_slot* slot = all.first; slot != nullptr; slot = slot->next) {
      if (slot->id != no_handler)
        all.table[slot->id] = slot->function, all.slots[slot->id] = slot;
      else
        places.push_back(place_of(*slot));
    }
    std::sort(places.begin(), places.end());
    for (place& each : places) {
      each.slot->id = handler_id(all.table.size());
      all.table.push_back(each.slot->function);
      all.slots.push_back(each.slot);
    }
    for (const handler_slot* slot : all.slots) {
      all.may_wait.push_back(slot != nullptr && slot->may_wait);
      all.streams.push_back(slot != nullptr && slot->streams);
      const bool runs_bodies = slot != nullptr && slot->runs_bodies;
      const bool apart = runs_bodies && !slot->may_wait && slot->message_bytes != 0;
      all.limited.push_back(!runs_bodies ? 0 : apart ? slot->message_bytes : handler_table::whole_bundles);
    }
  }
  return {all.table.data(), all.may_wait.data(), all.streams.data(), all.limited.data(), std::uint32_t(all.table.size())};
}

std::vector<std::uint32_t> handler_message_sizes() {
  handler_registry& all = registry();
  std::lock_guard lock(all.mutex);
  std::vector<std::uint32_t> sizes;
  for (const handler_slot* slot : all.slots) sizes.push_back(slot == nullptr ? 0 : slot->message_bytes);
  return sizes;
}

const std::string& handler_method_name(handler_id h) {
  handler_registry& all = registry();
  std::lock_guard lock(all.mutex);
  if (all.names.empty())
    for (const handler_slot* slot : all.slots) all.names.push_back(slot == nullptr ? "unknown" : method_name(slot->type));
  return all.names[h];
}

}  // namespace armilla::detail
