// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string_view>
#include <type_traits>

// Types of the standard library are recognized by their qualified names, as the compiler spells them, so that this header
// includes none of theirs, and no class of a user is taken for one because it looks like one.
namespace armilla::detail {

/// What a type of the standard library is to a message.
enum class standard_type {
  no,         ///< not a type of namespace std
  container,  ///< has elements, and push_back, insert or insert_after
  array,      ///< valarray
  adaptor,    ///< queue, stack, priority_queue
  text,       ///< filesystem::path
  optional,
  variant,
  tuple,        ///< pair, tuple
  owner,        ///< unique_ptr
  value,        ///< travels as its bytes
  error_code,   ///< holds the address of a category
  any_content,  ///< function, any: what they hold is not known to the compiler
  other,
};

template <class T>
consteval std::string_view spelled() {
  return {__PRETTY_FUNCTION__, sizeof __PRETTY_FUNCTION__ - 1};
}
inline constexpr std::size_t spelled_at = spelled<int>().find("= int") + 2;
inline constexpr std::size_t spelled_behind = spelled<int>().size() - spelled_at - 3;

/// T as the compiler writes it: `double`, `shop::order`.
template <class T>
inline constexpr std::string_view type_name = spelled<T>().substr(spelled_at, spelled<T>().size() - spelled_at - spelled_behind);

/// FNV-1a, with its bits mixed at the end.
constexpr std::uint64_t hash_of_text(std::string_view text) noexcept {
  std::uint64_t h = 0xcbf29ce484222325u;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  h ^= h >> 32;
  h *= 0xd6e8feb86659fd93u;
  return h ^ h >> 32;
}

/// `std::vector` for std::vector<int>, also where its namespace has inline ones; nothing for what is not in namespace std.
template <class T>
consteval std::string_view standard_name() {
  std::string_view name = spelled<T>().substr(spelled_at);
  if (!name.starts_with("std::")) return {};
  name = name.substr(5, name.find_first_of("<;]") - 5);
  while (name.starts_with("__") || name.starts_with("pmr::")) {  // __cxx11, __1, __debug
    const std::size_t end = name.find("::");
    if (end == std::string_view::npos) return "of the implementation";
    name.remove_prefix(end + 2);
  }
  return name;
}

template <class... Name>
consteval bool is_one_of(std::string_view name, const Name&... candidate) {
  return ((name == candidate) || ...);
}

/// Names of types that are a value in all of their bytes. `name` has no template arguments.
consteval bool names_value(std::string_view name) {
  return is_one_of(name, "complex", "bitset", "partial_ordering", "weak_ordering", "strong_ordering", "extents") ||
         name.ends_with("_engine") || name.ends_with("_distribution") || name.find("simd") != name.npos ||
         (name.starts_with("chrono::") && name != "chrono::zoned_time");
}

template <class T>
consteval standard_type recognize() {
  constexpr std::string_view name = standard_name<T>();
  if (name.empty()) return standard_type::no;
  if (is_one_of(name, "vector", "basic_string", "deque", "list", "forward_list", "inplace_vector", "set", "multiset", "map",
                "multimap", "unordered_set", "unordered_multiset", "unordered_map", "unordered_multimap", "flat_set",
                "flat_multiset", "flat_map", "flat_multimap"))
    return standard_type::container;
  if (is_one_of(name, "pair", "tuple")) return standard_type::tuple;
  if (name == "optional") return standard_type::optional;
  if (name == "variant") return standard_type::variant;
  if (name == "unique_ptr") return standard_type::owner;
  if (name == "valarray") return standard_type::array;
  if (is_one_of(name, "queue", "stack", "priority_queue")) return standard_type::adaptor;
  if (name == "filesystem::path" || name == "filesystem::__cxx11::path" || name == "filesystem::__1::path")
    return standard_type::text;
  if (is_one_of(name, "error_code", "error_condition")) return standard_type::error_code;
  if (is_one_of(name, "function", "any", "move_only_function", "copyable_function", "function_ref"))
    return standard_type::any_content;
  return std::is_empty_v<T> || names_value(name) ? standard_type::value : standard_type::other;
}

/// T: a class without const.
template <class T>
inline constexpr standard_type standard_type_of = recognize<T>();

/// Function objects and allocators that their default constructor makes again: nothing of them must travel.
template <class T>
concept made_anew = std::is_empty_v<T> && std::is_default_constructible_v<T>;
template <class Allocator>
concept made_anew_allocator = std::is_empty_v<Allocator> || standard_name<Allocator>() == "polymorphic_allocator";

}  // namespace armilla::detail
