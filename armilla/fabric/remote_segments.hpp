// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "armilla/base/values/types.hpp"
#include "armilla/base/values/zeroed_array.hpp"
#include "armilla/ring/heap.hpp"
#include "armilla/ring/host_layout.hpp"

namespace armilla::detail {

struct context;
struct host_map;
struct launch;
struct options;
class network;

/// Where the two halves of a segment meet. Below lies the heap of its rank, above the heap that all ranks keep alike: no block
/// lies across.
constexpr std::uint64_t half_of_segment(const host_layout& layout) noexcept {
  return (layout.segment_bytes / 2) & ~std::uint64_t{heap::chunk_bytes - 1};
}

/// Whether ranks may go past the owners of memory: not where these judge an access (a checked build, ARMILLA_ACCESS=opened), nor
/// where all goes by messages.
bool reaches_segments(const options& settings) noexcept;

/// Lets `net` make this rank's segment of memory that other ranks can reach while the rank computes. In halves: a network may not
/// have more than the machine's memory in one piece, and a segment is larger.
void hold_segment(network& net, const launch& self);

/// Segments of far ranks, as far as the network lets this rank load and store there. That is found out when a rank is first asked
/// for, and holds for a whole segment or for nothing of it: atomic operations on it all take the same way.
class remote_segments {
 public:
  /// Of rank `owner`. Requires that it has a network.
  remote_segments(const context& owner, const host_map& host);
  remote_segments(const remote_segments&) = delete;

  /// Where `bytes` bytes at `offset` of r's segment can be loaded and stored; null: its owner must be asked. Two threads may ask
  /// at a time, the rank's and that of its progress thread.
  std::byte* at(rank_t r, std::uint64_t offset, std::uint64_t bytes) {
    segment& s = segments_[std::size_t(r)];
    if (s.known.load(std::memory_order_acquire) == answer::none) [[unlikely]]
      find(r);
    const bool upper = offset >= half_;
    std::byte* const start = s.half[upper ? 1 : 0].load(std::memory_order_relaxed);
    if (start == nullptr || (!upper && bytes > half_ - offset)) return nullptr;
    return start + (upper ? offset - half_ : offset);
  }
  /// Rank `r` is lost.
  void forget(rank_t r) noexcept;
  /// Another process has its place.
  void ask_again(rank_t r) noexcept { segments_[std::size_t(r)].known.store(answer::none, std::memory_order_release); }

 private:
  enum class answer : std::uint8_t { none, given };
  struct segment {
    std::atomic<std::byte*> half[2] = {};
    std::atomic<answer> known = answer::none;
  };
  [[gnu::cold]] void find(rank_t r);
  network& net() const noexcept;

  const context& owner_;
  const host_map& host_;
  const std::uint64_t half_;
  zeroed_array<segment> segments_;
};

}  // namespace armilla::detail
