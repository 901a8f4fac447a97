// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

#include "armilla/am/handler/handler.hpp"
#include "armilla/wire/watermark.hpp"

/// A message that is longer than ARMILLA_EAGER lies in a block of the sender's segment, behind a watermark. The receiver may read
/// it while the sender still writes it, so that the two copies of a long argument overlap.
namespace armilla::detail {

class sending;
struct channel_head;
class zero_copy_encoder;

/// What a message that names a block says.
struct bulk_name {
  std::uint64_t offset;  ///< of the block: in the sender's segment, or, where a network has brought it, in the receiver's
  std::uint64_t size;
  std::uint64_t handler;
};

/// A long message. Its name leaves before its bytes are there: its maker fills `place`, may raise `mark` on the way, and calls
/// `finish`; without that the receiver drops the message. Inside a host it is read while it is written; a network carries it
/// when it is full.
class outgoing_block {
 public:
  outgoing_block(sending& out, channel_head& c, handler_id h, std::size_t size);
  ~outgoing_block() {
    if (mark_ != nullptr) mark_->raise(watermark::given_up);
  }
  outgoing_block(const outgoing_block&) = delete;

  /// The same to a far rank, without a block: the elements that `message` leaves out go straight from where they lie, the rest in
  /// a frame. False: not this way.
  static bool send_zero_copy(sending& out, channel_head& c, handler_id h, std::size_t size, const zero_copy_encoder& message);

  std::byte* place() const noexcept { return reinterpret_cast<std::byte*>(mark_ + 1); }
  watermark& mark() const noexcept { return *mark_; }
  void finish() noexcept {
    mark_->raise(watermark::finished(size_));
    mark_ = nullptr;
  }

 private:
  watermark* mark_;
  std::size_t size_;
};

/// A block that is being read; its end gives the memory back, unless `release` has.
class incoming_block {
 public:
  /// `segment`: of its owner, with a heap that begins `heap_first` bytes into it.
  incoming_block(std::byte* segment, std::uint64_t heap_first, std::uint64_t offset, const watermark* mark,
                 std::size_t size) noexcept
      : segment_(segment), heap_first_(heap_first), offset_(offset), mark_(mark), size_(size) {}
  ~incoming_block() { release(); }
  incoming_block(const incoming_block&) = delete;

  const watermark* mark() const noexcept { return mark_; }
  const std::byte* begin() const noexcept { return reinterpret_cast<const std::byte*>(mark_ + 1); }
  const std::byte* end() const noexcept { return begin() + size_; }
  /// Until the bytes in front of `until`, which lies in the block, are there.
  void await(const std::byte* until) const { mark_->await(std::uint64_t(until - begin())); }
  /// All of it has been read. The earlier, the sooner the sender writes its next block into the same warm memory.
  void release() noexcept {
    if (mark_ != nullptr) give_back();
  }

 private:
  void give_back() noexcept;

  std::byte* segment_;
  std::uint64_t heap_first_;
  std::uint64_t offset_;
  const watermark* mark_;  ///< null once it has been given back
  std::size_t size_;
};

}  // namespace armilla::detail
