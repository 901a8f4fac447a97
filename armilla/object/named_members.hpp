// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <typeinfo>
#include <vector>

#include "armilla/object/slots.hpp"

namespace armilla::detail {

using erased_body = void (*)();

/// Which class provides which method by name, on a rank.
class member_table {
 public:
  /// True if it is the first class that provides the name. Throws usage_error if the class does already, as something else, or
  /// the name has another signature.
  bool add(const char* name, std::uint64_t signature, const std::type_info& type, base_finder finder, erased_body body);

  /// The body for the object in `slot`. Budget: one comparison a pair of method and class that is in use. Throws usage_error
  /// that says which classes provide the method.
  erased_body find(const char* name, const object_slot& slot) {
    for (const known& k : known_)
      if (k.name == name && k.kind == slot.kind) return k.body;
    return find_slowly(name, slot);
  }

 private:
  struct entry {
    const char* name;
    std::uint64_t signature;
    const std::type_info* type;
    base_finder finder;
    erased_body body;
  };
  struct known {
    const char* name;
    const object_kind* kind;
    erased_body body;
  };
  [[gnu::noinline]] erased_body find_slowly(const char* name, const object_slot& slot);

  std::vector<entry> entries_;
  std::vector<known> known_;
};

}  // namespace armilla::detail
