// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <cstring>
#include <vector>

#include "armilla/wire/decode.hpp"
#include "armilla/wire/encode.hpp"

// What the tests of this layer share.
namespace armilla::detail {

/// The bytes of a message in a block of exactly their size, so that a sanitizer sees one byte too far.
class message {
 public:
  template <class... A>
  static message of(const A&... argument) {
    message m(encoded_size(argument...));
    encode(m.data(), argument...);
    return m;
  }
  explicit message(std::size_t size) : words_((size + 7) / 8), size_(size) {}

  std::byte* data() { return reinterpret_cast<std::byte*>(words_.data()); }
  std::size_t size() const { return size_; }
  decoder reader() { return decoder(data(), size_, 5); }

  /// The first n bytes.
  message cut(std::size_t n) {
    message m(n);
    if (n != 0) std::memcpy(m.data(), data(), n);
    return m;
  }
  /// With the word at `index` replaced.
  message with(std::size_t index, std::uint64_t word) {
    message m = *this;
    m.words_.at(index) = word;
    return m;
  }

 private:
  std::vector<std::uint64_t> words_;
  std::size_t size_;
};

/// What arrives of a value.
template <class T>
T through(const T& value) {
  return message::of(value).reader().template get<T>();
}

}  // namespace armilla::detail
