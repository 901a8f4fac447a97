// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <typeinfo>

/// The classes that travel as a base.
namespace armilla::detail {

/// How values of one class, seen as a base, are written and read. The pointers are to the base.
struct polymorphic_kind {
  const std::type_info* base;
  const std::type_info* type;
  std::string name;
  std::size_t (*size)(const void* value);
  void (*write)(std::byte* to, const void* value, std::uint32_t readers);
  void* (*read)(const std::byte* from, std::size_t bytes);
  void* (*copy)(const void* value);
};

void register_kind(polymorphic_kind kind);
/// Throws usage_error when it is not registered on this rank.
const polymorphic_kind& kind_to_send(const std::type_info& base, const std::type_info& type);
/// Null when that name is not registered on this rank.
const polymorphic_kind* kind_of_name(const std::type_info& base, const std::string& name);
/// The sentence for a name that is not known here; lives as long as the rank.
const char* unknown_kind(const std::type_info& base, const std::string& name);
[[noreturn, gnu::cold]] void throw_empty_polymorphic(const std::type_info& base);

}  // namespace armilla::detail
