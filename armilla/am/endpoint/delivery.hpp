// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>

#include "armilla/am/endpoint/sending.hpp"
#include "armilla/am/handler/bundle_rest.hpp"
#include "armilla/am/handler/handler.hpp"
#include "armilla/fiber/scheduler.hpp"

namespace armilla::detail {

class incoming_block;
class method_counts;

/// What a handler sees of the receiving side: where it is in its frame, what it may read there, and the way to answer.
class delivery {
 public:
  delivery(context& self, sending& out);

  context& self;
  sending& out;  ///< for its replies

  /// A handler of bodies says where it is in its bundle: `rest.at` is behind the present message whenever a body begins. If the
  /// body waits, the rest goes to the next loop, and `rest` is empty.
  void begin_bodies(bundle_rest& rest) noexcept {
    if (arriving_ == nullptr) return;
    if (arriving_->bundle == nullptr) [[likely]]
      arriving_->bundle = &rest;
    else if (arriving_->bundle == &limited_bundle) [[unlikely]]
      limit_bundle(rest);
  }
  /// The same for a bundle of one message: nothing is left of it when its body begins. False: the general way is to be taken, as
  /// a poll has a limit, times are measured, or an outer handler keeps the rest.
  bool begin_only_body(bool may_wait) noexcept {
    if (out.watch() != nullptr) [[unlikely]]
      return false;
    if (!may_wait || arriving_ == nullptr) return true;
    if (arriving_->bundle != nullptr) [[unlikely]]
      return false;
    arriving_->bundle = &nothing_left_;
    return true;
  }
  /// Behind a body of `rest`, if `until` is not its end: whether the next one begins here and now. If not, `rest` is empty: the
  /// body has waited, or the poll's limit is reached.
  [[gnu::cold]] bool goes_on(bundle_rest& rest) noexcept;
  /// Behind the first body of `rest`: whether another one begins.
  bool next_body(bundle_rest& rest) noexcept { return rest.at != rest.end && (rest.until == rest.end || goes_on(rest)); }
  /// Whether `rest` tells whether a body of it has waited, and frames are not observed: its replies may be gathered in line.
  bool in_line(const bundle_rest& rest) const noexcept {
    return !out.observed() && arriving_ != nullptr && arriving_->bundle == &rest;
  }
  /// Whether the body that runs has waited: then no frame is being taken in here, and what it sends goes at once.
  bool body_has_waited() const noexcept { return current_head->fibers->on_body_that_waited(); }
  /// The handler's bundle is all there is in the frame, so a reply need not wait for others.
  bool solo() const noexcept { return solo_; }

  /// Whether the bytes at `place` are gone as soon as a body that reads them waits: they lie in the frame.
  bool transient(const std::byte* place) const noexcept;
  /// For a handler that streams, once and first of all: the block that it reads, if its bytes are in one. They may not all be
  /// there yet.
  incoming_block* take_stream() noexcept { return std::exchange(stream_, nullptr); }
  /// The segment of `source`, if bodies may read it in place.
  shared_range memory_of(rank_t source) const noexcept;

  /// A message has come in for a method whose messages differ in size.
  void count_message(handler_id h, std::size_t bytes) noexcept {
    if (methods_ != nullptr) [[unlikely]]
      note_message(h, bytes);
  }
  /// Lets another handler of this program take in what a handler was given.
  void pass_on(rank_t source, handler_id h, const std::byte* data, std::size_t size) {
    if (methods_ != nullptr) [[unlikely]]
      note_bundle(h, size);
    handlers_.functions[h](*this, source, data, size);
  }
  stopwatch* watch() const noexcept { return out.watch(); }

 protected:
  ~delivery() = default;
  void limit_bundle(bundle_rest& rest) noexcept;
  [[gnu::cold]] void note_message(handler_id h, std::size_t bytes) noexcept;
  [[gnu::cold]] void note_index(handler_id h, std::size_t bytes) noexcept;
  [[gnu::cold]] void note_bundle(handler_id h, std::size_t bytes) noexcept;

  taken_frame* arriving_ = nullptr;             // the frame that the loop takes in, while it does
  incoming_block* stream_ = nullptr;            // of the message that is handed on
  bundle_rest nothing_left_{nullptr, nullptr};  // of a bundle of one message
  bool solo_ = false;                           // the bundle that is being handled came alone
  handler_table handlers_;
  method_counts* methods_;  // null unless anything counts them; it asks the table, which stands before it
};

/// What a damaged message is told as.
[[noreturn, gnu::cold]] void throw_damaged(rank_t source, const char* what, std::uint64_t value);

}  // namespace armilla::detail
