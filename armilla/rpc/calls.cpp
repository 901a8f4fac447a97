// SPDX-License-Identifier: Apache-2.0
#include "armilla/rpc/calls.hpp"

#include <cxxabi.h>

#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <typeinfo>

#include <fmt/format.h>

#include "armilla/am/endpoint/endpoint.hpp"
#include "armilla/am/endpoint/meant_for_lost.hpp"
#include "armilla/am/endpoint/message_writer.hpp"
#include "armilla/am/handler/method_name.hpp"
#include "armilla/base/core/call_stack.hpp"
#include "armilla/base/core/error_text.hpp"
#include "armilla/base/core/options.hpp"
#include "armilla/boot/watch/ending.hpp"
#include "armilla/call.hpp"
#include "armilla/error.hpp"
#include "armilla/future.hpp"
#include "armilla/method.hpp"
#include "armilla/rpc/client_service.hpp"
#include "armilla/rpc/loss_handlers.hpp"
#include "armilla/rpc/packing.hpp"
#include "armilla/rpc/posted_work.hpp"
#include "armilla/team/core/record.hpp"
#include "armilla/team/core/team_state.hpp"

// Model: tests/models/protocols/fence.pml
namespace armilla::detail {
namespace {

std::string readable(const char* name) {
  int status = 0;
  char* plain = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  std::string result = status == 0 ? plain : name;
  std::free(plain);
  return result;
}

struct error_head {
  op_id name;
  std::uint32_t type_bytes;
  std::uint32_t text_bytes;
  rank_t thrower;  ///< where the innermost body ran
  std::uint32_t unused;
  throw_place from;
};

constexpr std::size_t longest_text = 4096;

constexpr std::string_view type_of_meant_for_lost = "armilla::detail::meant_for_lost";

std::exception_ptr error_of(const error_head& head, std::string_view type, std::string_view text) {
  if (type == type_of_meant_for_lost) return std::make_exception_ptr(meant_for_lost(head.thrower, "call"));
  return std::make_exception_ptr(remote_error(head.thrower, "call", type, text, head.from));
}

/// At most `most` letters; what was longer says so by its dots.
std::string shortened(std::string text, std::size_t most) {
  if (text.size() > most) text.replace(most - 3, std::string::npos, "...");
  return text;
}

/// Takes in the exceptions that two-way calls ended with.
struct error_reply {
  static constexpr const char* method_name = "reply by an exception";

