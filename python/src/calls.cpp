// SPDX-License-Identifier: Apache-2.0
// Calls between Python ranks, and the one wait of all. Both ways are one-way calls of the library: a body that has come in is
// only noted, and answered when Python has run it; until then no fence ends.
#include "armilla/rpc/calls.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <nanobind/stl/string.h>

#include "armilla/am/endpoint/endpoint.hpp"
#include "armilla/async.hpp"
#include "armilla/base/values/clock.hpp"
#include "armilla/error.hpp"
#include "armilla/poll.hpp"
#include "armilla/view.hpp"
#include "named.hpp"
#include "rank.hpp"

namespace armilla::python {

namespace {

using part = view<std::byte>;
constexpr std::size_t most_views = 4;  // buffers that travel beside the pickle; the package packs more into that

block block_of(std::uint32_t parts, const part& a, const part& b, const part& c, const part& d, const part& e) {
  const std::array<bytes_view, most_views + 1> all{bytes_view(a), bytes_view(b), bytes_view(c), bytes_view(d), bytes_view(e)};
  return block(std::span(all).first(std::min<std::size_t>(parts, all.size())));
}

void take_call(rank_t source, std::uint64_t id, std::uint32_t parts, part a, part b, part c, part d, part e) {
  if (rank_of_bodies == nullptr || rank_of_bodies->over) return;  // the job has ended but for its last meeting
  rank_of_bodies->requests.push_back({source, id, block_of(parts, a, b, c, d, e)});
  rank_of_bodies->session.rank.messages->sums.defer();
}

void take_answer(std::uint64_t id, bool raised, std::uint32_t parts, part a, part b, part c, part d, part e) {
  const auto at = rank_of_bodies->operations.find(id);
  if (at == rank_of_bodies->operations.end()) return;  // nobody asks any more
  at->second.parts.push_back(block_of(parts, a, b, c, d, e));
  rank_of_bodies->end(id, at->second, raised ? state::raised : state::value);
}

template <auto Body, class... A>
void send(rank_t dest, const held_buffers& held, A... arguments) {
  const auto all = held.parts();
  if (all.empty() || all.size() > most_views + 1) detail::throw_usage("call", "a message has one to five parts");
  const auto at = [&](std::size_t i) { return i < all.size() ? part(all[i].data(), all[i].size()) : part(nullptr, 0); };
  async<Body>(dest, arguments..., std::uint32_t(all.size()), at(0), at(1), at(2), at(3), at(4));
  flush();
}

// A two-way call: its number. One-way calls have none: 0.
std::uint64_t call(int dest, nb::handle parts, bool two_way_call) {
  rank_state& me = here("call");
  const held_buffers held(parts);
  const std::uint64_t id = two_way_call ? me.last_id + 1 : 0;
  if (dest < 0 || dest >= me.session.self.places)
    detail::throw_bad_rank(two_way_call ? "call" : "async_", dest, me.session.self.places);
  if (two_way_call) {
    me.operations[id];
    me.last_id = id;
  }
  try {
    send<&take_call>(rank_t(dest), held, me.session.self.rank, id);
  } catch (...) {
    me.operations.erase(id);
    throw;
  }
  return id;
}

void answer(int dest, std::uint64_t id, bool raised, nb::handle parts) {
  here("answer");
  const held_buffers held(parts);
  send<&take_answer>(rank_t(dest), held, id, raised);
}

// (source, id, parts) of the next call that has come in, or None. Of one by name also the function and its arguments, in place
// of the parts.
nb::object next_call() {
  rank_state& me = here("call");
  if (me.requests.empty()) return nb::none();
  incoming next = std::move(me.requests.front());
  me.requests.pop_front();
  if (next.by_name) return begin_named(next);
  return nb::make_tuple(int(next.source), next.id, as_list(std::move(next.parts)));
}

// Whether another call has come, or comes within some microseconds, and nothing else is to be done first.
bool call_soon() {
  const rank_state& me = here("call");
  const auto other = [&] {
    return !me.finished.empty() || bell.interrupted.load(std::memory_order_relaxed) ||
           bell.knocked.load(std::memory_order_relaxed);
  };
  poll_some([&] { return !me.requests.empty() || other(); });
  return !me.requests.empty() && !other();
}

enum wake_up : int { ready = 1, calls = 2, interrupted = 3, knocked = 4, late = 5 };

operation& found(rank_state& me, const char* what, std::uint64_t id) {
  const auto at = me.operations.find(id);
  if (at == me.operations.end()) detail::throw_usage(what, "this operation has been asked for already");
  return at->second;
}

// Whether the operation has ended. If not, `wait` tells when it has.
bool watch(std::uint64_t id) {
  rank_state& me = here("future");
  operation& asked = found(me, "future", id);
  poll_some([&] { return asked.ended() || !me.requests.empty(); });
  if (asked.ended()) return true;
  asked.watched = true;
  return false;
}

// Waits for an operation that is watched, for a call that is to run, an interrupt, a knock, or the time. (why, the operation)
nb::tuple wait(double seconds, const std::string& name) {
  const char* const what = kept_name(name);
  rank_state& me = here(what);
  detail::endpoint& messages = *me.session.rank.messages;
  const auto lost = [&] { return messages.lost.first() != no_rank; };
  const auto done = [&] {
    return !me.finished.empty() || !me.requests.empty() || bell.interrupted.load(std::memory_order_acquire) ||
           bell.knocked.load(std::memory_order_acquire) || lost();
  };
  if (!done() && seconds == 0) poll();
  if (seconds != 0) poll_some(done);
  if (!done() && seconds != 0) {
    catch_interrupts();
    const nb::gil_scoped_release others;
    const std::uint64_t deadline = seconds < 0 ? 0 : detail::now_ns() + std::uint64_t(seconds * 1e9) + 1;
    messages.waits.wait_until_deadline(done, deadline, what);
  }
  std::uint64_t ended = 0;
  wake_up why = late;
  if (bell.interrupted.exchange(false, std::memory_order_acquire)) {
    why = interrupted;
  } else if (!me.finished.empty()) {
    why = ready;
    ended = me.finished.front();
    me.finished.pop_front();
  } else if (!me.requests.empty()) {
    why = calls;
  } else if (bell.knocked.exchange(false, std::memory_order_acquire)) {
    why = knocked;
  } else if (lost()) {
    messages.lost.raise(messages.lost.first(), what);
  }
  return nb::make_tuple(int(why), ended);
}

bool is_ready(std::uint64_t id) {
  const rank_state& me = here("future");
  const auto at = me.operations.find(id);
  return at == me.operations.end() || at->second.ended();
}

// (raised, parts) of an operation that is ready; it is gone then.
nb::tuple take(std::uint64_t id) {
  rank_state& me = here("future");
  const auto at = me.operations.find(id);
  if (at == me.operations.end() || !at->second.ended()) detail::throw_usage("future", "its answer is not there");
  operation done = std::move(at->second);
  me.operations.erase(at);
  if (done.error != nullptr) std::rethrow_exception(done.error);
  nb::list values;
  for (block& b : done.parts) values.append(as_list(std::move(b)));
  return nb::make_tuple(done.now == state::raised, values);
}

// The future is gone. A collective goes on and still needs what it keeps.
void forget(std::uint64_t id) {
  if (rank_of_bodies == nullptr || detail::current == nullptr) return;
  const auto at = rank_of_bodies->operations.find(id);
  if (at != rank_of_bodies->operations.end() && (!at->second.collective || at->second.ended()))
    rank_of_bodies->operations.erase(at);
}

}  // namespace

const char* kept_name(const std::string& name) {
  static std::set<std::string> names;
  return names.insert(name).first->c_str();
}

void bind_calls(nb::module_& m) {
  m.def("call", &call);
  m.def("answer", &answer);
  m.def("next_call", &next_call);
  m.def("call_soon", &call_soon);
  m.def("watch", &watch);
  m.def("wait", &wait);
  m.def("is_ready", &is_ready);
  m.def("take", &take);
  m.def("forget", &forget);
  m.def("ran", [] { here("call").session.rank.messages->sums.resume(); });
  m.def("note_error", [](int source, const std::string& type, const std::string& text) {
    detail::context& self = here("call").session.rank;
    detail::note_one_way_call_error(self, rank_t(source), std::make_exception_ptr(remote_error(self.rank, "async_", type, text)));
  });
  m.def("poll", [] {
    here("poll");
    return poll();
  });
}

}  // namespace armilla::python
