// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "armilla/view.hpp"
#include "armilla/wire/decode.hpp"
#include "armilla/wire/encode.hpp"

/// How keys and values of many one-way calls travel: one behind the other in a column, without a word about each.
namespace armilla::detail {

/// Bytes that grow at the end, in whole words.
class column_bytes {
 public:
  /// The place of `n` more bytes.
  std::byte* extend(std::size_t n) {
    if (size_ + n > capacity_) [[unlikely]]
      grow(size_ + n);
    std::byte* const at = bytes() + size_;
    size_ += n;
    return at;
  }
  void align(std::size_t unit) {
    const std::size_t to = align_up(size_, unit);
    if (to != size_) std::memset(extend(to - size_), 0, to - size_);
  }
  std::size_t size() const noexcept { return size_; }
  void clear() noexcept { size_ = 0; }
  /// Takes off what has been put behind the first `size` bytes.
  void shrink(std::size_t size) noexcept { size_ = size; }
  /// Whether it consists of pieces of `unit` bytes that are all alike.
  bool repeats(std::size_t unit) const noexcept {
    return size_ > unit && std::memcmp(words_.get(), reinterpret_cast<const std::byte*>(words_.get()) + unit, size_ - unit) == 0;
  }
  /// All of it, filled up to a whole word.
  view<std::uint64_t> words() {
    align(sizeof(std::uint64_t));
    return {words_.get(), size_ / sizeof(std::uint64_t)};
  }

 private:
  std::byte* bytes() noexcept { return reinterpret_cast<std::byte*>(words_.get()); }
  [[gnu::noinline]] void grow(std::size_t need) {
    const std::size_t larger = align_up(need < 2 * capacity_ ? 2 * capacity_ : need < 512 ? 512 : need, sizeof(std::uint64_t));
    auto words = std::make_unique_for_overwrite<std::uint64_t[]>(larger / sizeof(std::uint64_t));
    if (size_ != 0) std::memcpy(words.get(), words_.get(), size_);
    words_ = std::move(words);
    capacity_ = larger;
  }

  std::unique_ptr<std::uint64_t[]> words_;
  std::size_t size_ = 0, capacity_ = 0;
};

[[noreturn, gnu::cold]] void throw_short_column(std::size_t wanted, std::size_t left);

/// The rest of a column that came.
class column_rest {
 public:
  column_rest(const std::byte* at, std::size_t size) noexcept : at_(at), left_(size) {}

  const std::byte* take(std::size_t n) {
    if (n > left_) [[unlikely]]
      throw_short_column(n, left_);
    left_ -= n;
    return std::exchange(at_, at_ + n);
  }
  std::size_t left() const noexcept { return left_; }
  const std::byte* at() const noexcept { return at_; }

 private:
  const std::byte* at_;
  std::size_t left_;
};

/// A column of values of type T: any that can be sent. `read_as`: what the receiver makes of them.
template <class T>
struct column {
  using read_as = T;
  static void put(column_bytes& to, const T& value) {
    if constexpr (travels_as_bytes<T>) {
      if constexpr (bytes_size<T> != 0) std::memcpy(to.extend(sizeof value), &value, sizeof value);
    } else {
      to.align(arguments_align);
      const std::size_t n = encoded_size(value);
      encode(to.extend(n), value);
    }
  }
  static T take(column_rest& from) {
    if constexpr (travels_as_bytes<T>) {
      return from_bytes<T>(from.take(bytes_size<T>));
    } else {
      decoder in(from.at(), from.left());  // each begins at a word, since all have whole words
      T value = in.template get<T>();
      from.take(align_up(std::size_t(in.position() - from.at()), arguments_align));
      return value;
    }
  }
};

/// Texts: their length, and their characters. The receiver reads them where they came.
template <>
struct column<std::string> {
  using read_as = std::string_view;
  static void put(column_bytes& to, std::string_view text) {
    const auto n = std::uint64_t(text.size());
    std::byte* const at = to.extend(sizeof n + text.size());
    std::memcpy(at, &n, sizeof n);
    if (n != 0) std::memcpy(at + sizeof n, text.data(), text.size());
  }
  static std::string_view take(column_rest& from) {
    std::uint64_t n;
    std::memcpy(&n, from.take(sizeof n), sizeof n);
    return {reinterpret_cast<const char*>(from.take(std::size_t(n))), std::size_t(n)};
  }
};

/// No values: of sets, and of verbs that have keys only.
template <>
struct column<void> {};

/// Values that are all alike, such as the ones that a program counts by, travel as one of them. How many there are is known, and
/// so the length of the column tells.
template <class T>
struct equal_values {
  static constexpr std::size_t unit() noexcept {
    if constexpr (travels_as_bytes<T>)
      return bytes_size<T>;
    else
      return 0;
  }
  static constexpr bool pays(std::uint32_t n) noexcept {
    return unit() != 0 && n * unit() > align_up(unit(), sizeof(std::uint64_t));
  }
  static void shorten(column_bytes& values, std::uint32_t n) noexcept {
    if (pays(n) && values.repeats(unit())) values.shrink(unit());
  }
  static bool are_short(const column_rest& values, std::uint32_t n) noexcept {
    return pays(n) && values.left() == align_up(unit(), sizeof(std::uint64_t));
  }
};
template <>
struct equal_values<void> {
  static void shorten(column_bytes&, std::uint32_t) noexcept {}
};

/// A column of a batch of one-way calls. Where a user's code reads the values, which may throw, a word in front of each has its
/// length: so one that cannot be read does not affect those that follow.
template <class T>
struct batch_column : column<T> {
  static constexpr bool has_lengths = false;
};
template <class T>
  requires(!travels_as_bytes<T> && verdict_of<T>.runs_code)
struct batch_column<T> {
  static constexpr bool has_lengths = true;
  using read_as = T;
  static void put(column_bytes& to, const T& value) {
    const auto n = std::uint64_t(encoded_size(value));
    std::byte* const at = to.extend(sizeof n + n);
    std::memcpy(at, &n, sizeof n);
    encode(at + sizeof n, value);
  }
  /// The bytes of the next one.
  static column_rest next(column_rest& from) {
    std::uint64_t n;
    std::memcpy(&n, from.take(sizeof n), sizeof n);
    return {from.take(std::size_t(n)), std::size_t(n)};
  }
  static T read(const column_rest& one) { return decoder(one.at(), one.left()).template get<T>(); }
  static T take(column_rest& from) { return read(next(from)); }
};
template <>
struct batch_column<void> {
  static constexpr bool has_lengths = false;
};

}  // namespace armilla::detail
