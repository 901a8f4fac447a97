// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "armilla/base/values/owned.hpp"
#include "armilla/base/values/types.hpp"

/// A ring of cache lines between one writer and one reader, over shared bytes that the caller supplies.
///
/// A *frame* is a run of neighbouring lines. Its first 8 bytes, the *frame word*, hold the lap and the number of bytes that
/// follow; the word is written last, with release, and is what the reader polls. So a short message is one line that moves
/// once, and a longer one follows in the ring at no further synchronisation.
///
/// The reader must never take old bytes for a frame word. Words of an earlier lap differ by their lap. The inside of a longer
/// frame may hold any bytes, so the writer remembers which lines it used that way (a private bitmap) and clears the word of
/// such a line before it publishes the frame in front of it: a test of one bit for a short message.
///
/// Credit: the reader publishes its position once an eighth of the ring, and the writer looks at it only when it runs out.
/// The writer always keeps one line free behind the frame, for that clearing.
// Model: tests/models/order/ring.rs
namespace armilla::detail {

using frame_word = std::uint64_t;                        // lap (top bit set, never 0) << 32 | bytes behind the word
inline constexpr std::uint32_t frame_pad = 0xffffffffU;  ///< bytes of a frame that only fills the ring up to its end
inline constexpr std::size_t frame_head = sizeof(frame_word);

constexpr std::uint32_t lap_mark(std::uint64_t lap) noexcept { return 0x80000000U | std::uint32_t(lap); }
constexpr std::uint64_t lines_for(std::size_t bytes) noexcept { return (frame_head + bytes + cache_line - 1) / cache_line; }

inline std::atomic_ref<frame_word> word_at(std::byte* line) noexcept {
  return std::atomic_ref(*reinterpret_cast<frame_word*>(line));
}

/// The shared bytes of a ring: first the reader's position (in lines), whether it leaves what is there, and what is handed over,
/// then the lines.
///
/// A rank that is lost can be followed by another one at its ends of two rings. The other end of both *hands over*: it shows its
/// positions in the ring that it writes, and does no more until the new ends have begun at them. See boot/wire_up/new_rank.hpp.
struct ring_memory {
  static constexpr std::uint64_t refused = ~std::uint64_t{0};
  std::atomic<std::uint64_t>* head = nullptr;
  std::byte* lines = nullptr;
  std::uint64_t count = 0;  ///< lines, a power of two

  ring_memory() = default;
  ring_memory(std::byte* shared, std::size_t header_bytes, std::size_t ring_bytes) noexcept
      : head(reinterpret_cast<std::atomic<std::uint64_t>*>(shared)),
        lines(shared + header_bytes),
        count(ring_bytes / cache_line) {}

  std::atomic<std::uint64_t>& unread() const noexcept { return head[1]; }
  /// By the writer: to which reader; `refused`: to none any more.
  std::atomic<std::uint64_t>& handed_over() const noexcept { return head[2]; }
  std::atomic<std::uint64_t>& tail() const noexcept { return head[3]; }   ///< the writer's position then
  std::atomic<std::uint64_t>& taken() const noexcept { return head[4]; }  ///< and its position as a reader in the ring back
};

class ring_writer {
 public:
  ring_writer() = default;  ///< no ring: there is never room
  explicit ring_writer(const ring_memory& memory);

  struct room {
    std::byte* begin = nullptr;  ///< first byte behind the frame word; null when there is no credit
    std::byte* end = nullptr;
  };

  /// Room for a frame of at least `need` and at most `want` bytes behind its word. Consumes nothing; the next `publish` uses it.
  room reserve(std::size_t need, std::size_t want) noexcept {
    const std::uint64_t to_end = memory_.count - (tail_ & mask_);
    if (lines_for(need) > to_end) [[unlikely]]
      return reserve_behind_pad(need, want);
    std::uint64_t free = credit_ - tail_;
    if (free < lines_for(want) + 1) [[unlikely]]
      free = refresh_credit();
    if (free < lines_for(need) + 1) [[unlikely]]
      return {};
    std::uint64_t usable = free - 1 < to_end ? free - 1 : to_end;
    if (usable > lines_for(want)) usable = lines_for(want);
    std::byte* line = memory_.lines + (tail_ & mask_) * cache_line;
    return {line + frame_head, line + usable * cache_line};
  }

