// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace armilla::detail {

/// Place `k` counts messages of 2^k to 2^(k+1) - 1 bytes; the last one, longer ones too.
using size_histogram = std::array<std::uint64_t, 32>;

inline unsigned size_bucket(std::uint64_t bytes) noexcept {
  const unsigned k = bytes == 0 ? 0 : unsigned(std::bit_width(bytes)) - 1;
  return k < 31 ? k : 31;
}

/// What came in for one method.
struct method_count {
  std::uint64_t runs = 0;      ///< dispatches
  std::uint64_t messages = 0;  ///< messages
  std::uint64_t bytes = 0;     ///< of the messages
  size_histogram sizes{};
};

/// Counts what comes in by the number of its method. Exists only where statistics were asked for, or an attached client takes a
/// sample.
class method_counts {
 public:
  /// `message_bytes`: each method's size of a message, 0 where it differs; such a method counts its messages itself, by
  /// `message`.
  explicit method_counts(std::vector<std::uint32_t> message_bytes)
      : message_bytes_(std::move(message_bytes)), counts_(message_bytes_.size()) {}

  void run(std::uint32_t method, std::size_t bytes) noexcept {
    method_count& m = counts_[method];
    ++m.runs;
    if (const std::uint32_t each = message_bytes_[method]; each != 0) add(m, bytes / each, each);
  }
  /// Uncounts the last `bytes` of a bundle, which will come and count again as a bundle of their own.
  void take_back(std::uint32_t method, std::size_t bytes) noexcept {
    if (const std::uint32_t each = message_bytes_[method]; each != 0) add(counts_[method], 0 - bytes / each, each);
  }
  void message(std::uint32_t method, std::size_t bytes) noexcept { add(counts_[method], 1, bytes); }

  const std::vector<method_count>& all() const noexcept { return counts_; }

  /// Messages of this method begin with the index of one among several that are told apart by it, `at` bytes in.
  struct indexed {
    std::uint32_t method;
    std::size_t at;
    std::vector<method_count> counts;  ///< by index
  };
  /// Those that count by index, too. Empty but in a sample.
  std::vector<indexed> by_index;
  /// Of one of those; null: it is none.
  indexed* indexed_of(std::uint32_t method) noexcept {
    for (indexed& each : by_index)
      if (each.method == method) return &each;
    return nullptr;
  }

  /// Of a sample: the number of bundles that the receiver has taken in when it ends.
  std::uint64_t until = ~std::uint64_t{0};

 private:
  static void add(method_count& m, std::uint64_t messages, std::uint64_t each) noexcept {
    m.messages += messages;
    m.bytes += messages * each;
    m.sizes[size_bucket(each)] += messages;
  }

  std::vector<std::uint32_t> message_bytes_;
  std::vector<method_count> counts_;
};

}  // namespace armilla::detail
