// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>

#include "armilla/base/values/owned.hpp"
#include "armilla/team/core/record.hpp"
#include "armilla/wire/decode.hpp"
#include "armilla/wire/encode.hpp"

/// Values on their way through a team's memory: in one line, or as bytes of a transfer.
namespace armilla::detail {

/// T always fits into a flag line.
template <class T>
concept one_line = fixed_size<T> && packed_size<T> <= flag_line::payload_bytes;

template <one_line T>
std::uint64_t post_value(team_record& t, const T& value, const char* what) {
  if constexpr (trivially_sendable<T>) {
    return post(t, &value, bytes_size<T>, what);
  } else {
    alignas(arguments_align) std::byte bytes[packed_size<T>];
    try {
      encode(bytes, value);
    } catch (const passing&) { throw; } catch (...) {
      leave_collective(t);
      throw;
    }
    return post(t, bytes, sizeof bytes, what);
  }
}

template <one_line T>
T value_in(const std::byte* payload, rank_t from) {
  if constexpr (trivially_sendable<T>)
    return from_bytes<T>(payload);
  else
    return decoder(payload, packed_size<T>, from).template get<T>();
}

/// What member `i` shows at `step`.
template <one_line T>
T value_of(team_record& t, std::uint32_t i, std::uint64_t step, const char* what) {
  return value_in<T>(await_post(t, i, step, what), t.members[i]);
}

/// A vector or string whose elements can be moved as they lie.
template <class T>
concept plain_sequence = kind_of<T> == kind::contiguous && trivially_sendable<typename T::value_type> &&
                         bytes_size<typename T::value_type> != 0 && requires(T& v) { v.resize(1); };

/// The bytes of a value, which must live as long; `readers` members will read them.
template <class T>
class packet {
 public:
  packet(const T& value, std::uint32_t readers) {
    if constexpr (trivially_sendable<T>) {
      data_ = reinterpret_cast<const std::byte*>(std::addressof(value)), bytes_ = bytes_size<T>;
    } else if constexpr (plain_sequence<T>) {
      data_ = reinterpret_cast<const std::byte*>(value.data()), bytes_ = value.size() * sizeof(typename T::value_type);
    } else {
      bytes_ = encoded_size(value);
      encoded_.reset(new std::byte[bytes_]);
      encoder out(encoded_.get());
      out.set_readers(readers);
      out.put(value);
      data_ = encoded_.get();
    }
  }
  const std::byte* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return bytes_; }

 private:
  const std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
  owned<std::byte[]> encoded_;
};

[[noreturn, gnu::cold]] void throw_other_length(const char* what, rank_t from, std::uint64_t bytes, std::uint64_t expected);

/// Where the bytes of a T arrive.
template <class T>
class landing {
 public:
  /// The callback that gives the place of `bytes` bytes; `self` is this landing.
  static std::byte* place(void* self, std::uint32_t, std::uint64_t bytes) {
    return static_cast<landing*>(self)->make_place(bytes);
  }
  /// The value, if it is from rank `from`. Once.
  T take(rank_t from, const char* what) {
    if constexpr (trivially_sendable<T>) {
      if (bytes_ != bytes_size<T>) throw_other_length(what, from, bytes_, bytes_size<T>);
      return from_bytes<T>(value_.bytes);
    } else if constexpr (plain_sequence<T>) {
      if (bytes_ % element_bytes() != 0) throw_other_length(what, from, bytes_, element_bytes());
      return static_cast<T&&>(value_);
    } else {
      return decoder(value_.get(), bytes_, from).template get<T>();
    }
  }

 private:
  static constexpr std::size_t element_bytes() {
    if constexpr (plain_sequence<T>)
      return sizeof(typename T::value_type);
    else
      return 1;
  }
  std::byte* make_place(std::uint64_t bytes) {
    bytes_ = bytes;
    if constexpr (trivially_sendable<T>) {
      return bytes == bytes_size<T> ? value_.bytes : nullptr;
    } else if constexpr (plain_sequence<T>) {
      if (bytes % element_bytes() != 0) return nullptr;
      value_.resize(bytes / element_bytes());
      return reinterpret_cast<std::byte*>(value_.data());
    } else {
      value_.reset(new std::byte[bytes]);
      return value_.get();
    }
  }

  struct raw {
    alignas(T) std::byte bytes[sizeof(T)];
  };
  static auto storage() {
    if constexpr (trivially_sendable<T>)
      return raw{};
    else if constexpr (plain_sequence<T>)
      return T{};
    else
      return owned<std::byte[]>{};
  }
  decltype(storage()) value_{};
  std::uint64_t bytes_ = 0;
};

}  // namespace armilla::detail
