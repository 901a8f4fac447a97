// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/am/outbox.hpp"

namespace armilla::detail {

/// One message that leaves at once if nothing is in front of it: alone, straight in the ring; else in the open frame. Its maker
/// fills `at`, and then calls `finish`. One that is too long for both lies in an `outgoing_block`, which has the same steps.
class message_writer {
 public:
  std::byte* at;  ///< where its bytes go

  /// `may_be_alone`: it does not wait for others. It counts as `alone` in a frame of its own, else as `in_frame`.
  template <audience To = audience::program>
  static message_writer begin(outbox& out, peer_channel& c, handler_id h, std::size_t size, bool may_be_alone, traffic alone,
                              traffic in_frame) {
    std::byte* const own = may_be_alone ? out.begin_alone<To>(c, h, size, alone) : nullptr;
    return {own != nullptr ? own : out.append(c, h, size, in_frame), own};
  }
  /// Whether it lies in the ring, where nothing can be put behind it.
  bool alone() const noexcept { return own_ != nullptr; }
  /// True: it has left. False: it lies in the open frame, and its maker says when that leaves.
  bool finish(outbox& out, peer_channel& c, std::size_t size) const {
    if (alone()) [[likely]]
      out.publish_alone(c, size);
    return alone();
  }

 private:
  message_writer(std::byte* place, std::byte* own) noexcept : at(place), own_(own) {}
  std::byte* own_;  // its place if it is alone
};

}  // namespace armilla::detail
