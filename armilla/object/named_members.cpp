// SPDX-License-Identifier: Apache-2.0
#include "armilla/object/named_members.hpp"

#include <cstring>
#include <string>

#include "armilla/error.hpp"

namespace armilla::detail {

bool member_table::add(const char* name, std::uint64_t signature, const std::type_info& type, base_finder finder,
                       erased_body body) {
  bool first = true;
  for (const entry& e : entries_) {
    if (std::strcmp(e.name, name) != 0) continue;
    first = false;
    if (e.signature != signature)
      throw_usage("provide", "method '" + std::string(name) + "' of objects is provided with another signature on this rank; " +
                                 "share one tag for it");
    if (*e.type != type) continue;
    if (e.body == body) return false;
    throw_usage("provide", "method '" + std::string(name) + "' of " + demangle(type.name()) +
                               " is provided already, as another member; each class provides a name once");
  }
  entries_.push_back({name, signature, &type, finder, body});
  known_.clear();  // a derived class may have got its own
  return first;
}

erased_body member_table::find_slowly(const char* name, const object_slot& slot) {
  const entry* found = nullptr;
  std::string others;
  for (const entry& e : entries_) {
    if (std::strcmp(e.name, name) != 0) continue;
    others += (others.empty() ? "" : ", ") + demangle(e.type->name());
    if (*e.type == *slot.kind->type) {
      found = &e;
      break;
    }
    if (e.finder(*slot.kind, slot.object) >= 0) found = &e;  // of several bases, the one that came last
  }
  if (found == nullptr)
    throw_usage("call", "the object is a " + demangle(slot.kind->type->name()) + ", which provides no method '" + name +
                            "' on this rank" + (others.empty() ? "" : "; provided for: " + others));
  known_.push_back({name, slot.kind, found->body});
  return found->body;
}

}  // namespace armilla::detail
