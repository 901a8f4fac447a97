// SPDX-License-Identifier: Apache-2.0
#include "armilla/team/core/known_types.hpp"

#include <utility>

namespace armilla::detail {
namespace {

// Written while images are loaded, before any rank runs.
constinit std::atomic<known_type*> first_type{nullptr};

void replace_all(std::string& text, std::string_view old, std::string_view now) {
  for (std::size_t at = text.find(old); at != text.npos; at = text.find(old, at + now.size())) text.replace(at, old.size(), now);
}

constexpr std::pair<std::string_view, std::string_view> shorter_names[] = {
    {"std::__cxx11::", "std::"}, {"std::__1::", "std::"},         {"std::basic_string<char>", "std::string"},
    {"{anonymous}::", ""},       {"(anonymous namespace)::", ""}, {"> >", ">>"}};

const char* name_of(type_form form) noexcept {
  switch (form) {
    case type_form::value: break;
    case type_form::array: return " array";
    case type_form::list: return " list";
  }
  return "";
}

}  // namespace

bool list_type(known_type& type) noexcept {
  if (type.listed.exchange(true, std::memory_order_relaxed)) return true;  // an image that shares it came before
  type.next = first_type.load(std::memory_order_relaxed);
  while (!first_type.compare_exchange_weak(type.next, &type, std::memory_order_release, std::memory_order_relaxed)) {}
  return true;
}

std::string readable_type(std::string_view name) {
  std::string text(name);
  for (const auto& [old, now] : shorter_names) replace_all(text, old, now);
  return text;
}

std::string type_known_as(std::uint16_t id) {
  std::string all;
  for (const known_type* type = first_type.load(std::memory_order_acquire); type != nullptr; type = type->next) {
    if (type->name.starts_with("armilla::detail::")) continue;  // tells users nothing
    for (const type_form form : {type_form::value, type_form::array, type_form::list})
      if (std::uint16_t(type->id + type_mark::of_form(form)) == id)
        all += (all.empty() ? "" : " or ") + readable_type(type->name) + name_of(form);
  }
  return all;
}

}  // namespace armilla::detail
