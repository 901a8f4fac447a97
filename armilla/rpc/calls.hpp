// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "armilla/am/endpoint/delivery.hpp"
#include "armilla/am/endpoint/pending.hpp"
#include "armilla/base/values/owned.hpp"
#include "armilla/error.hpp"
#include "armilla/rpc/method_table.hpp"
#include "armilla/rpc/receive_buffers.hpp"

namespace armilla::detail {

struct launch;
class client_service;
class posted_work;
class loss_handlers;

/// What layer rpc keeps for a rank.
struct call_state {
  call_state(rank_t ranks, counters& count);
  ~call_state();

  stub_cache stubs;           ///< of methods that this rank calls by name
  method_table methods;       ///< that it provides under names
  receive_buffers buffers;    ///< for messages that bodies read in place
  std::uint32_t batches = 0;  ///< > 0: two-way calls, too, wait for others
  // The progress thread's bodies may throw as well.
  std::mutex error_lock;
  std::atomic<std::uint64_t> one_way_call_errors = 0;  ///< since the last fence
  std::exception_ptr first_error;                      ///< the first of them; the fence throws it on every rank
  bool tell_errors = false;                            ///< at once, too: no fence comes before the end
  bool objects_end = false;                            ///< calls to objects that are destroyed already are no errors any more
  owned<client_service> clients;                       ///< their calls of this rank
  std::shared_ptr<posted_work> posted;                 ///< what other threads of the process want it to run
  owned<loss_handlers> losses;                         ///< null: the program has said nothing of them
  std::string (*objects)() = [] { return std::string(); };  ///< a layer above lists them: client_request::objects
};

/// What an exception says: its type, readable, its text, and where it was thrown. Of a remote_error: what the innermost body
/// threw, and where.
struct thrown_text {
  rank_t thrower;
  std::string type;
  std::string text;
  throw_place from = {};
};
[[gnu::cold]] thrown_text describe_exception(rank_t here, const std::exception_ptr& reason);

/// A one-way call's body threw `reason`. No rank waits for it, so the next fence throws it. Under run_main it is also printed at
/// once.
[[gnu::cold]] void note_one_way_call_error(context& self, rank_t source, std::exception_ptr reason);

/// The rank's code has ended: from here on errors that say `object_is_gone` are ignored, as destructors may call objects that
/// the end has destroyed before. What is kept in futures and fibers that still live is noted as if they were destroyed now.
void note_errors_at_end(context& self) noexcept;
inline constexpr std::string_view object_is_gone = "has been destroyed on this rank";

/// Answers a two-way call with an exception instead of a value.
[[gnu::cold]] void reply_error(sending& out, rank_t source, op_id to, std::exception_ptr reason);

/// Something hangs on the reply to `c` that may send: until it has run, this rank counts as not idle for a fence. The reply
/// alone is not enough, for those of progress threads are in no count. Of what this rank itself promises, the call behind it
/// counts.
void defer_for(pending_op& c) noexcept;
/// It has run, or never will.
void settle_deferred(pending_op& c) noexcept;

void start_calls(context& self, const launch& how);
void stop_calls(context& self);

}  // namespace armilla::detail
