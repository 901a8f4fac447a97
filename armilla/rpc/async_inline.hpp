// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstring>
#include <exception>
#include <type_traits>
#include <utility>

#include "armilla/am/endpoint/message_writer.hpp"
#include "armilla/hints.hpp"
#include "armilla/rpc/by_name.hpp"
#include "armilla/rpc/call_handlers.hpp"
#include "armilla/rpc/callable.hpp"
#include "armilla/rpc/calls.hpp"
#include "armilla/rpc/packing.hpp"
#include "armilla/team.hpp"

// What the templates of async.hpp are made of.
namespace armilla {
namespace detail {

template <class F, class... A>
struct one_way_call;

/// The handler that one-way calls for F go to.
template <class F, class... A>
handler_id one_way_call_id() noexcept {
  if constexpr (by_name<F>)
    return named_one_way_call_handler;
  else
    return handler<one_way_call<F, A...>>.id;
}

template <class F, class... A>
struct one_way_call {
  using packed = packing<F, A...>;
  static constexpr std::size_t empty_message = 8;  // so that a bundle of one-way calls without any bytes has a length

  static constexpr std::size_t message_bytes = packed::empty ? empty_message : packed::message_bytes;
  /// A bundle is a row of messages of one size: one look at its length tells that all are whole.
  static constexpr bool uniform = packed::fixed && !by_name<F>;

  static std::size_t size(const A&... arguments) { return packed::empty ? empty_message : packed::size({}, arguments...); }

  static constexpr bool may_wait = body_may_wait<F>;
  static constexpr bool runs_bodies = true;
  static constexpr bool streams = !packed::fixed && !by_name<F>;
  /// Whether one look finds the object and whether it is there: nothing runs between the two where messages are plain moves.
  static constexpr bool found_at_once = packed::fixed && finds_object<F>;

  struct untimed {
    untimed(stopwatch*, component) noexcept {}
  };
  using timed_message = std::conditional_t<packed::fixed, untimed, timed>;

  // A bundle of one-way calls. One alone, of fixed size, needs no loop, and no register to be saved.
  static void run(delivery& in, rank_t source, const std::byte* at, std::size_t size) {
    if constexpr (uniform && !may_be_absent<F>)
      if (size == message_bytes && in.begin_only_body(may_wait)) [[likely]]
        return run_only(in, source, at);
    run_bundle(in, source, at, size);
  }

  static void run_only(delivery& in, rank_t source, const std::byte* at) {
    const std::byte* const end = at + message_bytes;
    bool begun = false;
    try {
      void* found = nullptr;
      if constexpr (found_at_once) found = packing<F, A...>::callable_at(at, end).find();
      run_message(in, at, end, origin{source}, found, [&] { begun = true; });
    } catch (const passing&) { throw; } catch (...) {
      if (!begun) rethrow_damage();
      note_one_way_call_error(in.self, source, std::current_exception());
    }
  }

  // The body is inlined in the loop over its messages. If one waits, `rest` is empty afterwards.
  [[gnu::noinline]] static void run_bundle(delivery& in, rank_t source, const std::byte* at, std::size_t size) {
    const timed body(packed::fixed ? in.watch() : nullptr, component::cpu);  // unpacking is a few moves within the loop
    bundle_rest rest{at, at + size};
    incoming_block* stream = nullptr;
    if constexpr (streams) stream = in.take_stream();
    if constexpr (may_wait) in.begin_bodies(rest);
    run_some(in, source, rest, stream);
    while (in.next_body(rest)) run_some(in, source, rest, stream);  // behind one that threw
  }

  /// Inside a `catch`: behind the message at `at`, whose arguments could not be taken out. Throws on if it is damaged.
  [[gnu::cold, gnu::noinline]] static const std::byte* pass_over(delivery& in, rank_t source, const std::byte* at,
                                                                 const std::byte* end, incoming_block* stream) {
    rethrow_damage();
    origin from{source};
    from.stream = stream;
    const std::byte* const behind = packed::empty ? at + empty_message : packed::behind(at, end, from);
    if constexpr (!packed::fixed || by_name<F>) in.count_message(one_way_call_id<F, A...>(), std::size_t(behind - at));
    return behind;
  }

