// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstring>
#include <exception>
#include <type_traits>
#include <utility>

#include "armilla/am/endpoint/message_writer.hpp"
#include "armilla/async.hpp"
#include "armilla/future.hpp"
#include "armilla/wire/zero_copy.hpp"

// What the templates of call.hpp are made of.
namespace armilla {
namespace detail {

/// The reply has been appended: it leaves with the others of the frame that is being taken in, or at once when none is.
inline void finish_reply(sending& out, channel_head& c) {
  if (current_head->fibers->on_body_that_waited()) return out.publish(c);
  c.urgent = true;
  out.done(c);
}

/// What is in the reply is not the result, but says how far it is where it belongs: `complete(operation, source)`.
template <class R>
concept completes_itself = requires(const R& part, pending_op& c, rank_t source) { part.complete(c, source); };

/// Takes in replies with a value of type R; a void reply is the name alone.
template <class R>
struct reply {
  using value = stored<R>;
  static constexpr std::size_t message_bytes = [] {
    if constexpr (std::is_void_v<R>)
      return sizeof(op_id);
    else if constexpr (fixed_size<R>)
      return sizeof(op_id) + packed_size<R>;
    else
      return std::size_t{0};
  }();

  static void run(delivery& in, rank_t source, const std::byte* at, std::size_t size) {
    const std::byte* const end = at + size;
    while (at != end) {
      const std::byte* const message = at;
      take(in, source, at, end);
      if constexpr (message_bytes == 0) in.count_message(handler<reply<R>>.id, std::size_t(at - message));
    }
  }

  /// Replies to the two-way call `to` of rank `source`: at once if it came `alone`, else together with the other replies.
  /// To a two-way call by name, in a bundle of its own, which the asker hands to the handler that its operation expects.
  template <audience To = audience::program>
  static void send(sending& out, rank_t source, op_id to, const value& result, bool alone) {
    const std::size_t bytes = reply_size(result);
    if constexpr (plain) {
      send_bytes<To>(out, source, to, bytes, alone, [&](std::byte* place) {
        if constexpr (!std::is_void_v<R>) encoder(place).put(result);
      });
    } else {
      packed_apart whole(bytes);
      encoder(whole.bytes()).put(result);
      send_bytes<To>(out, source, to, bytes, alone,
                     [&](std::byte* place) { std::memcpy(place, whole.bytes(), bytes - sizeof to); });
    }
  }

  /// One more of a row of replies to rank `c.to`, by a body that has not waited. False: it must go by `send`.
  static bool send_in_line(sending& out, channel_head& c, op_id to, const value& result) {
    const auto message = message_writer::in_bundle(out, c, handler<reply<R>>.id, message_bytes);
    if (!message) [[unlikely]]
      return false;
    std::memcpy(message.at, &to, sizeof to);
    if constexpr (!std::is_void_v<R>) encoder(message.at + sizeof to).put(result);
    ++out.count().replies_sent;
    c.urgent = true;
    message.finish(out, c, message_bytes);
    return true;
  }

 private:
  static constexpr bool plain = [] {
    if constexpr (std::is_void_v<R>)
      return true;
    else
      return packs_plainly<R>;
  }();

  template <audience To, class Write>
  static void send_bytes(sending& out, rank_t source, op_id to, std::size_t bytes, bool alone, const Write& write) {
    channel_head& c = out.to(source);
    const handler_id h = To == audience::job ? named_reply_handler : handler<reply<R>>.id;
    const auto message = message_writer::begin<To>(out, c, h, bytes, alone, traffic::replies, traffic::uncounted_replies);
    if constexpr (To == audience::job)
      if (!message.is_alone()) out.end_bundle(c);
    std::memcpy(message.at, &to, sizeof to);
    write(message.at + sizeof to);
    if (message.finish(out, c, bytes)) [[likely]]
      return;
    ++out.count().replies_sent;
    finish_reply(out, c);
  }

  static std::size_t reply_size(const value& result) {
    if constexpr (std::is_void_v<R>)
      return sizeof(op_id);
    else if constexpr (fixed_size<R>)
      return sizeof(op_id) + packed_size<R>;
    else
      return sizeof(op_id) + encoded_size(result);
  }

