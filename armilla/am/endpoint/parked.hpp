// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "armilla/am/handler/parked_call.hpp"

namespace armilla::detail {

struct context;

/// The calls to one object that came before it, in their order. When it is there a fiber runs them one after the other; when one
/// waits, another fiber goes on with the rest. Until the last has begun, calls that come later stand behind it.
class parked_calls {
 public:
  void add(context& self, parked_call call);
  /// The object is there, or never will be: they run now, in front of what has not begun where the caller may wait.
  static void open(context& self, const std::shared_ptr<parked_calls>& calls) noexcept;
  /// Other fibers have a turn, so that more of the calls begin. False: all have begun, or the caller may not wait.
  bool let_begin(context& self) noexcept;
  /// The job is over: they never run.
  void drop(context& self) noexcept;

  std::size_t size() const noexcept { return waiting_.size(); }
  rank_t first_source() const noexcept { return waiting_.front().source; }
  /// All have begun.
  bool over() const noexcept { return open_ && waiting_.empty(); }
  /// Whether the call that asks may begin: none stands before it, or it is the one whose turn it is.
  bool lets_in() noexcept { return std::exchange(turn_, false) || over(); }

 private:
  friend struct parked_runner;
  bool take(parked_call& call);

  std::deque<parked_call> waiting_;
  bool open_ = false;
  bool turn_ = false;  // from where one is taken out to where its handler asks
};

}  // namespace armilla::detail