  /// The message at `at`, which is behind it when `begins()` is called, and then its body.
  template <class Begins>
  [[gnu::always_inline]] static void run_message(delivery& in, const std::byte*& at, [[maybe_unused]] const std::byte* end,
                                                 origin from, [[maybe_unused]] void* found, const Begins& begins) {
    [[maybe_unused]] const std::byte* const before = at;
    if constexpr (packed::views) from.transient = in.transient(before);
    const auto run_body = [&](F& f, auto&&... arguments) {
      begins();
      [[maybe_unused]] const timed_message body(in.watch(), component::cpu);
      if constexpr (!packed::fixed || by_name<F>) in.count_message(one_way_call_id<F, A...>(), std::size_t(at - before));
      if constexpr (found_at_once)
        if (found != nullptr) [[likely]] {
          f.run(found, std::move(arguments)...);
          return;
        }
      f(std::move(arguments)...);
    };
    if constexpr (uniform)
      packed::read_whole(at, from, run_body);
    else
      packed::read(at, end, from, run_body);
  }

  /// Messages from the front of `rest`, up to one that fails or, by name, up to one of another method or the next body that a
  /// limited poll has to weigh.
  static void run_some(delivery& in, rank_t source, bundle_rest& rest, incoming_block* stream) {
    // The place is kept here and told to `rest` only: the next message does not wait for what went through memory.
    const std::byte* at = rest.at;
    const std::byte* const end = rest.end;
    const std::byte* whole = end;
    if constexpr (uniform) whole -= std::size_t(end - at) % message_bytes;
    const std::byte* before = at;
    try {
      while (at != whole) {
        before = at;
        if constexpr (packed::empty) rest.at = at += empty_message;
        origin from{source};
        if constexpr (streams) from.stream = stream;
        [[maybe_unused]] void* found = nullptr;
        if constexpr (found_at_once) found = packing<F, A...>::callable_at(at, end).find();
        if constexpr (may_be_absent<F>)
          if (found == nullptr && absent<F, A...>(at, end, from)) [[unlikely]] {
            rest.at = at;
            closure_copy<F> f(before);
            (*f).park(in.self, {source, one_way_call_id<F, A...>(), {before, at}});
            continue;
          }
        run_message(in, at, end, from, found, [&] { rest.at = at; });
        if (rest.until != end) [[unlikely]]  // the body has waited, or this poll has a limit
          if (by_name<F> || !in.goes_on(rest)) return;
        if constexpr (by_name<F>)
          if (!same_method(before, at, end)) return;
      }
      if (whole != end) [[unlikely]] {
        before = whole;
        throw_short_message(message_bytes, std::size_t(end - whole));
      }
    } catch (const passing&) { throw; } catch (...) {
      if (rest.at == before) rest.at = pass_over(in, source, before, end, stream);  // the body has not begun
      note_one_way_call_error(in.self, source, std::current_exception());
    }
  }
};

/// How an argument reaches a function that is called now and then: small ones by value, since one whose address is given away
/// lies in memory wherever the caller is, also where that function is not called.
template <class T>
using passed = std::conditional_t<std::is_trivially_copyable_v<T> && std::is_trivially_copy_constructible_v<T> && sizeof(T) <= 16,
                                  T, const T&>;

/// What goes alone, as it is written by `write(place)`, leaves at once. False: it must take the general way.
template <class F, class... A, class Write>
bool send_alone(sending& out, channel_head& c, std::size_t size, const Write& write) {
  if (is_urgent<F> || c.aggregate != 0 || out.observed()) return false;
  const auto message = message_writer::alone<audience_of<F>>(out, c, one_way_call_id<F, A...>(), size, traffic::one_way_calls);
  if (!message) return false;
  write(message.at);
  return message.finish(out, c, size);
}

// The first of a bundle or of those that go alone, one that is too long for the frame, and every one while one-way calls are
// observed.
template <class F, class... A>
[[gnu::noinline]] void start_one_way_calls(sending& out, channel_head& c, passed<F> f, passed<A>... arguments) {
  using packed = packing<F, A...>;
  const auto pack = [&](std::byte* place) { packed::write({}, place, f, arguments...); };
  if constexpr (packed::plain)
    if (send_alone<F, A...>(out, c, one_way_call<F, A...>::size(arguments...), pack)) return;
  const timed runtime(out.watch(), component::runtime);
  constexpr bool counted = packed::fixed && !is_urgent<F>;
  constexpr traffic kind = is_urgent<F> ? traffic::uncounted
                           : counted    ? traffic::one_way_calls
                                        : traffic::uncounted_one_way_calls;
  if (!out.admit_one_way_call(c)) return;
  const std::size_t size = one_way_call<F, A...>::size(arguments...);
  const auto place = [&] { return message_writer::in_frame(out, c, one_way_call_id<F, A...>(), size, kind).at; };
  if (one_way_call<F, A...>::streams && size > out.eager()) [[unlikely]] {
    outgoing_block block(out, c, one_way_call_id<F, A...>(), size);
    packed::write({}, block, 0, f, arguments...);
    block.finish();
  } else if constexpr (packed::plain) {
    pack(place());
  } else {
    packed_apart message(size);
    pack(message.bytes());
    const auto copy = [&](std::byte* to) { std::memcpy(to, message.bytes(), size); };
    if (send_alone<F, A...>(out, c, size, copy)) return;
    copy(place());
  }
  if constexpr (!counted) ++out.count().one_way_calls_sent;
  out.done(c);
  if (out.observed()) [[unlikely]]
    out.count_call();
}

/// Budget of one more one-way call of a bundle: the context, the channel, one test for the handler, one for the room, the bytes.
/// One that goes alone behind another of its kind, or that leaves when the bundle is full, calls nothing either but as its last
/// step, so that no register is saved.
template <class F, class... A>
void send_one_way_call(sending& out, channel_head& c, const F& f, const A&... arguments) {
  if constexpr (is_urgent<F>) {
    start_one_way_calls<F, A...>(out, c, f, arguments...);
    return out.publish(c);
  }
  if constexpr (packing<F, A...>::fixed) {
    const std::size_t size = one_way_call<F, A...>::size(arguments...);
    if (const auto message = message_writer::in_bundle(out, c, one_way_call_id<F, A...>(), size)) [[likely]] {
      packing<F, A...>::write({}, message.at, f, arguments...);
      message.finish(out, c, size);
      return;
    }
    if constexpr (one_way_call<F, A...>::message_bytes <= message_writer::longest_in_line)
      if (c.aggregate == 0 && !out.observed())
        if (const auto message = message_writer::next_alone<audience_of<F>>(out, c, one_way_call_id<F, A...>(), size))
            [[likely]] {
          packing<F, A...>::write({}, message.at, f, arguments...);
          message.finish(out, c, size);
          return;
        }
  }
  start_one_way_calls<F, A...>(out, c, f, arguments...);
}

/// Safe bodies go to the progress thread, if there is one.
template <class F>
channel_head& lane_for(sending& out, channel_head& c) noexcept {
  if constexpr (is_safe<F>)
    return out.to_progress_thread(c);
  else
    return c;
}

template <class A>
using sent_as = std::decay_t<A>;

/// Whether there is nothing to refuse in a call of F with these arguments. What is refused is not compiled any further: the
/// first error is the only one. Before it stands `require_sendable` of all arguments.
template <class F, class... A>
inline constexpr bool can_call = [] {
  if constexpr ((sendable<sent_as<A>> && ...))
    return std::is_invocable_v<typename callable_of<F>::type&, sent_as<A>...>;
  else
    return false;
}();

template <class F, class... A>
constexpr void check_body() {
  if constexpr ((sendable<sent_as<A>> && ...))
    static_assert(
        can_call<F, A...>,
        "armilla: the function cannot be called with these arguments: they are of other types than its parameters, or one of "
        "these is a reference that is not const (arguments come by value)");
}

/// An argument in the place of the rank that looks like the function to call.
template <class F>
concept body_in_front =
    (std::is_class_v<std::decay_t<F>> || std::is_pointer_v<std::decay_t<F>>) && !std::is_convertible_v<std::decay_t<F>, rank_t>;

/// What may stand in front of a call to all: not its body.
template <class T>
inline constexpr bool names_many = false;
template <>
inline constexpr bool names_many<team> = true;

/// What an overloaded function becomes as a template argument if one of them takes and returns a double, as those of <cmath> do;
/// then the compiler chooses the deleted function that says the remedy. Nothing else converts to it.
struct one_function {
  one_function() = delete;
  consteval one_function(double (*)(double)) noexcept {}          // NOLINT(google-explicit-constructor)
  consteval one_function(double (*)(double, double)) noexcept {}  // NOLINT(google-explicit-constructor)
};

}  // namespace detail
}  // namespace armilla