  static void run(delivery& in, rank_t source, const std::byte* at, std::size_t size) {
    const std::byte* const end = at + size;
    while (at != end) {
      error_head head;
      if (std::size_t(end - at) < sizeof head) throw_short_message(sizeof head, std::size_t(end - at));
      std::memcpy(&head, at, sizeof head);
      const std::size_t bytes = align_up(std::size_t(head.type_bytes) + head.text_bytes, 8);
      if (std::size_t(end - at) - sizeof head < bytes) throw_short_message(bytes, std::size_t(end - at) - sizeof head);
      if (head.thrower < 0 || head.thrower >= in.self.places)
        throw_decode(source, "receive", fmt::format("an error of rank {}, which does not exist", head.thrower));
      const char* text = reinterpret_cast<const char*>(at + sizeof head);
      at += sizeof head + bytes;
      ++in.out.count().remote_errors;
      in.count_message(reply_error_handler, sizeof head + bytes);
      const auto error = error_of(head, {text, head.type_bytes}, {text + head.type_bytes, head.text_bytes});
      if (pending_op* c = in.out.pending.find(head.name); c != nullptr && c->is_two_way_call()) {
        c->fail(error);
      } else {
        ++in.out.count().replies_abandoned;
        note_dropped_error(error);
      }
    }
  }
};
handler_slot& error_handler = fixed_handler<error_reply, reply_error_handler>;

// `from` in brackets after the text, and alone if the text is empty.
std::string with_origin(const std::string& text, const std::string& from) {
  return text.empty() ? from : fmt::format("{} ({})", text, from);
}

void tell_error(rank_t rank, const thrown_text& found, const std::string& from) {
  say(fmt::format("armilla: rank {}: {}: {}; no rank waits for it, and the job will end by it", rank, found.type,
                  with_origin(shortened(without_prefix(found.text, rank), longest_text), from)));
}

}  // namespace

call_state::call_state(rank_t ranks, counters& count) : stubs(ranks), buffers(count) {}
call_state::~call_state() = default;

thrown_text describe_exception(rank_t here, const std::exception_ptr& reason) {
  thrown_text found{here, "an exception of unknown type", {}, place_of_throw(reason)};
  try {
    std::rethrow_exception(reason);
  } catch (const remote_error& nested) {  // keep what the innermost body said
    found.thrower = nested.rank(), found.type = nested.type_name(), found.text = nested.text();
  } catch (const std::exception& e) { found.type = readable(typeid(e).name()), found.text = text_of(e); } catch (...) {
    if (const std::type_info* type = abi::__cxa_current_exception_type()) found.type = readable(type->name());
  }
  return found;
}

void rethrow_damage() {
  try {
    throw;
  } catch (const decode_error&) { throw; } catch (...) {
  }
}

void throw_short_message(std::size_t need, std::size_t have) {
  throw_decode(no_rank, "receive",
               "a call's arguments take " + std::to_string(need) + " bytes, but " + std::to_string(have) +
                   " are left; do all ranks run the same build?");
}

void throw_empty_future(const char* operation) {
  throw_usage(operation,
              "the future is empty: it was default constructed, moved from, or asked before; keep the value that get() gave");
}

namespace {

std::string describe(const two_way_call_place& asked) {
  const std::string method = asked.method == named_two_way_call_handler ? fmt::format("call by name of '{}'", asked.name)
                                                                        : handler_method_name(asked.method);
  return fmt::format("the reply of rank {} to {}", asked.rank, method);
}

std::string explain_reply(const context&, const char* operation, const pending_op& c) {
  if (c.state != pending_op::state_t::pending) return fmt::format("{}: the reply is there", operation);
  if (c.is_two_way_call()) return fmt::format("{}: {}", operation, describe(c.asked));
  const std::string promised = fmt::format("{} of what {} gives", operation, c.asked.maker);
  return c.asked.rank == no_rank ? promised : fmt::format("{}, which takes {}", promised, describe(c.asked));
}

}  // namespace

// The reply may be taken, and `c` used for another two-way call, before the fiber has its turn.
bool wait_for_reply(pending_op& c, std::uint64_t deadline_ns, const char* operation) {
  waiting_fiber mine;
  const auto there = [&c, asked = c.generation] { return c.state != pending_op::state_t::pending || c.generation != asked; };
  const auto arm = [&](fiber_record& me) {
    if (mine.who == nullptr) c.attach_first(mine);
    mine.who = &me;
  };
  struct disarm {
    pending_op& c;
    waiting_fiber& mine;
    ~disarm() { c.detach(mine); }
  } at_end{c, mine};
  return here(operation).messages->waits.wait_woken(there, arm, deadline_ns, operation, wait_object::of<explain_reply>(c));
}

void wake_waiting(pending_op& dropped) noexcept {
  for (continuation* step = dropped.next_step; step != nullptr && step->run == &waiting_fiber::go; step = step->next)
    step->run(step, &dropped);
}

namespace {

// The fiber that received the reply made the error, and another function may have called it: where() names the one that asks.
std::exception_ptr made_here(const std::exception_ptr& reason) noexcept {
  try {
    std::rethrow_exception(reason);
  } catch (const remote_error& e) {
    try {
      const remote_error here(e.rank(), "call", e.type_name(), e.text(), error_places::other(e));
      if (typeid(e) == typeid(here) && std::strcmp(e.what(), here.what()) == 0) return std::make_exception_ptr(here);
    } catch (const std::bad_alloc&) {}
  } catch (...) {}
  return reason;
}

}  // namespace

void rethrow_and_give_back(pending_op* c) {
  const std::exception_ptr reason = std::move(*c->error);
  abandon_failed(c);
  current->out->pending.give_back(c);
  std::rethrow_exception(made_here(reason));
}

void abandon_failed(pending_op* c) noexcept { delete c->error; }

void drop_failed(pending_op* c) noexcept {
  if (c->if_dropped != pending_op::dropped::forgets) note_dropped_error(*c->error);
  abandon_failed(c);
}

void await_dropped(pending_op& c) noexcept {
  try {
    wait_for_reply(c, 0, "call_into");
  } catch (const std::exception& why) {
    fatal("call_into", std::string("the buffer of a call_into goes before the reply has come, and that cannot be waited for (") +
                           without_prefix(text_of(why), current->rank) + "); call get or wait where waiting is possible");
  }
}

void defer_for(pending_op& c) noexcept {
  if (c.reply_handler == no_handler || c.deferred) return;
  c.deferred = true;
  current->messages->sums.defer();
}

void settle_deferred(pending_op& c) noexcept {
  if (std::exchange(c.deferred, false)) current->messages->sums.resume();
}

namespace {

void note_error(context& self, const thrown_text& found, const std::string& from) {
  call_state& calls = *self.calls;
  const std::lock_guard lock(calls.error_lock);
  if (calls.objects_end && found.text.find(object_is_gone) != std::string::npos) return;
  if (calls.one_way_call_errors++ != 0) return;
  const std::string text =
      with_origin(shortened(found.text, sizeof error_record::text - std::strlen(" ()") - 1 - from.size()), from);
  calls.first_error = std::make_exception_ptr(remote_error(found.thrower, "async", found.type, text, found.from));
  if (calls.tell_errors) tell_error(self.rank, found, from);
}

}  // namespace

void note_one_way_call_error(context& self, rank_t source, std::exception_ptr reason) {
  const thrown_text found = describe_exception(self.rank, reason);
  if (found.type == type_of_meant_for_lost) return;
  note_error(self, found, fmt::format("in a one-way call of rank {}", source));
}

// Whoever is concerned hears of a lost rank elsewhere.
void note_dropped_error(const std::exception_ptr& reason) noexcept {
  context& self = *current;
  const thrown_text found = describe_exception(self.rank, reason);
  if (self.calls == nullptr || found.type == "armilla::rank_lost") return;
  note_error(self, found, "the future of it was dropped");
}

void note_errors_at_end(context& self) noexcept {
  self.out->pending.each_failed([](pending_op& c) {
    if (std::exchange(c.if_dropped, pending_op::dropped::forgets) != pending_op::dropped::forgets) note_dropped_error(*c.error);
  });
  self.fibers->lose_errors_of_ended();
  self.calls->objects_end = true;
}

void reply_error(sending& out, rank_t source, op_id to, std::exception_ptr reason) {
  thrown_text found = describe_exception(current->rank, reason);
  found.text = shortened(std::move(found.text), longest_text);
  found.type = shortened(std::move(found.type), longest_text);
  const error_head head{to, std::uint32_t(found.type.size()), std::uint32_t(found.text.size()), found.thrower, 0, found.from};
  const std::size_t letters = found.type.size() + found.text.size();
  channel_head& c = out.to(source);
  const std::size_t bytes = sizeof head + align_up(letters, 8);
  std::byte* const place = message_writer::in_frame(out, c, error_handler.id, bytes, traffic::uncounted_replies).at;
  std::memcpy(place, &head, sizeof head);
  std::memcpy(place + sizeof head, found.type.data(), found.type.size());
  std::memcpy(place + sizeof head + found.type.size(), found.text.data(), found.text.size());
  ++out.count().replies_sent;
  finish_reply(out, c);
}

// ---- what the fence learns of one-way calls ----

namespace {

std::uint64_t count_errors(context& self) { return self.calls->one_way_call_errors; }

void copy_text(char* to, std::size_t size, const char* from) {
  const std::string text = shortened(from, size - 1);
  std::memcpy(to, text.c_str(), text.size() + 1);
}

bool take_error(context& self, error_record& record) {
  call_state& calls = *self.calls;
  std::exception_ptr first;
  {
    const std::lock_guard lock(calls.error_lock);
    if (calls.one_way_call_errors.exchange(0) == 0) return false;
    first = std::exchange(calls.first_error, nullptr);
  }
  try {
    std::rethrow_exception(std::move(first));
  } catch (const remote_error& e) {
    record.rank = e.rank();
    copy_text(record.type, sizeof record.type, e.type_name());
    copy_text(record.text, sizeof record.text, e.text());
    record.from = error_places::other(e);
  }
  return true;
}

}  // namespace

namespace {

void fail_two_way_calls(context& self, rank_t lost) {
  if (self.calls == nullptr) return;
  self.out->pending.end_each([lost](const pending_op& c) { return c.is_two_way_call() && c.asked.rank == lost; },
                             [&](pending_op& c) { c.fail(self.messages->lost.error(lost, "call")); });
  if (self.calls->losses != nullptr) self.calls->losses->add_fibers(self, lost);
}

void forget_stubs(context& self, rank_t successor) {
  if (self.calls != nullptr) self.calls->stubs.forget(successor);
}

void run_loss_handlers(context& self) {
  if (self.calls != nullptr && self.calls->losses != nullptr) self.calls->losses->start_fibers(self);
}

constexpr method<std::string()> list_of_methods{"armilla.methods"};
std::string methods_here() { return current->calls->methods.list(); }

void provide_list(call_state& calls) {
  using body = provided<list_of_methods, &methods_here>;
  calls.methods.provide(description_of<list_of_methods>, runners_of<body>, runners_of<body>, nullptr);
}

}  // namespace

void start_calls(context& self, const launch& how) {
  self.messages->lost.tell(fail_two_way_calls);
  self.messages->lost.tell_at_the_end(run_loss_handlers);
  self.messages->lost.tell_of_return(forget_stubs);
  self.calls = new call_state(self.places, *self.count);
  provide_list(*self.calls);
  self.calls->buffers.set_limit(self.settings->receive_buffers);
  self.calls->clients = std::make_unique<client_service>(self);
  self.calls->posted = make_posted_work(how);
  self.calls->posted->open(self);
  self.fibers->set_lost_error(
      [](context& rank, std::exception_ptr why) { note_one_way_call_error(rank, rank.rank, std::move(why)); });
  self.teams->hooks.errors = &count_errors;
  self.teams->hooks.take_error = &take_error;
}

void stop_calls(context& self) {
  self.fibers->set_lost_error(nullptr);
  if (self.calls != nullptr) self.calls->posted->close(posted_work::rest::discarded);
  delete self.calls;
  self.calls = nullptr;
}

}  // namespace armilla::detail
