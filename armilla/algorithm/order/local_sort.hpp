// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>

#include "armilla/algorithm/elementwise/order_rules.hpp"
#include "armilla/algorithm/order/digit_sort.hpp"
#include "armilla/algorithm/order/text_sort.hpp"
#include "armilla/container/keyed/guarded_sort.hpp"
#include "armilla/container/place/algorithm_call.hpp"
#include "armilla/container/place/state.hpp"

/// How one rank sorts what it has.
namespace armilla::detail {

/// The order that a comparator means, where a sort of numbers knows it.
enum class number_order { other, ascending, descending };

template <class T>
concept plain_number = (std::integral<T> && sizeof(T) <= 8) || std::same_as<T, float> || std::same_as<T, double>;

/// A string that lies where its element does.
template <class T>
concept text_in_place =
    std::same_as<T, std::string_view> || (std::is_reference_v<T> && std::same_as<std::remove_cvref_t<T>, std::string>);

template <class T, class Comp>
constexpr number_order order_meant_by() {
  if constexpr (plain_number<T> || text_in_place<const T&> || text_in_place<T>) {
    if constexpr (one_of<Comp, std::less<>, std::less<T>, std::ranges::less>) return number_order::ascending;
    if constexpr (one_of<Comp, std::greater<>, std::greater<T>, std::ranges::greater>) return number_order::descending;
  }
  return number_order::other;
}

/// Sorts numbers: those of a byte by counting, others by vector instructions. Each comes out bit for bit: floating-point numbers
/// are sorted as integers that ascend as they do. -0.0 and +0.0 are neighbors, and NaNs come last, whatever their signs.
/// Instantiated for the numbers below.
template <class Number>
void sort_numbers(Number* first, std::size_t n, bool ascending);
/// The same of floating-point numbers, of which some may be NaNs. Equal ones (0.0 and -0.0) keep their order.
template <class Number>
void stable_sort_numbers(Number* first, std::size_t n, bool ascending);

/// The integer of a size for which that is instantiated; floating-point numbers themselves.
template <bool Signed, std::size_t Size>
using integer_of =
    std::conditional_t<Size == 1, std::conditional_t<Signed, signed char, unsigned char>,
                       std::conditional_t<Size == 2, std::conditional_t<Signed, std::int16_t, std::uint16_t>,
                                          std::conditional_t<Size == 4, std::conditional_t<Signed, std::int32_t, std::uint32_t>,
                                                             std::conditional_t<Signed, std::int64_t, std::uint64_t>>>>;
template <plain_number T>
using as_sorted = std::conditional_t<std::floating_point<T>, T, integer_of<std::is_signed_v<T>, sizeof(T)>>;

/// Whether a number comes before another; NaNs come last.
template <number_order Meant, plain_number T>
bool number_comes_first(const T& a, const T& b) {
  const bool first = Meant == number_order::ascending ? a < b : b < a;
  if constexpr (std::floating_point<T>)
    return bool(int(first) | (int(a == a) & int(b != b)));
  else
    return first;
}

/// An unsigned integer that ascends as numbers come: both zeros alike, and NaNs last.
template <number_order Meant, plain_number T>
auto word_of_number(T e) noexcept {
  using word = integer_of<false, sizeof(T)>;
  constexpr word top = word(word{1} << (8 * sizeof(T) - 1));
  word up{};
  if constexpr (std::floating_point<T>) {
    if (e != e) return word(~word{0});
    const word bits = std::bit_cast<word>(e == 0 ? T(0) : e);
    up = word((bits & top) != 0 ? ~bits : bits | top);
  } else {
    up = word(word(e) ^ (std::is_signed_v<T> ? top : word{0}));
  }
  return word(Meant == number_order::descending ? ~up : up);
}

/// What comes first: `comp` of the projections; NaNs come last. What `comp` throws is noted, and from then on nothing comes
/// first: so a sort ends soon, and has each element once.
template <class T, class Comp, class Proj>
class element_order {
 public:
  static constexpr number_order meant =
      std::same_as<Proj, std::identity> && plain_number<T> ? order_meant_by<T, Comp>() : number_order::other;
  using key = std::invoke_result_t<Proj&, const T&>;
  /// Of keys that are numbers or strings, if the projection does not throw.
  static constexpr number_order meant_of_keys =
      std::is_nothrow_invocable_v<Proj&, const T&>
          ? order_meant_by<std::remove_cvref_t<key>, std::remove_cvref_t<std::unwrap_reference_t<Comp>>>()
          : number_order::other;
  static constexpr bool may_throw =
      checked || !std::is_nothrow_invocable_v<Proj&, const T&> || !std::is_nothrow_invocable_v<Comp&, key, key>;

  element_order(Comp& comp, Proj& proj, failure& why) : comp_(comp), proj_(proj), why_(why) {}

