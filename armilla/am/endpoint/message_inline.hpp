// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

#include "armilla/am/endpoint/delivery.hpp"
#include "armilla/am/endpoint/message_writer.hpp"
#include "armilla/am/endpoint/sender.hpp"
#include "armilla/base/core/own_memory.hpp"
#include "armilla/base/values/leaves.hpp"

// What the templates of message.hpp are made of.
namespace armilla::detail {

using payload = std::span<const std::byte>;

template <class... A>
struct argument_list {
  static constexpr std::size_t bytes = ((align_up(sizeof(A), 8)) + ... + 0);
};

template <class Signature>
struct handler_signature;
template <class... A>
struct handler_signature<void (*)(sender, A...)> {
  static_assert((std::is_trivially_copyable_v<std::remove_cvref_t<A>> && ...),
                "armilla: an active message carries trivially copyable arguments; send other types with async or call");
  static_assert((!std::is_pointer_v<std::remove_cvref_t<A>> && ...),
                "armilla: a pointer cannot be sent: its address means nothing on another rank; send a global_ptr or the value");
  using arguments = argument_list<std::remove_cvref_t<A>...>;
};

// Splits a trailing payload off the parameters.
template <class Done, class... Rest>
struct split_payload;
template <class... Done>
struct split_payload<argument_list<Done...>> {
  using arguments = argument_list<Done...>;
  static constexpr bool has_payload = false;
};
template <class... Done>
struct split_payload<argument_list<Done...>, payload> {
  using arguments = argument_list<Done...>;
  static constexpr bool has_payload = true;
};
template <class... Done, class Next, class... Rest>
struct split_payload<argument_list<Done...>, Next, Rest...> : split_payload<argument_list<Done..., Next>, Rest...> {};

template <class>
struct split_signature;
template <class... A>
struct split_signature<argument_list<A...>> : split_payload<argument_list<>, A...> {};

template <class A>
A take_argument(const std::byte*& at) noexcept {
  A value;
  std::memcpy(&value, at, sizeof value);
  at += align_up(sizeof value, 8);
  return value;
}
template <class A>
void put_argument(std::byte*& at, const A& value) noexcept {
  std::memcpy(at, &value, sizeof value);
  at += align_up(sizeof value, 8);
}

template <auto H>
struct active_message {
  using parts = split_signature<typename handler_signature<decltype(+H)>::arguments>;
  using arguments = typename parts::arguments;

  static constexpr std::size_t message_bytes = parts::has_payload ? 0 : arguments::bytes == 0 ? 8 : arguments::bytes;
  static constexpr bool runs_bodies = true;

  static void run(delivery& in, rank_t source, const std::byte* at, std::size_t size) {
    const timed body(in.watch(), component::cpu);
    const std::byte* const end = at + size;
    take(in, source, at, end, in.solo(), arguments{});
    while (at < end) take(in, source, at, end, false, arguments{});
  }

  static std::size_t size(std::size_t payload_bytes) noexcept {
    const std::size_t bytes = arguments::bytes + (parts::has_payload ? 8 + align_up(payload_bytes, 8) : 0);
    return bytes == 0 ? 8 : bytes;
  }

  template <class... A>
  static void send(sending& out, channel_head& c, payload bytes, argument_list<A...>, const std::type_identity_t<A>&... values) {
    const timed runtime(out.observed() ? out.watch() : nullptr, component::runtime);
    if constexpr (parts::has_payload) require_own_memory(bytes.data(), bytes.size(), 1, "request");
    if (!out.admit_one_way_call(c)) return;
    constexpr traffic kind = parts::has_payload ? traffic::uncounted_one_way_calls : traffic::one_way_calls;
    std::byte* at = message_writer::in_frame(out, c, handler<active_message<H>>.id, size(bytes.size()), kind).at;
    (put_argument(at, values), ...);
    if constexpr (parts::has_payload) {
      put_argument(at, std::uint64_t(bytes.size()));
      if (!bytes.empty()) std::memcpy(at, bytes.data(), bytes.size());
    }
    if constexpr (parts::has_payload) ++out.count().one_way_calls_sent;
  }

  /// Without company, at once; false if it must take the general way.
  template <class... A>
  static bool send_alone(sending& out, channel_head& c, argument_list<A...>, const std::type_identity_t<A>&... values) {
    if constexpr (parts::has_payload) return false;
    const auto message = message_writer::alone(out, c, handler<active_message<H>>.id, size(0), traffic::one_way_calls);
    if (!message) [[unlikely]]
      return false;
    std::byte* at = message.at;
    (put_argument(at, values), ...);
    return message.finish(out, c, size(0));
  }

 private:
  template <class... A>
  static void take(delivery& in, rank_t source, const std::byte*& at, const std::byte* end, bool first, argument_list<A...>) {
    if (std::size_t(end - at) < size(0)) [[unlikely]]
      throw_damaged(source, "an active message's length", std::uint64_t(end - at));
    const std::byte* message = at;
    payload bytes;
    std::size_t whole = size(0);
    if constexpr (parts::has_payload) {
      const std::byte* head = at + arguments::bytes;
      const auto length = take_argument<std::uint64_t>(head);
      if (length > std::size_t(end - head)) [[unlikely]]
        throw_damaged(source, "a payload's length", length);
      bytes = {head, std::size_t(length)};
      whole = size(std::size_t(length));
      in.count_message(handler<active_message<H>>.id, whole);
    }
    at += whole;
    call<A...>(message_access::make(in.out, source, first && at == end), message, bytes);
  }
  template <class... A>
  static void call(const sender& from, const std::byte* message, [[maybe_unused]] payload bytes) {
    auto values = leaves<A...>::from([&]<class B>() { return take_argument<B>(message); });
    values.apply([&](A... each) {
      if constexpr (parts::has_payload)
        H(from, each..., bytes);
      else
        H(from, each...);
    });
  }
};

template <auto H, class... A>
void send_message(sending& out, channel_head& c, payload bytes, A&&... values) {
  active_message<H>::send(out, c, bytes, typename active_message<H>::arguments{}, std::forward<A>(values)...);
}

}  // namespace armilla::detail
