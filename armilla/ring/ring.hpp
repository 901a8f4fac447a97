// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "armilla/base/values/types.hpp"
#include "armilla/ring/ring_writer.hpp"

namespace armilla::detail {

/// The reading end of the ring that `ring_writer.hpp` describes.
// Model: tests/models/order/ring.rs
class ring_reader {
 public:
  ring_reader() = default;
  explicit ring_reader(const ring_memory& memory) noexcept;

  /// Whether a frame waits. One load.
  bool ready() const noexcept { return word_at(line_).load(std::memory_order_acquire) >> 32 == expected_; }

  struct frame {
    const std::byte* data = nullptr;
    std::uint32_t bytes = 0;
  };

  /// The frame that waits. Only after `ready()`; valid until `release`.
  frame front() const noexcept { return {line_ + frame_head, std::uint32_t(word_at(line_).load(std::memory_order_relaxed))}; }

  /// Gives the lines of a frame of `bytes`, which is no pad, back to the writer (which sees it once an eighth of the ring).
  void release(std::uint32_t bytes) noexcept { advance(lines_for(bytes)); }
  /// The same for a frame that only fills the ring up to its end.
  void release_pad() noexcept { advance(count_ - (head_ & (count_ - 1))); }

  /// Tells the writer whether what is there stays unread for now; seen sooner or later.
  void set_unread(bool unread) noexcept { shared_head_[1].store(unread, std::memory_order_relaxed); }

  /// Follows a reader that was lost, on its memory: begins behind all that was written before, which is dropped.
  void follow(const ring_memory& memory) noexcept;

  /// Whether `place` lies in the ring's lines.
  bool holds(const std::byte* place) const noexcept { return place >= lines_ && place < end_; }
  /// Lines ever released.
  std::uint64_t position() const noexcept { return head_; }

  /// Asks for a line some frames ahead. Worth while in a stream only: a line that is still being written would be fetched twice.
  void prefetch() const noexcept {
    constexpr std::uint64_t ahead = 8;
    __builtin_prefetch(lines_ + ((head_ + ahead) & (count_ - 1)) * cache_line);
  }

  /// Most bytes that a frame at the present place can hold: larger ones are damaged.
  std::uint64_t most() const noexcept { return std::uint64_t(end_ - line_) - frame_head; }

 private:
  void publish_head() noexcept;
  void advance(std::uint64_t lines) noexcept {
    head_ += lines;
    line_ += lines * cache_line;
    if (line_ == end_) [[unlikely]] {
      line_ = lines_;
      ++expected_, expected_ |= 0x80000000U;
    }
    if (head_ - published_ >= count_ / 8) [[unlikely]]
      publish_head();
  }

  std::byte* line_ = nullptr;
  std::uint32_t expected_ = lap_mark(0);
  std::uint64_t head_ = 0;
  std::uint64_t published_ = 0;
  std::uint64_t count_ = 0;
  std::byte* lines_ = nullptr;
  std::byte* end_ = nullptr;
  std::atomic<std::uint64_t>* shared_head_ = nullptr;
};

}  // namespace armilla::detail
