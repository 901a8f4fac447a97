// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "armilla/am/handler/handler.hpp"
#include "armilla/base/values/types.hpp"
#include "armilla/boot/host/exploration.hpp"

namespace armilla::detail {

/// One rank of a job that `armilla-run --explore` runs: when it polls, others have their turns; a frame that has arrived may be
/// held back for some polls, and with it all later ones of its sender; accesses to memory that docs/spec/order.md leaves without
/// order may come late.
class explorer {
 public:
  explorer(exploration& shared, rank_t rank, rank_t ranks)
      : shared_(shared), rank_(rank), ranks_(ranks), held_(std::size_t(ranks)) {}

  /// From here to `leave` the rank takes turns with the others.
  void enter(bool joins) noexcept;
  void leave() noexcept;
  bool inside() const noexcept { return inside_; }

  /// Before each look: the others have their turns.
  void begin_look() noexcept;
  /// A frame of `source` has arrived: whether it is taken at this look.
  bool lets_in(rank_t source) noexcept;
  /// Writes down that it is taken, for armilla-run, which names the first call that differs.
  void note(rank_t source, handler_id h, const char* waits_for);
  /// Behind many looks of one wait that found nothing. True: the rank may sleep, and gives its turn away.
  bool may_sleep() noexcept;

  // ---- accesses without order ----

  /// What a message is, as its layer says.
  enum class kind { ordinary, without_order, behind_earlier };
  using judge = kind (*)(handler_id h, const std::byte* message, std::size_t bytes);
  void set_judge(judge j) noexcept { judge_ = j; }
  struct late_message {
    rank_t source;
    handler_id handler;
    std::uint64_t due;  // the look
    std::vector<std::byte> bytes;
  };
  /// True: the message is kept, for a later look.
  bool puts_off(rank_t source, handler_id h, const std::byte* message, std::size_t bytes);
  /// Whether this message comes behind all earlier ones of its source.
  bool comes_behind(handler_id h, const std::byte* message, std::size_t bytes) const {
    return judge_ != nullptr && judge_(h, message, bytes) == kind::behind_earlier;
  }
  /// Those that are due, or all of `source`, in the order in which they came.
  std::vector<late_message> take_due();
  std::vector<late_message> take_late_of(rank_t source);

 private:
  struct held_frame {
    bool met = false;         // the first frame of its source has been seen
    std::uint64_t until = 0;  // the look at which it is let in
  };
  template <class IsChosen>
  std::vector<late_message> take_late(IsChosen&& is_chosen);

  exploration& shared_;
  const rank_t rank_, ranks_;
  bool inside_ = false;
  bool busy_ = false;  // the last look has taken a frame
  std::uint64_t looks_ = 0, holds_ = 0;
  std::uint64_t in_vain_ = 0,
                last_in_vain_ = 0;  // looks before which the rank would have slept: how many in a row, and the last one
  std::vector<held_frame> held_;    // by source
  std::vector<late_message> late_;
  judge judge_ = nullptr;
};

}  // namespace armilla::detail
