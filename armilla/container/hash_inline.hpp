// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace armilla::detail {

/// Both halves of a product folded: each bit of the result depends on all of `a`.
inline std::uint64_t fold_product(std::uint64_t a, std::uint64_t b) noexcept {
  __extension__ using wide = unsigned __int128;
  const wide product = wide(a) * b;
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

template <class T>
inline constexpr bool is_tuple_like = false;
template <class A, class B>
inline constexpr bool is_tuple_like<std::pair<A, B>> = true;
template <class... A>
inline constexpr bool is_tuple_like<std::tuple<A...>> = true;

template <class T>
std::uint64_t hash_value(const T& value);

template <class T>
std::uint64_t hash_members(const T& value) {
  std::uint64_t h = std::tuple_size_v<T>;
  std::apply([&](const auto&... member) { ((h = hash_words(h, hash_value(member))), ...); }, value);
  return h;
}

template <class T>
std::uint64_t hash_value(const T& value) {
  if constexpr (text_like<T>) {
    const std::string_view text = value;
    return hash_bytes(text.data(), text.size());
  } else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
    return hash_word(std::uint64_t(value));
  } else if constexpr (std::is_floating_point_v<T> && sizeof(T) <= 8) {
    const double wide = value == 0 ? 0.0 : double(value);  // 0.0 and -0.0 are equal
    return hash_word(std::bit_cast<std::uint64_t>(wide));
  } else if constexpr (is_tuple_like<T>) {
    return hash_members(value);
  } else if constexpr (std::has_unique_object_representations_v<T>) {
    return hash_bytes(reinterpret_cast<const char*>(&value), sizeof value);
  } else {
    return hash_word(std::hash<T>{}(value));
  }
}

}  // namespace armilla::detail
