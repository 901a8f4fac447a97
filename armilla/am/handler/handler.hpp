// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <typeinfo>

#include "armilla/base/values/types.hpp"

namespace armilla::detail {

class delivery;

/// Number of a handler in its program's table; the same on every rank of a program.
using handler_id = std::uint32_t;

/// What runs when a bundle arrives: once, with `size` bytes of messages one behind the other.
using handler_fn = void (*)(delivery& in, rank_t source, const std::byte* data, std::size_t size);

inline constexpr handler_id no_handler = 0;
inline constexpr handler_id first_free_handler = 64;

/// Handlers that every program has under the same number, so that ranks of different programs can exchange them. Each layer has a
/// range of numbers, and says itself which ones they are: `well_known(handler_range::rpc, 2)`.
enum class handler_range : handler_id {
  rpc = 0,
  global = 8,
  team = 16,
  session = 24,
  object = 32,
  am = 48,
  none = first_free_handler
};

consteval handler_id well_known(handler_range layer, handler_id place) {
  constexpr handler_range ends[] = {handler_range::global, handler_range::team, handler_range::session,
                                    handler_range::object, handler_range::am,   handler_range::none};
  const handler_id number = handler_id(layer) + place;
  for (const handler_range end : ends)
    if (end > layer) return number != no_handler && number < handler_id(end) ? number : throw "armilla: not in the layer's range";
  throw "armilla: no range";
}

/// A handler's place in the table. Handlers register while the program starts and get their numbers at `run`: sorted by
/// image, the executable first, and by place in the image, so that ranks of one program agree whatever the order in which they
/// registered.
class handler_slot {
 public:
  handler_slot(handler_fn function, const char* type, std::uint32_t message_bytes, bool may_wait, bool streams, bool runs_bodies,
               handler_id fixed = no_handler) noexcept;
  handler_slot(const handler_slot&) = delete;

  handler_id id = no_handler;
  handler_fn function;
  const char* type;             ///< its name for reports: mangled, or plain text
  std::uint32_t message_bytes;  ///< of each of its messages; 0: they differ, and it tells each to delivery::count_message
  bool may_wait;  ///< its messages are bodies that may become fibers: delivery::begin_bodies keeps its place, or begin_only_body
  bool streams;   ///< it can read a long message while that is being written: delivery::take_stream
  bool runs_bodies;  ///< its messages are work that other ranks give: a poll's limit counts them
  handler_slot* next;
};

template <class H>
constexpr const char* handler_type() noexcept {
  if constexpr (requires { H::method_name; })
    return H::method_name;
  else
    return typeid(H).name();
}
template <class H>
constexpr std::uint32_t handler_message_bytes() noexcept {
  if constexpr (requires { H::message_bytes; })
    return std::uint32_t(H::message_bytes);
  else
    return 0;
}

template <class H>
constexpr bool handler_may_wait() noexcept {
  if constexpr (requires { H::may_wait; })
    return H::may_wait;
  else
    return false;
}

template <class H>
constexpr bool handler_streams() noexcept {
  if constexpr (requires { H::streams; })
    return H::streams;
  else
    return false;
}

template <class H>
constexpr bool handler_runs_bodies() noexcept {
  if constexpr (requires { H::runs_bodies; })
    return H::runs_bodies;
  else
    return handler_may_wait<H>();
}

/// The handler with the body `H::run`; naming `handler<H>.id` is all that a registration takes.
template <class H>
inline handler_slot handler{&H::run,
                            handler_type<H>(),
                            handler_message_bytes<H>(),
                            handler_may_wait<H>(),
                            handler_streams<H>(),
                            handler_runs_bodies<H>()};

/// The same for a handler with a well-known number.
template <class H, handler_id Id>
  requires(Id < first_free_handler)
inline handler_slot fixed_handler{
    &H::run, handler_type<H>(), handler_message_bytes<H>(), handler_may_wait<H>(), false, handler_runs_bodies<H>(), Id};

/// All handlers of the process by number. Unused numbers hold a function that reports them.
struct handler_table {
  const handler_fn* functions = nullptr;
  const std::uint8_t* may_wait = nullptr;
  const std::uint8_t* streams = nullptr;
  const std::uint32_t* limited = nullptr;              ///< of those that run bodies: bytes of a message, or `whole_bundles`, or 0
  static constexpr std::uint32_t whole_bundles = ~0U;  ///< its messages differ, or it asks between them by itself
  std::uint32_t size = 0;
};

/// Gives the registered handlers their numbers, once in a process; later calls return the same table.
handler_table freeze_handlers();

[[noreturn, gnu::cold]] void unknown_handler(delivery& in, rank_t source, const std::byte* data, std::size_t size);

}  // namespace armilla::detail