  /// Makes the frame at the reserved place visible to the reader. `bytes`: what was written behind its word.
  void publish(std::size_t bytes) noexcept {
    const std::uint64_t lines = lines_for(bytes);
    const std::uint64_t next = (tail_ + lines) & mask_;
    if (lines > 1) mark_inside(lines);
    if (is_inside(next)) [[unlikely]]
      clear_word(next);
    std::byte* line = memory_.lines + (tail_ & mask_) * cache_line;
    // release: pairs with the acquire in ring_reader::ready; covers the payload and the cleared word behind the frame
    word_at(line).store(std::uint64_t(lap_mark(tail_ >> shift_)) << 32 | bytes, std::memory_order_release);
    tail_ += lines;
  }

  /// Where the bytes of a frame of one line go, if there is credit that is known of, and nothing else is to be done; else null.
  /// `publish_line` follows.
  std::byte* next_line() const noexcept {
    const std::uint64_t next = (tail_ + 1) & mask_;
    if (credit_ - tail_ < 2 || is_inside(next)) [[unlikely]]
      return nullptr;
    return memory_.lines + (tail_ & mask_) * cache_line + frame_head;
  }
  /// The same as `publish` for a frame of one line whose word behind it is clear.
  void publish_line(std::size_t bytes) noexcept {
    std::byte* line = memory_.lines + (tail_ & mask_) * cache_line;
    // release: as in `publish`
    word_at(line).store(std::uint64_t(lap_mark(tail_ >> shift_)) << 32 | bytes, std::memory_order_release);
    ++tail_;
  }
  /// Behind `reserve`, for a frame of one line: the word behind it is clear.
  void clear_behind_line() noexcept {
    const std::uint64_t next = (tail_ + 1) & mask_;
    if (is_inside(next)) clear_word(next);
  }

  /// Whether the reader says that what is there stays unread for now.
  bool is_unread() const noexcept { return memory_.count != 0 && memory_.unread().load(std::memory_order_relaxed) != 0; }

  /// The present reader is lost: `to` may begin behind all that was written, and write behind all that was `taken` from it.
  void hand_over(std::uint64_t to, std::uint64_t taken) const noexcept {
    memory_.tail().store(tail_, std::memory_order_relaxed);
    memory_.taken().store(taken, std::memory_order_relaxed);
    memory_.handed_over().store(to, std::memory_order_release);
  }
  /// None begins from here on. The positions stay for one that has seen before that they were handed over to it.
  void refuse() const noexcept { memory_.handed_over().store(ring_memory::refused, std::memory_order_release); }
  /// Follows a writer that was lost: begins where the reader waits. The lines hold zeros.
  void follow() noexcept { credit_ = memory_.count + (tail_ = memory_.head->load(std::memory_order_acquire)); }

  std::uint64_t lines() const noexcept { return memory_.count; }
  /// Lines ever published, those that fill up the end included.
  std::uint64_t position() const noexcept { return tail_; }
  /// The same without them.
  std::uint64_t lines_of_frames() const noexcept { return tail_ - padding_; }

 private:
  room reserve_behind_pad(std::size_t need, std::size_t want) noexcept;
  std::uint64_t refresh_credit() noexcept;
  bool is_inside(std::uint64_t line) const noexcept { return (inside_[line >> 6] >> (line & 63) & 1) != 0; }
  void mark_inside(std::uint64_t lines) noexcept;
  void clear_word(std::uint64_t line) noexcept;

  std::uint64_t tail_ = 0;    // in lines since the start
  std::uint64_t credit_ = 0;  // tail may grow up to here
  std::uint64_t padding_ = 0;
  std::uint64_t mask_ = 0;
  unsigned shift_ = 0;
  ring_memory memory_;
  owned<std::uint64_t[]> inside_;  // one bit a line: holds bytes that are no frame word
};

}  // namespace armilla::detail
