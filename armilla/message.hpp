// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <span>

#include "armilla/am/endpoint/message_inline.hpp"
#include "armilla/am/endpoint/sender.hpp"

/// Active messages: messages that name the function which handles them, and carry its arguments.
///
/// They are the lowest level of communication. Use `async` and `call` unless you need a reply without a future, or a payload that
/// is read in place.
///
///     void pong(am::sender, long n) { answer = n; }
///     void ping(am::sender from, long n) { am::reply<pong>(from, n + 1); }
///
/// Then any rank may say
///
///     am::request<ping>(1, 41L);
///
/// **Handlers** are ordinary functions. Their parameters are the sender, any number of trivially copyable arguments, and last,
/// optionally, a payload as `std::span<const std::byte>`, which is valid until the handler ends. A handler runs on the rank's one
/// thread, atomic with respect to other handlers. It may send and reply as often as it likes, but must not wait.
///
/// **Complete** at the next fence. Small messages to one rank are sent together, as with `async`.
///
/// **Errors.** Throws `usage_error` if `dest` is not a rank.
///
/// **Cost.** One cache line for up to 48 bytes when sent alone.
///
/// Paper: Split-C and Active Messages on the Paragon, sections 2 and 3.
namespace armilla {

/// Sends a message for `Handler` to rank `dest`.
template <auto Handler, class... A>
void request(rank_t dest, const A&... values) {
  detail::sending& out = *detail::head_here("request").out;
  detail::channel_head& c = out.checked(dest, "request");
  detail::send_message<Handler>(out, c, {}, values...);
  out.done(c);
  if (out.observed()) [[unlikely]]
    out.count_call();
}

/// Sends a message with a payload, which is copied: a span of bytes of any extent, constant or not.
template <auto Handler, class... A>
void request(rank_t dest, std::span<const std::byte> bytes, const A&... values) {
  detail::sending& out = *detail::head_here("request").out;
  detail::channel_head& c = out.checked(dest, "request");
  detail::send_message<Handler>(out, c, bytes, values...);
  out.done(c);
  if (out.observed()) [[unlikely]]
    out.count_call();
}

/// Sends a message to the sender of the one that is being handled. It is sent when the handler has ended.
template <auto Handler, class... A>
void reply(const sender& to, const A&... values) {
  detail::sending& out = detail::message_access::out(to);
  detail::channel_head& c = out.to(to.rank());
  using message = detail::active_message<Handler>;
  if (detail::message_access::alone(to) && message::send_alone(out, c, typename message::arguments{}, values...)) [[likely]]
    return;
  detail::send_message<Handler>(out, c, {}, values...);
  c.urgent = true;
  out.done(c);
}

/// Replies with a payload, which is copied.
template <auto Handler, class... A>
void reply(const sender& to, std::span<const std::byte> bytes, const A&... values) {
  detail::sending& out = detail::message_access::out(to);
  detail::channel_head& c = out.to(to.rank());
  detail::send_message<Handler>(out, c, bytes, values...);
  c.urgent = true;
  out.done(c);
}

}  // namespace armilla
