// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace armilla::detail {

/// Writes `text` where other processes read it at any time: what does not fit is cut. A reader may see parts of two texts, so it
/// shows them to people only.
template <std::size_t Words>
void post_text(std::atomic<std::uint64_t> (&posted)[Words], std::string_view text) noexcept {
  std::uint64_t words[Words] = {};
  if (!text.empty()) std::memcpy(words, text.data(), std::min(text.size(), sizeof words));  // that of an empty one may be null
  for (std::size_t i = 0; i < Words; ++i) posted[i].store(words[i], std::memory_order_relaxed);
}

/// What post_text has written; empty where all words are 0.
template <std::size_t Words>
std::string posted_text(const std::atomic<std::uint64_t> (&posted)[Words]) {
  std::uint64_t words[Words + 1] = {};
  for (std::size_t i = 0; i < Words; ++i) words[i] = posted[i].load(std::memory_order_relaxed);
  return reinterpret_cast<const char*>(words);
}

}  // namespace armilla::detail