  static void take(delivery& in, rank_t source, const std::byte*& at, const std::byte* end) {
    op_id name;
    if (std::size_t(end - at) < sizeof name) [[unlikely]]
      throw_short_message(sizeof name, std::size_t(end - at));
    std::memcpy(&name, at, sizeof name);
    at += sizeof name;
    decoder reader(at, std::size_t(end - at), source);
    const auto behind = [&] { return at + align_up(std::size_t(end - at) - reader.remaining(), 8); };
    pending_op* c = in.out.pending.find(name);
    if (c == nullptr || c->reply_handler != handler<reply<R>>.id) [[unlikely]] {
      if constexpr (!std::is_void_v<R>) reader.template pass<R>();
      at = behind();
      ++in.out.count().replies_abandoned;
      return;
    }
    if constexpr (completes_itself<R>) {
      const R part = reader.template get<R>();
      at = behind();
      return part.complete(*c, source);
    } else if constexpr (std::is_void_v<R>) {
      c->store<no_value>();
    } else if constexpr (trivially_sendable<R>) {
      c->store<R>(reader.template get<R>());
    } else {
      try {
        c->store<R>(reader.template get<R>());
      } catch (const passing&) { throw; } catch (...) {
        return fail(*c, source, at, end);
      }
    }
    at = behind();
    c->complete(pending_op::state_t::ready);
  }

  /// Inside a `catch`: the value at `at` could not be taken out, which is the asker's error. Throws on if it is damaged.
  [[gnu::cold, gnu::noinline]] static void fail(pending_op& c, rank_t source, const std::byte*& at, const std::byte* end) {
    const std::exception_ptr reason = std::current_exception();
    rethrow_damage();
    decoder again(at, std::size_t(end - at), source);
    again.pass<R>();
    at += align_up(std::size_t(end - at) - again.remaining(), 8);
    c.fail(reason);
  }
};

/// Behind the last byte of a two-way call in the open frame, which leaves at once or with its batch.
inline void finish_two_way_call(sending& out, const call_state& calls, channel_head& c) {
  ++out.count().two_way_calls_sent;
  if (calls.batches == 0)
    out.publish(c);
  else
    out.done(c);
}

/// In place of a future where the call is refused: whatever is done with it adds no error.
struct refused_call {
  refused_call get() const { return {}; }
  template <class T>
  operator T() const;
};

template <class F, class... A>
using result_of = std::decay_t<std::invoke_result_t<F&, A...>>;

template <class F, class... A>
struct two_way_call;

/// The handler that two-way calls for F go to.
template <class F, class... A>
handler_id two_way_call_id() noexcept {
  if constexpr (by_name<F>)
    return named_two_way_call_handler;
  else
    return handler<two_way_call<F, A...>>.id;
}

template <class F, class... A>
struct two_way_call {
  using packed = packing<F, A...>;
  using R = result_of<F, A...>;
  static constexpr std::size_t message_bytes = packed::fixed ? sizeof(op_id) + packed::message_bytes : 0;

  static constexpr bool may_wait = body_may_wait<F>;
  static constexpr bool runs_bodies = true;
  static constexpr bool streams = !packed::fixed && !by_name<F>;
  /// As for one-way calls.
  static constexpr bool found_at_once = packed::fixed && finds_object<F>;

  static void run(delivery& in, rank_t source, const std::byte* at, std::size_t size) {
    bundle_rest rest{at, at + size};
    incoming_block* stream = nullptr;
    if constexpr (streams) stream = in.take_stream();
    if constexpr (may_wait) in.begin_bodies(rest);
    run_one(in, source, rest, in.solo(), stream);
    while (in.next_body(rest)) {
      if constexpr (in_line)
        if (in.in_line(rest)) {
          run_in_line(in, source, rest);
          continue;
        }
      run_one(in, source, rest, false, stream);
    }
  }

  /// Messages of one size with replies of one size, of bodies that may wait: the body is inlined in the loop over them.
  static constexpr bool in_line = may_wait && packed::fixed && !by_name<F> && !may_be_absent<F> && (reply<R>::message_bytes != 0);

