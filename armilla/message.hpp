// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <span>

#include "armilla/am/endpoint/message_inline.hpp"
#include "armilla/am/endpoint/sender.hpp"

/// Active messages: a message that names the function which takes it in, and carries its arguments.
///
///     void pong(armilla::sender, long n) { answer = n; }
///     void ping(armilla::sender from, long n) { armilla::reply<pong>(from, n + 1); }
///
/// Then any rank may say
///
///     armilla::request<ping>(1, 41L);
///
/// A handler is an ordinary function: first the sender, then any number of trivially copyable arguments, and last, if it
/// wants one, a payload as `std::span<const std::byte>`, which it reads in place and which ends with it. It runs on the
/// rank's one thread, atomic with respect to other handlers; it may send and reply, as often as it likes, but not wait.
///
/// Paper: Split-C and Active Messages on the Paragon, sections 2 and 3.
namespace armilla {

/// Sends a message for `Handler` to `dest`. Small ones to one destination travel together, as with `async`; complete at the
/// next fence. Cost: one cache line for up to 48 bytes when sent alone. Errors: usage_error when `dest` is no rank.
template <auto Handler, class... A>
void request(rank_t dest, const A&... values) {
  detail::sending& out = *detail::head_here("request").out;
  detail::channel_head& c = out.checked(dest, "request");
  detail::send_message<Handler>(out, c, {}, values...);
  out.done(c);
  if (out.observed()) [[unlikely]]
    out.count_call();
}

/// The same with a payload, which is copied. A span of bytes of any extent, constant or not.
template <auto Handler, class... A>
void request(rank_t dest, std::span<const std::byte> bytes, const A&... values) {
  detail::sending& out = *detail::head_here("request").out;
  detail::channel_head& c = out.checked(dest, "request");
  detail::send_message<Handler>(out, c, bytes, values...);
  out.done(c);
  if (out.observed()) [[unlikely]]
    out.count_call();
}

/// Answers the sender of the message that is being handled; sent when the handler has ended.
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
template <auto Handler, class... A>
void reply(const sender& to, std::span<const std::byte> bytes, const A&... values) {
  detail::sending& out = detail::message_access::out(to);
  detail::channel_head& c = out.to(to.rank());
  detail::send_message<Handler>(out, c, bytes, values...);
  c.urgent = true;
  out.done(c);
}

}  // namespace armilla
