// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <charconv>
#include <concepts>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include "armilla/algorithm/elementwise/in_order.hpp"
#include "armilla/base/core/check.hpp"
#include "armilla/container/place/failure_agreement.hpp"
#include "armilla/error.hpp"

/// What a checked program finds out about the requirements of algorithms: comparators are strict weak orders, and ranges are in
/// order. Nothing here costs anything in another program.
namespace armilla::detail {

/// Two elements of which each comes before the other.
[[noreturn, gnu::cold]] void throw_both_come_first(const std::string& a, const std::string& b);
/// What was sorted is not in order: `a` stands before `b`.
[[noreturn, gnu::cold]] void throw_not_transitive(const std::string& a, const std::string& b);
/// Elements `i` and `i + 1` of a range are in the wrong order. `rule`: what must hold. `advice`: what to do.
[[noreturn, gnu::cold]] void throw_out_of_order(std::string_view rule, std::size_t i, const std::string& a, const std::string& b,
                                                std::string_view advice);

/// An element in an error. One that has no text is told by its type.
template <class T>
std::string text_of_element(const T& e) {
  if constexpr (std::same_as<T, bool>) {
    return e ? "true" : "false";
  } else if constexpr (std::is_enum_v<T>) {
    return text_of_element(std::underlying_type_t<T>(e));
  } else if constexpr (std::is_integral_v<T>) {
    return std::to_string(std::conditional_t<std::is_signed_v<T>, long long, unsigned long long>(e));
  } else if constexpr (std::is_floating_point_v<T>) {
    char digits[128];
    return {digits, std::to_chars(digits, digits + sizeof digits, e).ptr};
  } else if constexpr (std::convertible_to<const T&, std::string_view>) {
    constexpr std::size_t most = 40;
    const std::string_view all(e);
    return all.size() <= most ? '"' + std::string(all) + '"' : '"' + std::string(all.substr(0, most)) + "...\"";
  } else if constexpr (requires { std::tuple_size<T>::value; }) {
    std::string all = "(";
    const auto add = [&all](const auto& part) { all += (all.size() == 1 ? "" : ", ") + text_of_element(part); };
    std::apply([&add](const auto&... parts) { (add(parts), ...); }, e);
    return all + ')';
  } else {
    return "an element of type " + demangle(typeid(T).name());
  }
}

template <class Less, class... Same>
concept one_of = (std::same_as<Less, Same> || ...);

/// Whether a comparator is one of the standard's over floating-point keys: then NaNs come last.
template <class Key, class Comp>
inline constexpr bool orders_floats =
    std::floating_point<Key> && one_of<std::remove_cvref_t<std::unwrap_reference_t<Comp>>, std::less<>, std::less<Key>,
                                       std::ranges::less, std::greater<>, std::greater<Key>, std::ranges::greater>;

/// A comparator of elements. In a checked program it throws where of two each comes before the other.
template <class Less>
struct one_way {
  Less& less;
  template <class A, class B>
    requires std::is_invocable_v<Less&, const A&, const B&>
  bool operator()(const A& a, const B& b) const {
    const bool first = bool(std::invoke(less, a, b));
    if constexpr (checked && std::is_invocable_v<Less&, const B&, const A&>)
      if (first && bool(std::invoke(less, b, a))) throw_both_come_first(text_of_element(a), text_of_element(b));
    return first;
  }
};

/// In a checked program: all members throw a usage_error if two elements of `v` that follow each other are wrong(e, next). They
/// have met before.
template <class V, class Wrong>
void require_neighbors(const V& v, const char* operation, failure& why, std::string_view rule, std::string_view advice,
                       Wrong wrong) {
  if constexpr (checked && !requires { V::anywhere; }) {
    using T = std::remove_cv_t<typename V::value_type>;
    std::optional<T> last;
    std::size_t seen = npos;
    walk_in_order(v, why, [&](const auto c, std::size_t n, const indices& at) {
      try {
        if (at(0) != 0 && seen != at(0)) last.emplace(element_at(v, at(0) - 1));
        for (std::size_t k = 0; k < n; ++k) {
          const T now = c[k];
          if (last && bool(wrong(*last, now)))
            throw_out_of_order(rule, at(k) - 1, text_of_element(*last), text_of_element(now), advice);
          last.emplace(now);
        }
      } catch (const detail::passing&) { throw; } catch (...) {
        why.note();
      }
      seen = at(0) + n;
      return !why.happened();
    });
    agree(v.members(), operation, why);
  }
}

/// The same: `v` is in order. A comparator that compares other elements with these alone is not asked.
template <class V, class Less>
void require_sorted(const V& v, const char* operation, failure& why, std::string_view rule, Less& less) {
  using T = typename V::value_type;
  if constexpr (std::is_invocable_v<Less&, const T&, const T&>)
    require_neighbors(v, operation, why, rule, "sort it first, by the same comparator",
                      [&less](const auto& e, const auto& next) { return bool(std::invoke(less, next, e)); });
}

}  // namespace armilla::detail
