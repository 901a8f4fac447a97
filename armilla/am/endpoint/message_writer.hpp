// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/am/endpoint/sending.hpp"

namespace armilla::detail {

/// One message on its way out. All senders do the same: they ask for its place, fill the bytes `at`, and call `finish`, or, for a
/// message in the open frame, what says when that leaves. There are three places for a message. One that is too long for all of
/// them lies in an `outgoing_block`, which has the same steps.
class message_writer {
 public:
  static constexpr std::size_t longest_in_line = sending::longest_in_line;  ///< that can be the next one alone

  std::byte* at;  ///< where its bytes go; null: it has no such place

  /// In a frame of its own, straight in the ring, if nothing is in front of it and there is credit; else null.
  template <audience To = audience::program>
  static message_writer alone(sending& out, channel_head& c, handler_id h, std::size_t size, traffic kind) {
    return {out.begin_alone<To>(c, h, size, kind), way::alone};
  }
  /// The same for one more of the kind that went so last, if it needs no more than its bytes; else null. Calls nothing.
  template <audience To = audience::program>
  static message_writer next_alone(sending& out, channel_head& c, handler_id h, std::size_t size) noexcept {
    return {out.next_alone<To>(c, h, size), way::alone};
  }
  /// Behind others of the open bundle, if it needs no more than its bytes; else null.
  static message_writer in_bundle(sending& out, channel_head& c, handler_id h, std::size_t size) noexcept {
    const auto [place, fills] = out.append_to_bundle(c, h, size);
    return {place, fills ? way::frame_that_is_full : way::frame};
  }
  /// In the open frame, which is opened for it.
  static message_writer in_frame(sending& out, channel_head& c, handler_id h, std::size_t size,
                                 traffic kind = traffic::uncounted) {
    return {out.append(c, h, size, kind), way::frame};
  }
  /// In a frame of its own, if it does not wait for others (`may_be_alone`) and can be; else in the open frame. It counts as
  /// `own` or as `in_open`.
  template <audience To = audience::program>
  static message_writer begin(sending& out, channel_head& c, handler_id h, std::size_t size, bool may_be_alone, traffic own,
                              traffic in_open) {
    std::byte* const mine = may_be_alone ? out.begin_alone<To>(c, h, size, own) : nullptr;
    return {mine != nullptr ? mine : out.append(c, h, size, in_open), mine != nullptr ? way::alone : way::frame};
  }

  explicit operator bool() const noexcept { return at != nullptr; }
  /// Whether it lies in the ring, where nothing can be put behind it.
  bool is_alone() const noexcept { return way_ == way::alone; }
  /// True: it has left. False: it lies in the open frame, and its maker says when that leaves.
  bool finish(sending& out, channel_head& c, std::size_t size) const {
    if (way_ == way::alone) [[likely]] {
      out.publish_alone(c, size);
      return true;
    }
    if (way_ == way::frame_that_is_full) [[unlikely]]
      return out.publish_full(c);
    return false;
  }

 private:
  enum class way : std::uint8_t { alone, frame, frame_that_is_full };
  message_writer(std::byte* place, way w) noexcept : at(place), way_(w) {}
  way way_;
};

}  // namespace armilla::detail
