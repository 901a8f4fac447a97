// SPDX-License-Identifier: Apache-2.0
#include "armilla/ring/ring.hpp"

#include <bit>
#include <memory>

// Model: tests/models/order/ring.rs
namespace armilla::detail {

ring_writer::ring_writer(const ring_memory& memory)
    : credit_(memory.count),
      mask_(memory.count - 1),
      shift_(unsigned(std::countr_zero(memory.count))),
      memory_(memory),
      inside_(std::make_unique<std::uint64_t[]>((memory.count + 63) / 64)) {}

std::uint64_t ring_writer::refresh_credit() noexcept {
  // acquire: pairs with publish_head; the reader is done with the lines that are written next
  credit_ = memory_.head->load(std::memory_order_acquire) + memory_.count;
  return credit_ - tail_;
}

ring_writer::room ring_writer::reserve_behind_pad(std::size_t need, std::size_t want) noexcept {
  if (memory_.count == 0) return {};
  const std::uint64_t to_end = memory_.count - (tail_ & mask_);
  const std::uint64_t whole = to_end + lines_for(need) + 1;
  if (credit_ - tail_ < whole && refresh_credit() < whole) return {};
  std::byte* line = memory_.lines + (tail_ & mask_) * cache_line;
  mark_inside(to_end);
  if (inside_[0] & 1) clear_word(0);
  word_at(line).store(std::uint64_t(lap_mark(tail_ >> shift_)) << 32 | frame_pad, std::memory_order_release);
  tail_ += to_end;
  padding_ += to_end;
  return reserve(need, want);
}

void ring_writer::mark_inside(std::uint64_t lines) noexcept {
  const std::uint64_t first = (tail_ & mask_) + 1;
  const std::uint64_t last = (tail_ & mask_) + lines;  // one behind; a frame never wraps
  for (std::uint64_t i = first; i < last;) {
    const std::uint64_t bit = i & 63;
    const std::uint64_t run = 64 - bit < last - i ? 64 - bit : last - i;
    inside_[i >> 6] |= (run == 64 ? ~std::uint64_t(0) : (std::uint64_t(1) << run) - 1) << bit;
    i += run;
  }
}

void ring_writer::clear_word(std::uint64_t line) noexcept {
  inside_[line >> 6] &= ~(std::uint64_t(1) << (line & 63));
  // relaxed: the release of the frame in front of it orders this for the reader
  word_at(memory_.lines + line * cache_line).store(0, std::memory_order_relaxed);
}

ring_reader::ring_reader(const ring_memory& memory) noexcept
    : line_(memory.lines),
      count_(memory.count),
      lines_(memory.lines),
      end_(memory.lines + memory.count * cache_line),
      shared_head_(memory.head) {}

void ring_reader::follow(const ring_memory& memory) noexcept {
  head_ = memory.tail().load(std::memory_order_acquire);
  line_ = lines_ + (head_ & (count_ - 1)) * cache_line;
  expected_ = lap_mark(head_ / count_);
  set_unread(false);
  publish_head();
}

void ring_reader::publish_head() noexcept {
  published_ = head_;
  shared_head_->store(head_, std::memory_order_release);  // pairs with refresh_credit
}

}  // namespace armilla::detail
