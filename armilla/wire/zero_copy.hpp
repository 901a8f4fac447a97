// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstring>

#include "armilla/wire/encode.hpp"

/// Arguments of which one long view does not travel with the rest: a network takes its elements from where they lie.
namespace armilla::detail {

/// Elements that stay out of a message's bytes, at `at` of them.
struct remote_elements {
  const std::byte* data = nullptr;
  std::size_t bytes = 0;
  std::size_t at = 0;
};

/// Writes like an encoder, but leaves out the elements of the first long view that lies in `here`. What is left must be short.
class zero_copy_encoder {
 public:
  static constexpr std::size_t most = 512;  ///< bytes of what is left

  explicit zero_copy_encoder(const shared_range& here) : here_(here) {}

  /// Whether there were such elements, and the rest is short enough; else the message must be written in the usual way.
  bool good() const { return elements_.data != nullptr && !too_long_; }
  const remote_elements& elements() const { return elements_; }
  const std::byte* rest() const { return rest_.data(); }
  std::size_t rest_bytes() const { return size_ - elements_.bytes; }

  /// Here the arguments begin: from here on places are rounded up.
  void begin_arguments() { begin_ = size_; }
  template <class T>
  void put(const T& value) {
    write_value(*this, value);
  }

  // What `write` needs of a sink.
  const shared_range& stable() const { return nowhere_; }
  void align(std::size_t unit) { size_ = begin_ + align_up(size_ - begin_, unit); }
  void bytes(const void* from, std::size_t n) {
    if (n <= most && rest_bytes() <= most - n)
      std::memcpy(rest_.data() + rest_bytes(), from, n);
    else
      too_long_ = true;
    size_ += n;
  }
  bool leave_out(const void* data, std::size_t n) {
    if (elements_.data != nullptr || !here_.holds(data, n)) return false;
    elements_ = {static_cast<const std::byte*>(data), n, size_};
    size_ += n;
    return true;
  }

 private:
  std::array<std::byte, most + 16> rest_{};  // and zeros that round it up, twice
  std::size_t size_ = 0;                     // of the whole
  std::size_t begin_ = 0;
  remote_elements elements_;
  shared_range here_;
  shared_range nowhere_;
  bool too_long_ = false;
};

}  // namespace armilla::detail