  /// Messages from the front of `rest`, up to one that fails or waits. Budget beside the body: two moves of the name, the place
  /// in `rest`, a test whether the body has waited, and one more message of a bundle. What many bodies read from memory comes at
  /// a time only if the processor can look at many of them at once.
  static void run_in_line(delivery& in, rank_t source, bundle_rest& rest)
    requires in_line
  {
    const std::byte* at = rest.at;
    const std::byte* const end = rest.end;
    const std::byte* const whole = end - std::size_t(end - at) % message_bytes;
    const std::byte* before = at;
    channel_head& back = in.out.to(source);
    op_id name;
    try {
      while (at != whole) {
        before = at;
        std::memcpy(&name, at, sizeof name);
        at += sizeof name;
        packed::read_whole(at, {source}, [&](F& f, auto&&... arguments) {
          rest.at = at;
          const stored<R> result = value_of(f, std::move(arguments)...);
          if (rest.until != end || !reply<R>::send_in_line(in.out, back, name, result)) [[unlikely]]
            reply<R>::send(in.out, source, name, result, in.body_has_waited());
        });
        if (rest.until != end) [[unlikely]]
          return;
      }
    } catch (const passing&) { throw; } catch (...) {
      if (rest.at == before) rest.at = at;  // its arguments could not be read: the body has not begun
      return reply_error(in.out, source, name, std::current_exception());
    }
    if (whole != end) [[unlikely]]
      throw_short_message(message_bytes, std::size_t(end - whole));
  }

  template <class... B>
  static stored<R> value_of(F& f, B&&... arguments) {
    if constexpr (!std::is_void_v<R>) return f(std::forward<B>(arguments)...);
    f(std::forward<B>(arguments)...);
    return {};
  }

  static void run_named(delivery& in, rank_t source, bundle_rest& rest, bool first) { run_one(in, source, rest, first, nullptr); }

  /// Inside a `catch`: behind the message at `at`, whose arguments could not be taken out. Throws on if it is damaged.
  [[gnu::cold, gnu::noinline]] static const std::byte* pass_over(const std::byte* at, const std::byte* end, const origin& from) {
    rethrow_damage();
    return packed::behind(at, end, from);
  }

