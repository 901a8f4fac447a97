// SPDX-License-Identifier: Apache-2.0
#include "armilla/polymorphic.hpp"

#include <memory>

#include "armilla/base/core/context.hpp"
#include "armilla/error.hpp"
#include "armilla/object/object_state.hpp"
#include "armilla/object/polymorphic_kinds.hpp"

namespace armilla::detail {
namespace {

std::string class_name(const std::type_info& type) { return demangle(type.name()); }

polymorphic_kinds& kinds(const char* operation) { return *here(operation).objects->kinds; }

}  // namespace

polymorphic_kinds::polymorphic_kinds() = default;
polymorphic_kinds::~polymorphic_kinds() = default;

void register_kind(polymorphic_kind kind) {
  polymorphic_kinds& all = kinds("register_type");
  for (const auto& known : all.list) {
    if (*known->base != *kind.base) continue;
    if (known->name == kind.name && *known->type == *kind.type) return;
    if (known->name == kind.name || *known->type == *kind.type)
      throw_usage("register_type", class_name(*kind.type) + " as '" + kind.name + "': " + class_name(*known->type) +
                                       " is registered as '" + known->name + "' for " + class_name(*kind.base) +
                                       "; each class has one name");
  }
  all.list.push_back(std::make_unique<polymorphic_kind>(std::move(kind)));
}

const polymorphic_kind& kind_to_send(const std::type_info& base, const std::type_info& type) {
  for (const auto& known : kinds("send").list)
    if (*known->type == type && *known->base == base) return *known;
  throw_usage("send", "a " + class_name(type) + " cannot travel as polymorphic<" + class_name(base) + ">: call register_type<" +
                          class_name(base) + ", " + class_name(type) + ">(\"a name\") on every rank first");
}

const polymorphic_kind* kind_of_name(const std::type_info& base, const std::string& name) {
  for (const auto& known : kinds("receive").list)
    if (known->name == name && *known->base == base) return known.get();
  return nullptr;
}

const char* unknown_kind(const std::type_info& base, const std::string& name) {
  polymorphic_kinds& all = kinds("receive");
  std::string known;
  for (const auto& each : all.list)
    if (*each->base == base) known += (known.empty() ? "'" : ", '") + each->name + "'";
  const std::string text = "no class derived from " + class_name(base) + " is registered as '" + name.substr(0, 200) +
                           "' on this rank (" + (known.empty() ? "none is" : "there are " + known) +
                           "); call register_type on every rank before the first is sent";
  for (const auto& each : all.complaints)
    if (*each == text) return each->c_str();
  if (all.complaints.size() >= 64) return "a class that is registered under no such name on this rank; call register_type there";
  all.complaints.push_back(std::make_unique<std::string>(text));
  return all.complaints.back()->c_str();
}

void throw_empty_polymorphic(const std::type_info& base) {
  throw_usage("polymorphic", "a polymorphic<" + class_name(base) + "> without a value was used; give it one, or test it first");
}

}  // namespace armilla::detail
