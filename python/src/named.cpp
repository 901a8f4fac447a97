// SPDX-License-Identifier: Apache-2.0
// Methods by name between this rank and ranks of any program of the job: as armilla/method.hpp, with signatures that are
// known at run time alone.
#include "named.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include "armilla/am/endpoint/endpoint.hpp"
#include "armilla/am/endpoint/message_writer.hpp"
#include "armilla/base/core/call_stack.hpp"
#include "armilla/call.hpp"
#include "armilla/error.hpp"
#include "armilla/future.hpp"
#include "armilla/poll.hpp"
#include "armilla/rpc/call_handlers.hpp"
#include "armilla/rpc/calls.hpp"
#include "armilla/spawn.hpp"
#include "codec.hpp"
#include "method.hpp"

namespace armilla::python {

using detail::op_id;
using bytes = std::vector<std::byte>;

namespace {

// ---- this rank calls ----

/// One for each name and signature that this process ever calls, for ever: reports and the cache of indices refer to it.
struct called_method : method_signature {
  using method_signature::method_signature;
  detail::method_number number;
};

const called_method& called(const std::string& name, const std::string& text) {
  static std::map<std::pair<std::string, std::string>, std::unique_ptr<const called_method>> all;
  std::unique_ptr<const called_method>& found = all[{name, text}];
  if (found == nullptr) found = std::make_unique<const called_method>(name, text);
  return *found;
}

/// Takes in the reply: its value is its bytes. A reply to a two-way call by name is a bundle of its own.
struct bytes_reply {
  static constexpr const char* method_name = "reply by name, for Python";

  static void run(detail::delivery& in, rank_t, const std::byte* at, std::size_t size) {
    op_id name;
    if (size < sizeof name) detail::throw_short_message(sizeof name, size);
    std::memcpy(&name, at, sizeof name);
    detail::pending_op* const asked = in.out.pending.find(name);
    if (asked == nullptr || asked->reply_handler != detail::handler<bytes_reply>.id) {
      ++in.out.count().replies_abandoned;
      return;
    }
    asked->store<bytes>(at + sizeof name, at + size);
    asked->complete(detail::pending_op::state_t::ready);
  }
};

/// Where the reply goes: into an operation of the package, unless its future was dropped.
struct into_operation {
  std::uint64_t id;
  const called_method* method;

  void take(bytes&& reply) const {
    if (operation* const asked = find()) {
      const bytes_view all(reply);
      asked->parts.emplace_back(std::span(&all, 1));
      rank_of_bodies->end(id, *asked, state::value);
    }
  }
  void fail(std::exception_ptr why) const {
    operation* const asked = find();
    if (asked == nullptr) return;
    try {
      std::rethrow_exception(why);
    } catch (const remote_error& e) {
      why = std::make_exception_ptr(
          remote_error(e.rank(), method->name.c_str(), e.type_name(), e.text(), detail::error_places::other(e)));
    } catch (...) {}
    asked->error = std::move(why);
    rank_of_bodies->end(id, *asked, state::raised);
  }

 private:
  operation* find() const {
    if (rank_of_bodies == nullptr) return nullptr;
    const auto at = rank_of_bodies->operations.find(id);
    return at == rank_of_bodies->operations.end() ? nullptr : &at->second;
  }
};

std::byte* room(detail::sending& out, detail::channel_head& c, const called_method& m, bool two_way_call, std::size_t size,
                std::uint64_t& index) {
  const std::uint32_t known = out.self.calls->stubs.find(m.number, c.to);
  index = 0;
  if (known < detail::stub_cache::first_known)
    return detail::begin_cold_call(out, c, m.number, m.description(), two_way_call, size);
  ++out.count().stub_hits;
  index = known - detail::stub_cache::first_known;
  const detail::handler_id h = two_way_call ? detail::named_two_way_call_handler : detail::named_one_way_call_handler;
  return detail::message_writer::in_frame(out, c, h, size).at;
}

// The message begins with `head` bytes; the method's index is the last of them.
void write(std::byte* to, bytes& message, std::size_t head, std::uint64_t index) {
  std::memcpy(message.data() + head - sizeof index, &index, sizeof index);
  std::memcpy(to, message.data(), message.size());
}

class peer_method {
 public:
  peer_method(const std::string& name, const std::string& text) : method_(&called(name, text)) {}