  /// Runs the first message of `rest` and moves `rest` past it. `first`: it is the first of its frame.
  static void run_one(delivery& in, rank_t source, bundle_rest& rest, bool first, incoming_block* stream) {
    op_id name;
    if (std::size_t(rest.end - rest.at) < sizeof name) [[unlikely]]
      throw_short_message(sizeof name, std::size_t(rest.end - rest.at));
    if constexpr (streams)
      if (stream != nullptr) [[unlikely]]
        stream->await(rest.at + sizeof name);
    std::memcpy(&name, rest.at, sizeof name);
    rest.at += sizeof name;
    const std::byte* const message = rest.at;
    origin from{source};
    if constexpr (!packed::fixed) from.memory = in.memory_of(source);
    if constexpr (streams) from.stream = stream;
    if constexpr (packed::views) from.transient = in.transient(message);
    [[maybe_unused]] void* found = nullptr;
    if constexpr (found_at_once) found = packed::callable_at(rest.at, rest.end).find();
    if constexpr (may_be_absent<F>)
      if (found == nullptr && absent<F, A...>(rest.at, rest.end, from)) [[unlikely]] {
        closure_copy<F> f(message);
        (*f).park(in.self, {source, two_way_call_id<F, A...>(), {message - sizeof name, rest.at}});
        return;
      }
    try {
      packed::read(rest.at, rest.end, from, [&](F& f, auto&&... arguments) {
        if constexpr (!packed::fixed || by_name<F>)
          in.count_message(two_way_call_id<F, A...>(), sizeof name + std::size_t(rest.at - message));
        const auto body = [&]() -> decltype(auto) {
          const timed cpu(in.watch(), component::cpu);
          if constexpr (found_at_once)
            if (found != nullptr) [[likely]]
              return f.run(found, std::move(arguments)...);
          return f(std::move(arguments)...);
        };
        // A body that has waited answers by itself: what stood behind it has gone on without it.
        const auto alone = [&] { return (first && rest.at == rest.end) || in.body_has_waited(); };
        if constexpr (std::is_void_v<R>) {
          body();
          reply<void>::template send<audience_of<F>>(in.out, source, name, {}, alone());
        } else {
          const stored<R> result = body();
          reply<R>::template send<audience_of<F>>(in.out, source, name, result, alone());
        }
      });
    } catch (const passing&) { throw; } catch (...) {
      if (rest.at == message && !packed::empty) rest.at = pass_over(message, rest.end, from);
      reply_error(in.out, source, name, std::current_exception());
    }
  }
};

/// A long two-way call over a network: the elements of a view in this rank's segment are taken from there. False: they must be
/// copied.
template <class F, class... A>
bool write_zero_copy(sending& out, channel_head& c, op_id name, std::size_t size, const F& f, const A&... arguments) {
  zero_copy_encoder message(out.own_memory());
  message.bytes(&name, sizeof name);
  if constexpr (packing<F, A...>::closure_bytes != 0) message.bytes(&f, sizeof(F)), message.align(8);
  message.begin_arguments();
  (message.put(arguments), ...);
  return message.good() && outgoing_block::send_zero_copy(out, c, two_way_call_id<F, A...>(), size, message);
}

/// A two-way call that is longer than ARMILLA_EAGER: it is read while it is written.
template <class F, class... A>
[[gnu::noinline]] void write_long_two_way_call(sending& out, channel_head& c, op_id name, std::size_t size,
                                               const shared_range& stable, const F& f, const A&... arguments) {
  if constexpr (packing<F, A...>::views)
    if (c.far && write_zero_copy(out, c, name, size, f, arguments...)) return;
  outgoing_block block(out, c, two_way_call_id<F, A...>(), size);
  std::memcpy(block.place(), &name, sizeof name);
  packing<F, A...>::write(stable, block, sizeof name, f, arguments...);
  block.finish();
}

/// The operation that a reply to the two-way call will complete.
template <class F, class... A>
pending_op* begin_two_way_call(sending& out, const channel_head& c) {
  pending_op* const target = out.pending.take(handler<reply<result_of<F, A...>>>.id);
  target->asked.method = two_way_call_id<F, A...>();
  target->asked.rank = c.to;
  if constexpr (by_name<F>) target->asked.name = F::text();
  return target;
}

template <class F, class... A>
[[gnu::always_inline]] inline void write_two_way_call(sending& out, channel_head& c, const pending_op* target, const F& f,
                                                      const A&... arguments) {
  using packed = packing<F, A...>;
  call_state& calls = *current_head->calls;
  const op_id name = target->name();
  shared_range stable;
  if constexpr (!packed::fixed) stable = out.memory_for(c.to);
  const std::size_t size = sizeof name + packed::size(stable, arguments...);
  const handler_id h = two_way_call_id<F, A...>();
  const auto send = [&](const auto& write) {
    const auto message =
        message_writer::begin<audience_of<F>>(out, c, h, size, calls.batches == 0, traffic::two_way_calls, traffic::uncounted);
    std::memcpy(message.at, &name, sizeof name);
    write(message.at + sizeof name);
    if (!message.finish(out, c, size)) [[unlikely]]
      finish_two_way_call(out, calls, c);
  };
  if (two_way_call<F, A...>::streams && size > out.eager()) [[unlikely]] {
    write_long_two_way_call<F, A...>(out, c, name, size, stable, f, arguments...);
    finish_two_way_call(out, calls, c);
  } else if constexpr (packed::plain) {
    send([&](std::byte* place) { packed::write(stable, place, f, arguments...); });
  } else {
    packed_apart whole(size);
    packed::write(stable, whole.bytes(), f, arguments...);
    send([&](std::byte* place) { std::memcpy(place, whole.bytes(), size - sizeof name); });
  }
  if (out.observed()) [[unlikely]]
    out.count_call();
}

template <class F, class... A>
auto send_two_way_call(sending& out, channel_head& c, const F& f, const A&... arguments) {
  using R = result_of<F, A...>;
  const timed runtime(out.observed() ? out.watch() : nullptr, component::runtime);
  out.admit(c);
  pending_op* const target = begin_two_way_call<F, A...>(out, c);
  future<R> result = future_access::adopt<R>(target);
  write_two_way_call<F, A...>(out, c, target, f, arguments...);
  return result;
}

}  // namespace detail
}  // namespace armilla
