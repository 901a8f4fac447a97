// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <limits>
#include <memory>
#include <ranges>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/container/files/csv_reader.hpp"
#include "armilla/container/files/field_values.hpp"
#include "armilla/container/files/file_part.hpp"
#include "armilla/container/files/files_inline.hpp"
#include "armilla/container/files/json_engine.hpp"
#include "armilla/wire/member_names.hpp"

/// Values of a document in JSON as values of C++, and back.
namespace armilla::detail {

template <class T>
concept json_text = std::convertible_to<const T&, std::string_view>;
/// Objects with any names: a map from strings.
template <class T>
concept json_map = requires(T& map, typename T::key_type key, typename T::mapped_type value) {
  map.clear();
  map.insert_or_assign(std::move(key), std::move(value));
} && json_text<typename T::key_type>;
template <class T>
concept json_tuple = requires { std::tuple_size<T>::value; };
template <class T>
concept json_sequence = std::ranges::input_range<T> && !json_text<T> && requires(T& all, typename T::value_type element) {
  all.clear();
  all.push_back(std::move(element));
};

/// What is wrong with a value, and where in the document: ".towns[3].name".
struct json_trouble {
  std::string where{}, what{};

  bool in_member(std::string_view name);
  bool in_element(std::size_t index);
};

/// false, and the trouble is what a value is and what it should be.
[[gnu::cold]] bool not_json(json_trouble& trouble, const json_node& is, const char* wanted);
[[gnu::cold]] bool lacks_member(json_trouble& trouble, std::string_view name);
[[gnu::cold]] bool wrong_length(json_trouble& trouble, std::size_t have, std::size_t wanted);

/// A whole number that is written as "5.0" or "5e3".
template <class T>
bool parse_whole(std::string_view text, T& value) {
  double wide = 0;
  constexpr double exact = 9007199254740992;  // all whole numbers up to it are doubles
  if (!parse_floating(text, wide) || std::trunc(wide) != wide || !(std::abs(wide) < exact)) return false;
  if (wide < double(std::numeric_limits<T>::min()) || wide > double(std::numeric_limits<T>::max())) return false;
  value = static_cast<T>(wide);
  return true;
}

template <class T>
bool from_json(const json_node* node, T& value, json_trouble& trouble);

/// The members of an object by `names`. Of two with one name the last counts.
template <class T, class Names>
bool members_from_json(const json_node* node, T& whole, const Names& names, json_trouble& trouble) {
  using kind = json_node::kind;
  if (node->is != kind::object) return not_json(trouble, *node, "an object");
  constexpr std::size_t n = member_count<T>;
  std::array<const json_node*, n> found{};
  const json_node* at = node + 1;
  for (std::size_t left = node->count, next = 0; left != 0; --left, at += at->nodes) {
    std::size_t i = next;  // names are mostly in the order of the members
    if (i >= n || names[i] != at->key)
      for (i = 0; i < n && names[i] != at->key;) ++i;
    if (i < n) found[i] = at, next = i + 1;
  }
  std::size_t i = 0;
  const auto take = [&]<class M>(M& member) {
    const std::size_t k = i++;
    if (found[k] != nullptr) return from_json(found[k], member, trouble) || trouble.in_member(names[k]);
    if constexpr (is_optional<M>) return member.reset(), true;
    return lacks_member(trouble, names[k]);
  };
  return visit_members(whole, [&](auto&... member) { return (take(member) && ...); });
}

template <class T>
bool elements_from_json(const json_node* node, T& all, json_trouble& trouble) {
  if (node->is != json_node::kind::array) return not_json(trouble, *node, "an array");
  const json_node* at = node + 1;
  if constexpr (json_tuple<T>) {
    if (node->count != std::tuple_size_v<T>) return wrong_length(trouble, node->count, std::tuple_size_v<T>);
    std::size_t i = 0;
    const auto take = [&](auto& element) {
      const json_node* const here = at;
      at += at->nodes;
      const std::size_t k = i++;
      return from_json(here, element, trouble) || trouble.in_element(k);
    };
    return std::apply([&](auto&... element) { return (take(element) && ...); }, all);
  } else {
    all.clear();
    for (std::size_t k = 0; k < node->count; ++k, at += at->nodes) {
      typename T::value_type element{};
      if (!from_json(at, element, trouble)) return trouble.in_element(k);
      all.push_back(std::move(element));
    }
    return true;
  }
}

template <class T>
bool from_json(const json_node* node, T& value, json_trouble& trouble) {
  using kind = json_node::kind;
  if constexpr (is_optional<T>) {
    value.reset();
    return node->is == kind::null || from_json(node, value.emplace(), trouble);
  } else if constexpr (std::is_same_v<T, bool>) {
    value = node->text == "true";
    return node->is == kind::truth || not_json(trouble, *node, "true or false");
  } else if constexpr (is_time<T>) {
    moment read;
    const bool good = node->is == kind::text && parse_moment(node->text, read) && to_time(read, value);
    return good || not_json(trouble, *node, "a date or time in a string");
  } else if constexpr (std::is_floating_point_v<T>) {
    if (node->is == kind::null) return value = std::numeric_limits<T>::quiet_NaN(), true;
    return (node->is == kind::number && parse_floating(node->text, value)) ||
           not_json(trouble, *node, "a number that its type holds");
  } else if constexpr (std::is_integral_v<T>) {
    const bool good = node->is == kind::number && (parse_field(node->text, value) || parse_whole(node->text, value));
    return good || not_json(trouble, *node, "a whole number that its type holds");
  } else if constexpr (json_text<T>) {
    if (node->is != kind::text) return not_json(trouble, *node, "a string");
    value = T(node->text);
    return true;
  } else if constexpr (json_map<T>) {
    if (node->is != kind::object) return not_json(trouble, *node, "an object");
    value.clear();
    const json_node* at = node + 1;
    for (std::size_t left = node->count; left != 0; --left, at += at->nodes) {
      typename T::mapped_type element{};
      if (!from_json(at, element, trouble)) return trouble.in_member(at->key);
      value.insert_or_assign(typename T::key_type(at->key), std::move(element));
    }
    return true;
  } else if constexpr (json_tuple<T> || json_sequence<T>) {
    return elements_from_json(node, value, trouble);
  } else {
    static_assert(
        reflectable<T>,
        "JSON has numbers, bool, strings, times (std::chrono::sys_time), std::optional, arrays (std::vector, std::array, "
        "std::tuple), objects (aggregates and maps from strings); convert other types in the loop");
    return members_from_json(node, value, member_names<T>, trouble);
  }
}

/// The plug-in on all members, or a usage_error on all. Collective.
const json_engine& load_json(const char* operation, const std::string& path, const team& members);

/// Throws if there are names, but not one for each member.
template <class T>
void require_json_names(const char* operation, const std::vector<std::string>& names) {
  if constexpr (csv_row<T>) {
    if (!names.empty()) require_names(operation, names.size(), member_count<T>);
  } else {
    if (!names.empty()) require_names(operation, names.size(), 0);
  }
}

/// The parser of one pass.
class json_parser {
 public:
  explicit json_parser(const json_engine& engine) : engine_(&engine) {}
  json_parser(const json_parser& other) : engine_(other.engine_) {}
  json_parser(json_parser&&) noexcept = default;
  json_parser& operator=(json_parser other) noexcept {
    engine_ = other.engine_;
    parser_ = std::move(other.parser_);
    return *this;
  }

