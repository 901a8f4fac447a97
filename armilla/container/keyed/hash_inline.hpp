// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "armilla/wire/kinds.hpp"

namespace armilla {

struct hash;

}  // namespace armilla

namespace armilla::detail {

/// Both halves of a product folded: each bit of the result depends on all of `a`.
inline std::uint64_t fold_product(std::uint64_t a, std::uint64_t b) noexcept {
  const wide_unsigned product = wide_unsigned(a) * b;
  return std::uint64_t(product) ^ std::uint64_t(product >> 64);
}
inline std::uint64_t hash_word(std::uint64_t word) noexcept {
  return fold_product(word ^ 0x9e3779b97f4a7c15u, 0xd6e8feb86659fd93u);
}
inline std::uint64_t hash_words(std::uint64_t a, std::uint64_t b) noexcept {
  return fold_product(a ^ 0xa0761d6478bd642fu, b ^ 0xe7037ed1a0b428dbu);
}

template <class T>
T load_unaligned(const char* at) noexcept {
  T word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

/// Two words a step; the end overlaps what stands before it.
inline std::uint64_t hash_bytes(const char* at, std::size_t n) noexcept {
  std::uint64_t seed = n * 0x9e3779b97f4a7c15u;
  if (n < 4) {
    if (n == 0) return hash_word(seed);
    return hash_words(seed, std::uint64_t(std::uint8_t(at[0])) << 16 | std::uint64_t(std::uint8_t(at[n >> 1])) << 8 |
                                std::uint64_t(std::uint8_t(at[n - 1])));
  }
  if (n < 8)
    return hash_words(seed, std::uint64_t(load_unaligned<std::uint32_t>(at)) << 32 | load_unaligned<std::uint32_t>(at + n - 4));
  const char* const end = at + n;
  for (; end - at > 16; at += 16)
    seed = hash_words(load_unaligned<std::uint64_t>(at) ^ seed, load_unaligned<std::uint64_t>(at + 8));
  const std::uint64_t first = n >= 16 ? load_unaligned<std::uint64_t>(end - 16) : load_unaligned<std::uint64_t>(at);
  return hash_words(first ^ seed, load_unaligned<std::uint64_t>(end - 8));
}

template <class T>
concept text_like = std::convertible_to<const T&, std::string_view> && !std::is_null_pointer_v<T>;

/// Strings of the standard library and string literals. Their equality is that of their characters.
template <class T>
inline constexpr bool is_text = std::is_array_v<T> || std::is_pointer_v<T> || std::is_same_v<T, std::string_view>;
template <class Allocator>
inline constexpr bool is_text<std::basic_string<char, std::char_traits<char>, Allocator>> = true;

template <class T>
inline constexpr bool is_tuple_like = false;
template <class A, class B>
inline constexpr bool is_tuple_like<std::pair<A, B>> = true;
template <class... A>
inline constexpr bool is_tuple_like<std::tuple<A...>> = true;

template <class T>
inline constexpr bool has_std_hash = std::is_default_constructible_v<std::hash<T>>;

/// Whether `Equal` holds for a value and itself, and for no two values that differ in one byte.
template <class Equal, class T>
constexpr bool equal_means_same_bytes() {
  std::array<unsigned char, sizeof(T)> bytes{};
  const T zero = std::bit_cast<T>(bytes);
  bool same = Equal{}(zero, std::bit_cast<T>(bytes));
  for (std::size_t i = 0; i < sizeof(T); i += 1 + sizeof(T) / 256) {
    bytes[i] = 1;
    same = same && !Equal{}(zero, std::bit_cast<T>(bytes));
    bytes[i] = 0;
  }
  return same;
}

template <class T, class Equal>
concept seen_to_compare_bytes = std::is_invocable_r_v<bool, Equal, const T&, const T&> &&
                                requires { requires std::bool_constant<equal_means_same_bytes<Equal, T>()>::value; };
#ifdef __clang__
#if __has_builtin(__is_trivially_equality_comparable)  // also of bit-fields, with which clang++ computes nothing
template <class T, class Equal>
concept known_to_compare_bytes = std::is_same_v<Equal, std::equal_to<>> && __is_trivially_equality_comparable(T);
#else
template <class T, class Equal>
concept known_to_compare_bytes = false;
#endif
#else
template <class T, class Equal>
concept known_to_compare_bytes = false;
#endif

/// Numbers that an operator== which leaves something out may hold equal: near ones, signs and letters; those with a remainder of
/// 0 by usual divisors; those far apart. Apart from each other, as one group may overflow in what another shows.
inline constexpr std::size_t sample_groups = 3;
template <class T, class F>
constexpr void each_sample(std::size_t group, F f) {
  using most = std::numeric_limits<T>;
  constexpr bool is_real = std::is_floating_point_v<T>;
  const auto all = [&](auto... value) { (f(T(value)), ...); };
  const auto fitting = [&](auto... value) {
    ((is_real || std::int64_t(T(value)) == std::int64_t(value) ? f(T(value)) : void()), ...);
  };
  if (group == 0) {
    fitting(1, 2, 3, -1, -2, 32, 65, 97, 90, 122);
    if constexpr (is_real)
      all(0.25, 0.75, 1e-3, 1e-6, 1e-9, T(1) + most::epsilon());
    else
      fitting(1'000'000'001, 1'000'000'002);
  } else if (group == 1) {
    fitting(60, 100, 120, 10'000, 25'200, 27'720, 133'590, 6'678'671, 86'486'400, 1'000'000'000);
  } else if constexpr (is_real) {
    all(most::max(), most::lowest(), most::denorm_min(), 1e30);
  } else if constexpr (sizeof(T) <= sizeof(std::uint64_t)) {
    all(most::max(), most::max() - 1, most::min());
    for (std::size_t bit = 2; bit < std::size_t(most::digits); ++bit) f(T(T(1) << bit));
  }
}

template <class T>
inline constexpr bool changes_by_member = false;
template <reflectable T>
  requires(!is_std_array<T> && standard_type_of<T> == standard_type::no)
inline constexpr bool changes_by_member<T> = members_are_addressable<T> && std::is_default_constructible_v<T>;

/// Whether each_change reaches all of a T.
template <class T>
inline constexpr bool made_of_numbers = std::is_arithmetic_v<T> || std::is_enum_v<T>;
template <class... T>
inline constexpr bool made_of_numbers<type_list<T...>> =
    (made_of_numbers<std::remove_all_extents_t<std::remove_const_t<T>>> && ...);
template <class T>
  requires changes_by_member<T>
inline constexpr bool made_of_numbers<T> = made_of_numbers<member_types<T>>;
template <class T, std::size_t N>
inline constexpr bool made_of_numbers<std::array<T, N>> = made_of_numbers<T>;

/// Calls done() for values of `place` that differ from what it has in one part, and leaves it as it was.
template <class T, class F>
constexpr void each_change(T& place, std::size_t group, F& done) {
  if constexpr (std::is_const_v<std::remove_all_extents_t<T>>) {
    return;
  } else if constexpr (std::is_same_v<T, bool> || std::is_enum_v<T>) {
    if (group != 0) return;
    const T was = place;
    place = was == T{} ? T(1) : T{};
    done();
    place = was;
  } else if constexpr (std::is_arithmetic_v<T>) {
    const T was = place;
    each_sample<T>(group, [&](T value) {
      if (value == was) return;
      place = value;
      done();
      place = was;
    });
  } else if constexpr (standard_type_of<T> == standard_type::container && requires { place.resize(1), place[0]; }) {
    T was = place;
    using element = typename T::value_type;
    if (!was.empty()) return;
    place.resize(1);
    if (group == 0) done();
    if constexpr (!std::is_same_v<element, bool>) each_change(place[0], group, done);
    place.resize(2);
    if (group == 0) done();
    if constexpr (std::is_arithmetic_v<element> && !std::is_same_v<element, bool>)
      if (group == 0) {
        place[0] = element(97), place[1] = element(32);
        done();
        place[0] = element(32), place[1] = element(97);
        done();
      }
    place = was;
  } else if constexpr (is_tuple_like<T>) {
    std::apply([&](auto&... part) { (each_change(part, group, done), ...); }, place);
  } else if constexpr (std::is_array_v<T> || is_std_array<T>) {
    for (auto& each : place) each_change(each, group, done);
  } else if constexpr (changes_by_member<T>) {
    visit_members(place, [&](auto&... member) { (each_change(member, group, done), ...); });
  }
}

/// Whether `Equal` holds for two of the samples of a class, made of stores by `made`; `is_one`: whether a store makes one.
template <class Equal, class Store, class Make, class Check>
constexpr bool some_are_equal(std::size_t group, Make made, Check is_one) {
  bool found = false;
  std::size_t i = 0;
  Store plain{}, a{}, b{};  // none const: g++ 12 computes no const std::string
  auto outer = [&] {
    ++i;
    if (found || !is_one(a)) return;
    found = Equal{}(made(plain), made(a));
    if (group == 0 && sizeof(Store) <= 64) {  // each with each other, where that is little work for the compiler
      std::size_t j = 0;
      auto inner = [&] { found = found || (j++ >= i && is_one(b) && Equal{}(made(a), made(b))); };
      each_change(b, group, inner);
    }
  };
  each_change(a, group, outer);
  return found;
}
template <class Equal, class Word, class T>
constexpr bool some_words_are_equal(std::size_t group) {
  using words = std::array<Word, sizeof(T) / sizeof(Word)>;
  return some_are_equal<Equal, words>(
      group, [](const words& store) { return std::bit_cast<T>(store); },
      [](const words& store) { return std::bit_cast<words>(std::bit_cast<T>(store)) == store; });  // not so: a bool of 2
}
/// Of members, and of the words in which a class of unknown parts lies.
template <class Equal, class T>
constexpr bool some_members_are_equal(std::size_t group) {
  return some_are_equal<Equal, T>(group, [](const T& value) -> const T& { return value; }, [](const T&) { return true; });
}
template <class Equal, class T>
constexpr bool some_words_are_equal(std::size_t group) {
  if constexpr (sizeof(T) % 8 == 0)
    return some_words_are_equal<Equal, std::int64_t, T>(group) || some_words_are_equal<Equal, std::int32_t, T>(group);
  else if constexpr (sizeof(T) % 4 == 0)
    return some_words_are_equal<Equal, std::int32_t, T>(group) || some_words_are_equal<Equal, std::int8_t, T>(group);
  else if constexpr (sizeof(T) % 2 == 0)
    return some_words_are_equal<Equal, std::int16_t, T>(group) || some_words_are_equal<Equal, std::int8_t, T>(group);
  else
    return some_words_are_equal<Equal, std::int8_t, T>(group);
}
/// The compiler has computed that `Equal` holds for values that differ. What it cannot compute says nothing.
template <class T, class Equal, std::size_t Group>
concept holds_members_equal =
    changes_by_member<T> && requires { requires std::bool_constant<some_members_are_equal<Equal, T>(Group)>::value; };
template <class T, class Equal, std::size_t Group>
concept holds_words_equal = !made_of_numbers<T> && std::has_unique_object_representations_v<T> && sizeof(T) <= 256 &&
                            requires { requires std::bool_constant<some_words_are_equal<Equal, T>(Group)>::value; };
template <class T, class Equal>
concept tells_samples_apart =
    !holds_members_equal<T, Equal, 0> && !holds_members_equal<T, Equal, 1> && !holds_members_equal<T, Equal, 2> &&
    !holds_words_equal<T, Equal, 0> && !holds_words_equal<T, Equal, 1> && !holds_words_equal<T, Equal, 2>;

/// Whether the compiler can see that keys of class T are equal if and only if their bytes are: T has no padding, and `Equal` can
/// be computed by the compiler, as a defaulted operator== can.
template <class T, class Equal>
concept compares_bytes = std::has_unique_object_representations_v<T> &&
                         (known_to_compare_bytes<T, Equal> || (seen_to_compare_bytes<T, Equal> && tells_samples_apart<T, Equal>));

/// Gives `value` another value, if the compiler can compute that.
template <class T>
constexpr bool change(T& value) {
  if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T> || is_wide_integer<T>) {
    value = value == T{} ? T(1) : T{};
    return true;
  } else if constexpr (standard_type_of<T> == standard_type::container && requires { value.resize(1); }) {
    value.empty() ? value.resize(1) : value.clear();
    return true;
  } else if constexpr (is_tuple_like<T>) {
    return change(std::get<0>(value));
  } else if constexpr (std::is_array_v<T> || is_std_array<T>) {
    return change(value[0]);
  } else if constexpr (reflectable<T>) {
    return visit_members(value, [](auto& first, auto&...) { return change(first); });
  } else {
    return false;
  }
}

/// Whether `Equal` holds for a T and itself, and for no two that differ in one member.
template <class Equal, class T>
constexpr bool equal_means_same_members() {
  T plain{};
  bool same = Equal{}(plain, T{});
  for (std::size_t i = 0; i < member_count<T>; ++i) {
    T other{};
    std::size_t at = 0;
    visit_members(other, [&](auto&... member) { ((same = same && (at++ != i || change(member))), ...); });
    same = same && !Equal{}(plain, other);
  }
  return same;
}

/// As `compares_bytes`, of the members of an aggregate.
template <class T, class Equal>
concept compares_members =
    reflectable<T> && std::is_default_constructible_v<T> && member_count<T> != 0 && standard_type_of<T> == standard_type::no &&
    std::is_invocable_r_v<bool, Equal, const T&, const T&> &&
    requires { requires std::bool_constant<equal_means_same_members<Equal, T>()>::value; } && tells_samples_apart<T, Equal>;

/// How `hash` computes the hash of a type.
enum class hash_way { none, text, integer, wide_integer, floating, user, members, bytes, elements, any_order, aggregate };

template <class T>
inline constexpr bool is_standard_container = false;
template <class T>
  requires std::is_class_v<T>
inline constexpr bool is_standard_container<T> = standard_type_of<T> == standard_type::container;

template <class T, class Equal>
consteval hash_way choose_hash() {
  if constexpr (is_text<T>)
    return text_like<T> ? hash_way::text : hash_way::none;
  else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>)
    return sizeof(T) > 8 ? hash_way::wide_integer : hash_way::integer;
  else if constexpr (is_wide_integer<T>)
    return hash_way::wide_integer;
  else if constexpr (std::is_floating_point_v<T> && sizeof(T) <= 8)
    return hash_way::floating;
  else if constexpr (has_std_hash<T>)
    return hash_way::user;
  else if constexpr (is_tuple_like<T>)
    return hash_way::members;
  else if constexpr (is_std_array<T> && !std::has_unique_object_representations_v<T>)
    return hash_way::elements;
  else if constexpr (compares_bytes<T, Equal>)
    return hash_way::bytes;
  else if constexpr (is_standard_container<T>)
    return requires { typename T::hasher; } ? hash_way::any_order : hash_way::elements;
  else if constexpr (compares_members<T, Equal>)
    return hash_way::aggregate;
  else
    return text_like<T> ? hash_way::text : hash_way::none;
}

template <class T, class Equal = std::equal_to<>>
inline constexpr hash_way hash_way_of = choose_hash<T, Equal>();

template <class T>
consteval bool agrees();
template <class... T>
consteval bool all_agree(type_list<T...>) {
  return (agrees<std::remove_all_extents_t<std::remove_const_t<T>>>() && ...);
}
template <template <class...> class Tuple, class... T>
consteval bool members_agree(const Tuple<T...>*) {
  return all_agree(type_list<T...>{});
}

template <class T>
consteval bool agrees() {
  constexpr hash_way way = hash_way_of<T>;
  if constexpr (way == hash_way::members)
    return members_agree(static_cast<const T*>(nullptr));
  else if constexpr (way == hash_way::elements || way == hash_way::any_order)
    return agrees<std::remove_cv_t<typename T::value_type>>();
  else if constexpr (way == hash_way::aggregate)
    return all_agree(member_types<T>{});
  else
    return way != hash_way::none && (way != hash_way::text || is_text<T>);
}

/// Whether keys that are equal have one hash. False for classes with an operator== that the compiler cannot compute, and no
/// std::hash: such an operator may leave out a member.
template <class T>
inline constexpr bool hash_agrees = agrees<T>();

template <class T, class Equal>
std::uint64_t hash_value(const T& value);

template <class T>
std::uint64_t hash_members(const T& value) {
  std::uint64_t h = std::tuple_size_v<T>;
  std::apply(
      [&](const auto&... member) {
        ((h = hash_words(h, hash_value<std::decay_t<decltype(member)>, std::equal_to<>>(member))), ...);
      },
      value);
  return h;
}

template <class T>
std::uint64_t hash_of_part(const T& value);

template <class T>
std::uint64_t hash_elements(const T& value) {
  std::uint64_t h = 0;
  for (const auto& each : value) h = hash_words(h + 1, hash_of_part<std::remove_cvref_t<decltype(each)>>(each));
  return h;
}
/// Equal ones may have their elements in different orders.
template <class T>
std::uint64_t hash_in_any_order(const T& value) {
  std::uint64_t sum = value.size();
  for (const auto& each : value) sum += hash_word(hash_of_part(each));
  return hash_word(sum);
}
template <class T>
std::uint64_t hash_aggregate(const T& value) {
  std::uint64_t h = member_count<T>;
  visit_members(value, [&](const auto&... member) { ((h = hash_words(h, hash_of_part(member))), ...); });
  return h;
}
template <class T>
std::uint64_t hash_of_part(const T& value) {
  if constexpr (std::is_array_v<T>)
    return hash_elements(value);
  else
    return hash_value<T, std::equal_to<>>(value);
}

inline std::uint64_t hash_wide(wide_unsigned value) noexcept {
  const auto low = std::uint64_t(value), high = std::uint64_t(value >> 64);
  return high == 0 || high == ~std::uint64_t(0) ? hash_word(low) : hash_words(low, high);  // small ones as shorter integers
}

template <class T, class Equal>
std::uint64_t hash_value(const T& value) {
  constexpr hash_way way = hash_way_of<T, Equal>;
  static_assert(way != hash_way::none,
                "armilla: no hash is known that agrees with the equality of this key: default its operator==, specialize "
                "std::hash for it, or give the container a hash");
  if constexpr (way == hash_way::text) {
    const std::string_view text = value;
    return hash_bytes(text.data(), text.size());
  } else if constexpr (way == hash_way::integer) {
    return hash_word(std::uint64_t(value));
  } else if constexpr (way == hash_way::wide_integer) {
    return hash_wide(wide_unsigned(value));
  } else if constexpr (way == hash_way::floating) {
    const double wide = value == 0 ? 0.0 : double(value);  // 0.0 and -0.0 are equal
    return hash_word(std::bit_cast<std::uint64_t>(wide));
  } else if constexpr (way == hash_way::user) {
    return hash_word(std::hash<T>{}(value));
  } else if constexpr (way == hash_way::members) {
    return hash_members(value);
  } else if constexpr (way == hash_way::bytes) {
    return hash_bytes(reinterpret_cast<const char*>(&value), sizeof value);
  } else if constexpr (way == hash_way::elements) {
    return hash_elements(value);
  } else if constexpr (way == hash_way::any_order) {
    return hash_in_any_order(value);
  } else if constexpr (way == hash_way::aggregate) {
    return hash_aggregate(value);
  } else {
    return 0;
  }
}

// What containers make of the hash and the equality that they are given.

template <class Equal, class Key>
inline constexpr bool is_plain_equal = std::is_same_v<Equal, std::equal_to<>> || std::is_same_v<Equal, std::equal_to<Key>>;

/// Whether equal keys of a container have one hash, as far as that can be seen. Who gives a hash promises it.
template <class Key, class Hash, class Equal>
consteval bool container_hash_agrees() {
  if constexpr (!std::is_same_v<Hash, hash>)
    return true;
  else if constexpr (is_plain_equal<Equal, Key>)
    return hash_agrees<Key>;
  else
    return hash_way_of<Key, Equal> == hash_way::bytes || hash_way_of<Key, Equal> == hash_way::user;
}

template <class T>
concept number_like = std::is_arithmetic_v<T> || std::is_enum_v<T> || is_wide_integer<T>;

/// Whether each number of class From is the same number as a To.
template <class To, class From>
inline constexpr bool keeps_number = std::is_same_v<To, From>;
template <std::integral To, std::integral From>
  requires(!std::is_same_v<To, From>)
inline constexpr bool keeps_number<To, From> =
    !std::is_same_v<To, bool> &&
    (sizeof(From) < sizeof(To) ? std::is_unsigned_v<From> || std::is_signed_v<To>
                               : sizeof(From) == sizeof(To) && std::is_signed_v<From> == std::is_signed_v<To>);
template <std::floating_point To, std::floating_point From>
  requires(!std::is_same_v<To, From>)
inline constexpr bool keeps_number<To, From> = sizeof(From) <= sizeof(To);

/// Whether a Key that is made of a K may be another value than it: a number of fewer bits, of another sign or kind.
template <class Key, class K>
inline constexpr bool changes_value = number_like<Key> && !keeps_number<Key, K>;
template <class A, class B, class C, class D>
inline constexpr bool changes_value<std::pair<A, B>, std::pair<C, D>> = changes_value<A, C> || changes_value<B, D>;
template <class... A, class... B>
  requires(sizeof...(A) == sizeof...(B))
inline constexpr bool changes_value<std::tuple<A...>, std::tuple<B...>> = (changes_value<A, B> || ...);

/// Whether `hash` gives a K and the Key that is made of it one hash.
template <class Key, class K>
inline constexpr bool hashes_alike = std::is_same_v<Key, K> || (number_like<Key> && keeps_number<Key, K>) ||
                                     (hash_way_of<Key> == hash_way::text && hash_way_of<K> == hash_way::text);
template <class A, class B, class C, class D>
  requires(!std::is_same_v<std::pair<A, B>, std::pair<C, D>>)
inline constexpr bool hashes_alike<std::pair<A, B>, std::pair<C, D>> = hashes_alike<A, C> && hashes_alike<B, D>;
template <class... A, class... B>
  requires(sizeof...(A) == sizeof...(B) && !std::is_same_v<std::tuple<A...>, std::tuple<B...>>)
inline constexpr bool hashes_alike<std::tuple<A...>, std::tuple<B...>> = (hashes_alike<A, B> && ...);

/// Whether a K stands for the Key that is made of it, in hashes and comparisons, or that must be made first.
template <class Key, class Hash, class K>
inline constexpr bool stands_for_key = !changes_value<Key, K>;

/// The hash of keys in a container of `Key`. One that a user gives is mixed: its high bits choose the rank, and may all be zero.
template <class Key, class Hash, class Equal>
struct key_hash {
  template <class K>
  std::uint64_t operator()(const K& key) const {
    if constexpr (changes_value<Key, K>)
      return operator()(Key(key));
    else if constexpr (!std::is_same_v<Hash, hash>)
      return hash_word(std::uint64_t(Hash{}(key)));
    else if constexpr (std::is_same_v<K, Key>)
      return hash_value<Key, Equal>(key);
    else if constexpr (hashes_alike<Key, K>)
      return hash_value<K, std::equal_to<>>(key);
    else
      return hash_value<Key, Equal>(Key(key));
  }
};
template <class Key, class Equal, class K>
inline constexpr bool stands_for_key<Key, key_hash<Key, hash, Equal>, K> = hashes_alike<Key, K>;

/// One-way calls that containers by hash make about their arguments.
template <class Key, class Hash, class Equal>
constexpr bool require_hash() {
  static_assert(std::is_invocable_r_v<bool, const Equal&, const Key&, const Key&>,
                "armilla: keys are compared: give them an operator==, or the container an Equal");
  if constexpr (std::is_invocable_r_v<bool, const Equal&, const Key&, const Key&>) {
    static_assert(std::is_empty_v<Hash> && std::is_default_constructible_v<Hash> && std::is_empty_v<Equal> &&
                      std::is_default_constructible_v<Equal>,
                  "armilla: the container makes its hash and its equality where it needs them: give it function objects without "
                  "state, not function pointers");
    static_assert(container_hash_agrees<Key, Hash, Equal>(),
                  "armilla: no hash is known that agrees with the equality of this key: default its operator==, specialize "
                  "std::hash for it, or give the container a hash");
  }
  return true;
}

}  // namespace armilla::detail