  bool operator()(const T& a, const T& b) const {
    if constexpr (meant != number_order::other) {
      return number_comes_first<meant>(a, b);
    } else if constexpr (!may_throw) {
      return compare(a, b);
    } else {
      if (failed_) [[unlikely]]
        return false;
      try {
        return checked_compare(a, b);
      } catch (const detail::passing&) { throw; } catch (...) {
        failed_ = true;
        why_.note();
        return false;
      }
    }
  }
  /// An unsigned integer that ascends as elements come.
  auto word_of(const T& e) const noexcept
    requires(meant_of_keys != number_order::other && plain_number<std::remove_cvref_t<key>>)
  {
    return word_of_number<meant_of_keys>(std::remove_cvref_t<key>(std::invoke(proj_, e)));
  }
  std::string_view text_of(const T& e) const noexcept
    requires(meant_of_keys != number_order::other && text_in_place<key>)
  {
    return std::invoke(proj_, e);
  }
  /// In a checked program: notes if what has been sorted is not in order.
  template <class E>
  void check_sorted(const E* first, std::size_t n) const {
    if constexpr (checked && meant == number_order::other) {
      for (std::size_t k = 1; k < n && !failed_; ++k) {
        if (!(*this)(first[k], first[k - 1])) continue;
        try {
          throw_not_transitive(shown(first[k - 1]), shown(first[k]));
        } catch (const detail::passing&) { throw; } catch (...) {
          why_.note();
        }
        return;
      }
    }
  }

 private:
  std::string shown(const T& e) const { return text_of_element<std::remove_cvref_t<key>>(std::invoke(proj_, e)); }
  bool checked_compare(const T& a, const T& b) const {
    const bool first = compare(a, b);
    if constexpr (checked)
      if (first && compare(b, a)) throw_both_come_first(shown(a), shown(b));
    return first;
  }
  bool compare(const T& a, const T& b) const {
    if constexpr (orders_floats<std::remove_cvref_t<key>, Comp>) {
      const auto x = std::invoke(proj_, a), y = std::invoke(proj_, b);
      return bool(int(std::invoke(comp_, x, y)) | (int(x == x) & int(y != y)));
    } else {
      return bool(std::invoke(comp_, std::invoke(proj_, a), std::invoke(proj_, b)));
    }
  }
  Comp& comp_;
  Proj& proj_;
  failure& why_;
  mutable bool failed_ = false;
};

/// Whether `n` elements are in order. Budget: vector instructions for numbers, as a loop has them that ends between pieces only.
template <class T, class Order>
bool is_sorted_here(const T* first, std::size_t n, const Order& comes_first) {
  if constexpr (Order::meant != number_order::other) {
    constexpr std::size_t piece = 1024;
    std::size_t i = 1;
    for (unsigned any = 0; i + piece <= n; i += piece) {
      for (std::size_t k = i; k < i + piece; ++k) any |= unsigned(comes_first(first[k], first[k - 1]));
      if (any != 0) return false;
    }
    for (; i < n; ++i)
      if (comes_first(first[i], first[i - 1])) return false;
    return true;
  } else {
    return std::is_sorted(first, first + n, [&comes_first](const T& a, const T& b) { return comes_first(a, b); });
  }
}

/// Sorts `n` elements. Order among those of which none comes first is kept if `stable`. Whatever the order answers, each
/// element is there once.
template <class T, class Order>
void sort_here(T* first, std::size_t n, const Order& comes_first, bool stable) {
  if constexpr (Order::meant != number_order::other) {
    constexpr bool ascending = Order::meant == number_order::ascending;
    if constexpr (std::floating_point<T>)
      if (stable) return stable_sort_numbers(first, n, ascending);
    sort_numbers(reinterpret_cast<as_sorted<T>*>(first), n, ascending);
  } else {
    const auto ordered = [&comes_first](const T& a, const T& b) { return comes_first(a, b); };
    const in_functions here;
    if constexpr (copied_cheaply<T> && requires { comes_first.word_of(*first); })
      if (n >= few_for_digits && sort_by_digits(first, n, [&comes_first](const T& e) { return comes_first.word_of(e); })) return;
    if constexpr (std::is_nothrow_move_constructible_v<T> && std::is_nothrow_move_assignable_v<T> &&
                  requires { comes_first.text_of(*first); })
      if (n >= few_for_digits && sort_by_text(first, n, Order::meant_of_keys == number_order::ascending,
                                              [&comes_first](const T& e) { return comes_first.text_of(e); }))
        return;
    if (stable)
      guarded_stable_sort(first, n, ordered);
    else
      guarded_sort(first, n, ordered);
    comes_first.check_sorted(first, n);
  }
}

}  // namespace armilla::detail