  std::uint64_t ask(int dest, const nb::args& arguments) const {
    rank_state& me = here(method_->name.c_str());
    detail::sending& out = *me.session.rank.out;
    detail::channel_head& c = out.checked(dest, method_->name.c_str());
    constexpr std::size_t head = sizeof(op_id) + sizeof(std::uint64_t);
    bytes message = message_of(*method_, head, arguments);
    out.admit(c);
    detail::pending_op* const target = out.pending.take(detail::handler<bytes_reply>.id);
    target->asked = {detail::named_two_way_call_handler, c.to, method_->name.c_str(), nullptr, nullptr, 0};
    future<bytes> reply = detail::future_access::adopt<bytes>(target);
    const op_id name = target->name();
    std::memcpy(message.data(), &name, sizeof name);
    std::uint64_t index;
    std::byte* const place = room(out, c, *method_, true, message.size(), index);
    write(place, message, head, index);
    detail::finish_two_way_call(out, *out.self.calls, c);
    const std::uint64_t id = ++me.last_id;
    me.operations[id];
    detail::when_filled(std::move(reply),
                        [to = into_operation{id, method_}](detail::pending_op* filled) { detail::consume<bytes>(filled, to); });
    return id;
  }

  void tell(int dest, const nb::args& arguments) const {
    rank_state& me = here(method_->name.c_str());
    detail::sending& out = *me.session.rank.out;
    detail::channel_head& c = out.checked(dest, method_->name.c_str());
    constexpr std::size_t head = sizeof(std::uint64_t);
    bytes message = message_of(*method_, head, arguments);
    out.admit(c);
    std::uint64_t index;
    std::byte* const place = room(out, c, *method_, false, message.size(), index);
    write(place, message, head, index);
    ++out.count().one_way_calls_sent;
    out.done(c);
    flush();
  }

  // The value of an operation that is ready; throws what came instead.
  nb::object take(std::uint64_t id) const {
    rank_state& me = here(method_->name.c_str());
    const auto at = me.operations.find(id);
    if (at == me.operations.end() || !at->second.ended()) detail::throw_usage("future", "its answer is not there");
    const operation done = std::move(at->second);
    me.operations.erase(at);
    if (done.error != nullptr) std::rethrow_exception(done.error);
    std::size_t end = 0;
    return decode(done.parts.at(0).part(0), end, method_->types.result);
  }

