// SPDX-License-Identifier: Apache-2.0
// What travels under the same numbers in every program: calls by name, first with it, then with the index that it has got.
#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <utility>

#include "armilla/am/endpoint/message_writer.hpp"
#include "armilla/base/core/context.hpp"
#include "armilla/error.hpp"
#include "armilla/rpc/call_handlers.hpp"
#include "armilla/rpc/calls.hpp"
#include "armilla/rpc/packing.hpp"

namespace armilla::detail {
namespace {

/// Heads a call by name. The letters of name and signature follow, rounded up to 8, then the message as it is once the
/// index is known.
struct cold_head {
  std::uint64_t hash;
  std::uint64_t message_bytes;
  std::uint32_t method;  ///< the caller's number of it, which comes back with the index
  std::uint16_t two_way_call;
  std::uint16_t wants_index;  ///< the first call since the caller knew no index
  std::uint32_t name_bytes;
  std::uint32_t signature_bytes;
};

constexpr std::size_t longest_name = 4096;  // names and signatures, in letters

struct index_message {
  std::uint32_t method;
  std::uint32_t stub;  ///< as in the caller's cache
};

std::uint64_t read_word(const std::byte* at) noexcept {
  std::uint64_t word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

const method_table::entry& entry_of(delivery& in, rank_t source, const bundle_rest& messages, std::size_t offset) {
  if (std::size_t(messages.end - messages.at) < offset + sizeof(std::uint64_t)) [[unlikely]]
    throw_short_message(offset + sizeof(std::uint64_t), std::size_t(messages.end - messages.at));
  const std::uint64_t index = read_word(messages.at + offset);
  const method_table::entry* found = in.self.calls->methods.find(index);
  if (found == nullptr) [[unlikely]]
    throw_damaged(source, "a method's index", index);
  return *found;
}

void send_index(sending& out, rank_t to, std::uint32_t method, std::uint32_t stub) {
  channel_head& c = out.to(to);
  const index_message message{method, stub};
  std::memcpy(message_writer::in_frame(out, c, named_index_handler, sizeof message, traffic::uncounted_replies).at, &message,
              sizeof message);
  c.urgent = true;
  out.done(c);
}

struct named_index {
  static constexpr const char* method_name = "index of a method";
  static constexpr std::size_t message_bytes = sizeof(index_message);

  static void run(delivery& in, rank_t source, const std::byte* at, std::size_t size) {
    for (; size >= sizeof(index_message); at += sizeof(index_message), size -= sizeof(index_message)) {
      index_message message;
      std::memcpy(&message, at, sizeof message);
      stub_cache& stubs = in.self.calls->stubs;
      if (!stubs.has(message.method)) throw_damaged(source, "the number of a method", message.method);
      stubs.set(message.method, source, message.stub);
    }
  }
};

struct named_two_way_call {
  static constexpr const char* method_name = "call by name";
  static constexpr bool may_wait = true;

  static void run(delivery& in, rank_t source, const std::byte* at, std::size_t size) {
    bundle_rest rest{at, at + size};
    in.begin_bodies(rest);
    entry_of(in, source, rest, sizeof(op_id)).run.two_way_call(in, source, rest, in.solo());
    while (in.next_body(rest)) entry_of(in, source, rest, sizeof(op_id)).run.two_way_call(in, source, rest, false);
  }
};

struct named_one_way_call {
  static constexpr const char* method_name = "async by name";
  static constexpr bool may_wait = true;

  static void run(delivery& in, rank_t source, const std::byte* at, std::size_t size) {
    bundle_rest rest{at, at + size};
    in.begin_bodies(rest);
    do { entry_of(in, source, rest, 0).run.one_way_calls(in, source, rest); } while (in.next_body(rest));
  }
};

struct named_reply {
  static constexpr const char* method_name = "reply by name";

  // One message a bundle: the handler that the operation expects knows what it is.
  static void run(delivery& in, rank_t source, const std::byte* at, std::size_t size) {
    op_id name;
    if (size < sizeof name) [[unlikely]]
      throw_short_message(sizeof name, size);
    std::memcpy(&name, at, sizeof name);
    const pending_op* const c = in.out.pending.find(name);
    if (c == nullptr || !c->is_two_way_call()) [[unlikely]] {
      ++in.out.count().replies_abandoned;
      return;
    }
    in.pass_on(source, c->reply_handler, at, size);
  }
};

struct named_cold {
  static constexpr const char* method_name = "first call by name";
  static constexpr bool may_wait = true;

  static void run(delivery& in, rank_t source, const std::byte* at, std::size_t size) {
    bundle_rest rest{at, at + size};
    in.begin_bodies(rest);
    do { take(in, source, rest); } while (in.next_body(rest));
  }

 private:
  static void take(delivery& in, rank_t source, bundle_rest& rest) {
    const std::byte* const at = rest.at;
    cold_head head;
    if (std::size_t(rest.end - at) < sizeof head) throw_short_message(sizeof head, std::size_t(rest.end - at));
    std::memcpy(&head, at, sizeof head);
    if (head.name_bytes > longest_name) throw_damaged(source, "the length of a method's name", head.name_bytes);
    if (head.signature_bytes > longest_name) throw_damaged(source, "the length of a signature", head.signature_bytes);
    const std::size_t letters = align_up(std::size_t(head.name_bytes) + head.signature_bytes, 8);
    const std::size_t left = std::size_t(rest.end - at) - sizeof head;
    const std::size_t least = sizeof(std::uint64_t) + (head.two_way_call != 0 ? sizeof(op_id) : 0);
    if (left < letters || head.message_bytes > left - letters) throw_short_message(letters + head.message_bytes, left);
    if (head.message_bytes < least || head.message_bytes % 8 != 0)
      throw_damaged(source, "the length of a message", head.message_bytes);
    const char* const name = reinterpret_cast<const char*>(at + sizeof head);
    const std::byte* const message = at + sizeof head + letters;
    rest.at = message + head.message_bytes;  // before the body begins
    in.count_message(named_cold_handler, sizeof head + letters + head.message_bytes);
    resolve(in, source, head, {{name, head.name_bytes}, {name + head.name_bytes, head.signature_bytes}, head.hash}, message);
  }

  static void resolve(delivery& in, rank_t source, const cold_head& head, const method_description& wanted,
                      const std::byte* message) {
    std::uint64_t index = 0;
    try {
      index = in.self.calls->methods.look_up(wanted, source);
    } catch (const usage_error&) {
      if (head.wants_index != 0) send_index(in.out, source, head.method, stub_cache::unknown);
      if (head.two_way_call == 0) return note_one_way_call_error(in.self, source, std::current_exception());
      op_id asker;
      std::memcpy(&asker, message, sizeof asker);
      return reply_error(in.out, source, asker, std::current_exception());
    }
    // In front of the reply, and at the latest when the body waits: so the caller knows it as early as can be.
    if (head.wants_index != 0) send_index(in.out, source, head.method, std::uint32_t(index) + stub_cache::first_known);
    run_message(in, source, head, index, message);
  }

  // The message with the index in its place: a copy, for what lies in the ring is not written.
  static void run_message(delivery& in, rank_t source, const cold_head& head, std::uint64_t index, const std::byte* message) {
    const auto copy = std::make_unique_for_overwrite<std::uint64_t[]>(head.message_bytes / 8);
    std::byte* const bytes = reinterpret_cast<std::byte*>(copy.get());
    std::memcpy(bytes, message, head.message_bytes);
    std::memcpy(bytes + (head.two_way_call != 0 ? sizeof(op_id) : 0), &index, sizeof index);
    bundle_rest only{bytes, bytes + head.message_bytes};
    const method_runners run = in.self.calls->methods.find(index)->run;
    if (head.two_way_call != 0)
      run.two_way_call(in, source, only, false);
    else
      run.one_way_calls(in, source, only);
  }
};

// Naming them registers them.
[[maybe_unused]] handler_slot& cold_slot = fixed_handler<named_cold, named_cold_handler>;
[[maybe_unused]] handler_slot& index_slot = fixed_handler<named_index, named_index_handler>;
[[maybe_unused]] handler_slot& two_way_call_slot = fixed_handler<named_two_way_call, named_two_way_call_handler>;
[[maybe_unused]] handler_slot& one_way_call_slot = fixed_handler<named_one_way_call, named_one_way_call_handler>;
[[maybe_unused]] handler_slot& reply_slot = fixed_handler<named_reply, named_reply_handler>;

}  // namespace

std::byte* begin_cold_call(sending& out, channel_head& c, const method_number& method, const method_description& what,
                           bool two_way_call, std::size_t bytes) {
  stub_cache& stubs = out.self.calls->stubs;
  cold_head head{};
  head.hash = what.hash;
  head.message_bytes = bytes;
  head.method = method.value;
  head.two_way_call = two_way_call;
  head.name_bytes = std::uint32_t(std::min(what.name.size(), longest_name));
  head.signature_bytes = std::uint32_t(std::min(what.signature.size(), longest_name));
  const std::size_t letters = align_up(std::size_t(head.name_bytes) + head.signature_bytes, 8);
  std::byte* place = message_writer::in_frame(out, c, named_cold_handler, sizeof head + letters + bytes).at;
  head.wants_index = stubs.find(method, c.to) == stub_cache::unknown;  // else an earlier call has asked
  if (head.wants_index != 0) stubs.set(method.value, c.to, stub_cache::asked);
  ++out.count().stub_misses;
  std::memcpy(place, &head, sizeof head);
  place += sizeof head;
  std::memcpy(place, what.name.data(), head.name_bytes);
  std::memcpy(place + head.name_bytes, what.signature.data(), head.signature_bytes);
  return place + letters;
}

}  // namespace armilla::detail