  /// The next line that is a document: its first value, or null at the end. `at` goes behind it, `line` is its beginning.
  const json_node* next(file_part& part, const char*& at, const char*& line, bool fitted);
  [[gnu::cold]] static void complain(file_part& part, const char* line, const json_trouble& trouble);

 private:
  struct closer {
    const json_engine* engine;
    void operator()(void* parser) const { engine->free(parser); }
  };
  const json_engine* engine_;
  std::unique_ptr<void, closer> parser_{nullptr, closer{nullptr}};
};

/// A value a line.
template <class T>
struct json_line_reader {
  using value = T;
  json_line_reader(const json_engine& engine, std::vector<std::string> members) : parser(engine), names(std::move(members)) {}
  json_parser parser;
  std::vector<std::string> names;  // of the members; empty: their own
  bool fitted = false;             // a line of this pass did

  bool next(file_part& part, const char*& at, value& row) {
    const char* line = nullptr;
    while (const json_node* const node = parser.next(part, at, line, fitted)) {
      json_trouble trouble;
      if (take(node, row, trouble)) return fitted = true;
      json_parser::complain(part, line, trouble);
    }
    return false;
  }

 private:
  bool take(const json_node* node, value& row, json_trouble& trouble) const {
    if constexpr (csv_row<T>)
      if (!names.empty()) return members_from_json(node, row, names, trouble);
    return from_json(node, row, trouble);
  }
};

// ---- Writing ----

/// In quotes. Throws std::invalid_argument if it is not UTF-8.
void append_json_text(std::string& all, std::string_view text);
[[noreturn, gnu::cold]] void throw_infinite();

template <class T>
void append_json(std::string& all, const T& value);

template <class T, class Names>
void append_json_members(std::string& all, const T& whole, const Names& names) {
  std::size_t i = 0;
  const auto put = [&](const auto& member) {
    all += i == 0 ? '{' : ',';
    append_json_text(all, names[i++]);
    append_json(all += ':', member);
  };
  visit_members(whole, [&](const auto&... member) { (put(member), ...); });
  all += i == 0 ? "{}" : "}";
}

template <class T>
void append_json(std::string& all, const T& value) {
  if constexpr (is_optional<T>) {
    if (value)
      append_json(all, *value);
    else
      all += "null";
  } else if constexpr (std::is_same_v<T, bool>) {
    all += value ? "true" : "false";
  } else if constexpr (std::is_arithmetic_v<T>) {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isinf(value)) throw_infinite();
      if (std::isnan(value)) return void(all += "null");
    }
    append_number(all, value);
  } else if constexpr (is_time<T>) {
    append_moment(all += '"', to_moment(value), digits_of<typename T::duration>());
    all += '"';
  } else if constexpr (json_text<T>) {
    append_json_text(all, value);
  } else if constexpr (json_map<T>) {
    char before = '{';
    for (const auto& [name, element] : value) {
      append_json_text(all += std::exchange(before, ','), name);
      append_json(all += ':', element);
    }
    all += before == '{' ? "{}" : "}";
  } else if constexpr (json_tuple<T> || json_sequence<T>) {
    char before = '[';
    const auto put = [&](const auto& element) { append_json(all += std::exchange(before, ','), element); };
    if constexpr (json_tuple<T>)
      std::apply([&](const auto&... element) { (put(element), ...); }, value);
    else
      for (const typename T::value_type& element : value) put(element);
    all += before == '[' ? "[]" : "]";
  } else {
    static_assert(
        reflectable<T>,
        "JSON has numbers, bool, strings, times (std::chrono::sys_time), std::optional, arrays (std::vector, std::array, "
        "std::tuple), objects (aggregates and maps from strings); convert other types first");
    append_json_members(all, value, member_names<T>);
  }
}

template <class T>
void append_json_line(std::string& all, const T& value, [[maybe_unused]] const std::vector<std::string>& names) {
  const auto put = [&] {
    if constexpr (csv_row<T>)
      if (!names.empty()) return append_json_members(all, value, names);
    append_json(all, value);
  };
  put();
  all += '\n';
}

}  // namespace armilla::detail
