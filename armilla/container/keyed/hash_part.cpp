// SPDX-License-Identifier: Apache-2.0
#include "armilla/container/keyed/hash_part.hpp"

#include <algorithm>
#include <string>

#include "armilla/base/core/context.hpp"
#include "armilla/container/keyed/hash_find.hpp"
#include "armilla/container/keyed/keyed_forest.hpp"
#include "armilla/container/keyed/multi_table.hpp"
#include "armilla/error.hpp"
#include "armilla/fiber/scheduler.hpp"
#include "armilla/object/made_object.hpp"
#include "armilla/rpc/calls.hpp"

namespace armilla::detail {
namespace {

const void* running_fiber(const char* operation) { return &here(operation).fibers->running(); }

}  // namespace

// A body's loop may begin in the middle of a one-way call: it ends before that goes on.
void part_guard::close() {
  const void* const me = running_fiber("local");
  const auto may_begin = [&] { return !held_ && (running_ == nullptr || running_ == me || current->body_depth != 0); };
  if (!may_begin()) [[unlikely]]
    opened_.wait_unlocked(may_begin);
  loops_.push_back(me);
}

void part_guard::open() noexcept {
  if (current == nullptr) return;
  const auto mine = std::find(loops_.rbegin(), loops_.rend(), running_fiber("local"));
  loops_.erase(mine == loops_.rend() ? loops_.end() - 1 : std::prev(mine.base()));
  if (loops_.empty()) go_on();
}

void part_guard::release() noexcept {
  held_ = false;
  go_on();
}

void part_guard::go_on() noexcept {
  if (held_ || !loops_.empty() || waiting_.empty())
    opened_.notify_all();
  else if (running_ == nullptr)
    run_waiting();
}

// A one-way call that runs here may loop over the part itself, and send, so that others come: these stand behind it, and behind
// all that wait. It leaves the queue when it has ended: until then nothing else changes the table under it, and a fence waits.
void part_guard::run_waiting() noexcept {
  running_ = running_fiber("local");
  while (!held_ && loops_.empty() && !waiting_.empty()) {
    try {
      waiting_.front()();
    } catch (const passing&) {
    } catch (...) { note_one_way_call_error(*current, current->rank, std::current_exception()); }
    waiting_.pop_front();
  }
  running_ = nullptr;
  opened_.notify_all();
}

void part_guard::refuse_loop(const char* operation) const {
  if (current->body_depth != 0 || std::find(loops_.begin(), loops_.end(), running_fiber(operation)) == loops_.end()) return;
  throw_usage(operation,
              about(this) +
                  "this fiber is in a loop over local() of the same container, for which the answer would wait; store the keys, "
                  "end the loop, and look them up then");
}

void throw_unlike_keys(std::size_t keys, std::size_t places) {
  throw_usage("find_range",
              std::to_string(keys) + " keys, and places for " + std::to_string(places) + " answers; give as many places as keys");
}

void throw_no_forest(const std::string& path) {
  throw_usage("load", "'" + path +
                          "' is a map whose values are not parents of its keys; load a file that a keyed_disjoint_set "
                          "of the same keys has saved");
}

void throw_no_default() {
  throw_usage("get",
              "the map has no default, and its type of values has no default constructor; construct the map with "
              "am::default_value(...), or call find");
}

void throw_negative_times(const char* operation, std::uint64_t times) {
  throw_usage(operation, "a key " + std::to_string(times) + " times (is the number negative?); give 0 or more");
}

void throw_too_often() {
  throw_limit("unordered_multiset", "a rank would have more than 2^63 - 1 elements; insert fewer of a key");
}

void throw_short_column(std::size_t wanted, std::size_t left) {
  throw_decode(
      no_rank, "receive",
      "a column of a hash container holds " + std::to_string(left) + " bytes where " + std::to_string(wanted) + " are needed");
}

}  // namespace armilla::detail