 private:
  const called_method* method_;
};

// ---- others call this rank ----

/// One for each name and signature that this rank ever provides, for ever: its index means it for ever.
struct own_method : method_signature {
  using method_signature::method_signature;
  PyObject* function = nullptr;  // null: it is withdrawn. Owned; read and written on the rank's main fiber alone
  bool provided = false;
  std::uint64_t index = 0;
};

struct own_methods {
  std::map<std::pair<std::string, std::string>, std::unique_ptr<own_method>> all;
  std::map<std::uint64_t, own_method*> by_index;
};
own_methods& mine() {
  static auto& only = *new own_methods;  // never destroyed: the interpreter is gone then
  return only;
}

}  // namespace

struct named_body {
  const own_method* method;
  bytes arguments;
  detail::shared_range memory;  ///< of the caller
  detail::pending_op* outcome;  ///< the encoded result
};

namespace {

own_method& method_at(rank_t source, std::span<const std::byte> message) {
  std::uint64_t index = 0;
  if (message.size() < sizeof index) detail::throw_short_message(sizeof index, message.size());
  std::memcpy(&index, message.data(), sizeof index);
  const auto found = mine().by_index.find(index);
  if (found == mine().by_index.end()) detail::throw_damaged(source, "a method's index", index);
  return *found->second;
}

// Waits, in its fiber, until Python has run the body. No fence ends meanwhile, since bodies that wait count as running.
bytes run_in_python(const own_method& method, rank_t source, std::span<const std::byte> arguments,
                    const detail::shared_range& memory) {
  rank_state* const me = rank_of_bodies;
  if (!method.provided) me->session.rank.calls->methods.throw_withdrawn(method.index);
  if (me->over) detail::throw_usage("call", fmt::format("'{}' is not run: the script of this rank has ended", method.name));
  const auto outcome = detail::promise<bytes>::make("provide");
  future<bytes> result = outcome.get_future();
  named_body body{&method, bytes(arguments.begin(), arguments.end()), memory, outcome.target};
  const std::uint64_t id = ++me->last_id;
  me->bodies[id] = &body;
  struct forgotten {
    rank_state& me;
    std::uint64_t id;
    ~forgotten() { me.bodies.erase(id); }
  } at_end{*me, id};
  incoming next;
  next.source = source;
  next.id = id;
  next.by_name = true;
  me->requests.push_back(std::move(next));
  return result.get();
}

/// The arguments of the message at the front of `rest`, which moves behind it.
std::span<const std::byte> take_arguments(detail::bundle_rest& rest, const own_method& method) {
  const std::span<const std::byte> all(rest.at + sizeof(std::uint64_t), rest.end);
  const std::size_t extent = extent_of(all, method.types.parameters);
  rest.at += sizeof(std::uint64_t) + std::min(detail::align_up(extent, 8), all.size());
  return all.first(extent);
}

void send_reply(detail::delivery& in, rank_t source, op_id to, const bytes& result) {
  detail::sending& out = in.out;
  detail::channel_head& c = out.to(source);
  const std::size_t size = sizeof to + detail::align_up(result.size(), 8);
  const auto message =
      detail::message_writer::begin<detail::audience::job>(out, c, detail::named_reply_handler, size, in.body_has_waited(),
                                                           detail::traffic::replies, detail::traffic::uncounted_replies);
  if (!message.is_alone()) out.end_bundle(c);
  std::memset(message.at + size - 8, 0, 8);
  std::memcpy(message.at, &to, sizeof to);
  if (!result.empty()) std::memcpy(message.at + sizeof to, result.data(), result.size());
  if (message.finish(out, c, size)) return;
  ++out.count().replies_sent;
  detail::finish_reply(out, c);
}

void run_two_way_call(detail::delivery& in, rank_t source, detail::bundle_rest& rest, bool) {
  op_id name;
  std::memcpy(&name, rest.at, sizeof name);  // it is there: the index behind it was
  rest.at += sizeof name;
  const std::byte* const message = rest.at;
  const own_method& method = method_at(source, {rest.at, rest.end});
  const std::span<const std::byte> arguments = take_arguments(rest, method);
  in.count_message(detail::named_two_way_call_handler, sizeof name + std::size_t(rest.at - message));
  try {
    send_reply(in, source, name, run_in_python(method, source, arguments, in.memory_of(source)));
  } catch (...) { detail::reply_error(in.out, source, name, std::current_exception()); }
}

void run_one_way_call(detail::delivery& in, rank_t source, detail::bundle_rest& rest) {
  const std::byte* const message = rest.at;
  const own_method& method = method_at(source, {rest.at, rest.end});
  const std::span<const std::byte> arguments = take_arguments(rest, method);
  in.count_message(detail::named_one_way_call_handler, std::size_t(rest.at - message));
  try {
    run_in_python(method, source, arguments, {});
  } catch (...) { detail::note_one_way_call_error(in.self, source, std::current_exception()); }
}

void run_for_client(std::span<const std::byte> message, bytes& reply) {
  const own_method& method = method_at(no_rank, message);
  const std::span<const std::byte> all = message.subspan(sizeof(std::uint64_t));
  reply = run_in_python(method, no_rank, all.first(extent_of(all, method.types.parameters)), {});
}

constexpr detail::method_runners runners{&run_two_way_call, &run_one_way_call, &run_for_client};

void check_parameters(const own_method& method) {
  for (const wire_type& p : method.types.parameters)
    if (p.is == wire_type::kind::nothing)
      detail::throw_usage("provide",
                          fmt::format("'{}' {}: void is no type of a parameter; leave it out", method.name, method.text));
}

void provide(const std::string& name, const std::string& text, nb::object function) {
  rank_state& me = here("provide");
  if (name.empty() || name.size() > 256) detail::throw_usage("provide", "the name of a method has 1 to 256 letters");
  std::unique_ptr<own_method>& entry = mine().all[{name, text}];
  if (entry == nullptr) {
    auto made = std::make_unique<own_method>(name, text);
    check_parameters(*made);
    entry = std::move(made);
  }
  detail::method_table& methods = me.session.rank.calls->methods;
  methods.provide(entry->description(), runners, runners, nullptr);
  entry->index = methods.look_up(entry->description(), me.session.self.rank);
  mine().by_index[entry->index] = entry.get();
  Py_XDECREF(std::exchange(entry->function, function.release().ptr()));
  entry->provided = true;
}

void withdraw(const std::string& name) {
  rank_state& me = here("withdraw");
  for (const auto& [key, method] : mine().all)
    if (key.first == name && method != nullptr && method->provided) {
      me.session.rank.calls->methods.withdraw(method->description());
      method->provided = false;
      return;  // calls that have come in still run it
    }
  me.session.rank.calls->methods.withdraw({name, "", 0});  // which says what there is
}

named_body* find_body(std::uint64_t id) {
  rank_state& me = here("provide");
  const auto at = me.bodies.find(id);
  return at == me.bodies.end() ? nullptr : at->second;
}

// The body answers in its own fiber: now, not when Python next waits.
void let_it_answer(std::uint64_t id) {
  rank_of_bodies->bodies.erase(id);
  rank_of_bodies->session.rank.fibers->let_run("the answer of a call by name");
}

void answer_named(std::uint64_t id, nb::object value) {
  named_body* const body = find_body(id);
  if (body == nullptr) return;
  const wire_type& type = body->method->types.result;
  bytes reply;
  if (type.is != wire_type::kind::nothing) encode(reply, 0, type, value);
  body->outcome->store<bytes>(std::move(reply));
  body->outcome->complete(detail::pending_op::state_t::ready);
  let_it_answer(id);
}

void fail_named(std::uint64_t id, const std::string& type, const std::string& text) {
  named_body* const body = find_body(id);
  if (body == nullptr) return;
  const rank_t me = rank_of_bodies->session.self.rank;
  body->outcome->fail(std::make_exception_ptr(remote_error(me, body->method->name.c_str(), type, text)));
  let_it_answer(id);
}

}  // namespace

nb::object begin_named(const incoming& next) {
  const named_body* const body = find_body(next.id);
  if (body == nullptr) return nb::none();
  nb::list arguments;
  try {
    std::size_t at = 0;
    for (const wire_type& type : body->method->types.parameters)
      arguments.append(decode(body->arguments, at, type, body->memory));
  } catch (const std::exception& why) {
    fail_named(next.id, "an error in its arguments", why.what());
    return nb::none();
  }
  return nb::make_tuple(int(next.source), next.id, nb::borrow(body->method->function), nb::tuple(arguments));
}

void bind_named(nb::module_& m) {
  nb::class_<peer_method>(m, "PeerMethod")
      .def(nb::init<const std::string&, const std::string&>())
      .def("ask", &peer_method::ask)
      .def("tell", &peer_method::tell)
      .def("take", &peer_method::take);
  m.def("provide", &provide);
  m.def("withdraw", &withdraw);
  m.def("answer_named", &answer_named, nb::arg("body"), nb::arg("value").none());
  m.def("fail_named", &fail_named);
}

}  // namespace armilla::python
