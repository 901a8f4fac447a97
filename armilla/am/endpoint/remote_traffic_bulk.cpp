// SPDX-License-Identifier: Apache-2.0
// Blocks that a network carries.
//
// A message that is too long for a frame lies in a block of the sender's segment. Its bytes travel from there into a block of
// the receiver's segment, and a message in the frames names them. What follows from the same rank waits until they are there.
#include <algorithm>
#include <cstring>
#include <memory>

#include <fmt/format.h>

#include "armilla/am/endpoint/block.hpp"
#include "armilla/am/endpoint/endpoint.hpp"
#include "armilla/am/endpoint/message_writer.hpp"
#include "armilla/am/endpoint/remote_traffic.hpp"
#include "armilla/error.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/ring/heap.hpp"
#include "armilla/wire/zero_copy.hpp"

namespace armilla::detail {
namespace {

struct remote_bulk_name {
  std::uint64_t id;
  std::uint64_t size;
  std::uint64_t handler;
};

/// Heads the rest of a message of which the network carries `bytes` bytes, from its byte `at` on.
struct zero_copy_name {
  std::uint64_t id;
  std::uint64_t size;
  std::uint64_t handler;
  std::uint64_t at;
  std::uint64_t bytes;
};

// The watermark of a block that is not read yet.
void set_filled(std::byte* block, std::uint64_t filled) noexcept {
  std::memcpy(block + offsetof(watermark, filled), &filled, sizeof filled);
}

}  // namespace

/// Takes in the name of a block whose bytes the network brings.
struct remote_bulk_message {
  static constexpr std::uint32_t message_bytes = sizeof(remote_bulk_name);

  static void run(delivery& in, rank_t source, const std::byte* at, std::size_t size) {
    remote_bulk_name name;
    if (size != sizeof name) throw_damaged(source, "the name of a block on the network, its length", size);
    std::memcpy(&name, at, sizeof name);
    outbox_of(in.out).far()->expect_bulk(source, std::uint32_t(name.id), std::size_t(name.size), name.handler);
  }
};

/// Takes in a message of which the network brings a part.
struct zero_copy_message {
  static void run(delivery& in, rank_t source, const std::byte* at, std::size_t size) {
    outbox_of(in.out).far()->expect_zero_copy(source, at, size);
  }
};
namespace {
handler_slot& remote_bulk_slot = fixed_handler<remote_bulk_message, remote_bulk_handler>;
handler_slot& zero_copy_slot = fixed_handler<zero_copy_message, zero_copy_handler>;
}  // namespace

// ---- sending ----

// The block's name is the last in its frame: what comes behind it waits for the bytes.
void remote_traffic::append_bulk(peer_channel& c, std::byte* block, std::size_t size, handler_id h) {
  const remote_bulk_name name{link.next_bulk(c.to), size, h};
  sending.reserve(sending.size() + 1);
  const auto message = message_writer::in_frame(all.out, c, remote_bulk_slot.id, sizeof name, traffic::uncounted_replies);
  std::memcpy(message.at, &name, sizeof name);
  c.limit = c.cursor;
  sending.push_back({c.to, c.index, std::uint32_t(name.id), block, size, 0});
}

// The last in its frame, too.
bool outgoing_block::send_zero_copy(sending& from, channel_head& to, handler_id h, std::size_t size,
                                    const zero_copy_encoder& message) {
  outbox& out = outbox_of(from);
  auto& c = static_cast<peer_channel&>(to);
  const remote_elements& zero_copy = message.elements();
  const std::size_t bytes = sizeof(zero_copy_name) + align_up(size - zero_copy.bytes, 8);
  if (!c.direct) out.refuse_if_spent(c, h, traffic::uncounted);
  if (out.far_ == nullptr || bytes > out.eager_ || size > longest_for(c)) return false;  // the usual way says what is too long
  std::byte* const place = message_writer::in_frame(out, c, zero_copy_slot.id, bytes, traffic::uncounted_replies).at;
  out.self.messages->in.count_message(zero_copy_slot.id, bytes);
  c.limit = c.cursor;
  const std::uint32_t id =
      out.far_->send_memory(c.to, zero_copy.data, zero_copy.bytes, {[](context&, std::uint64_t, std::uint64_t) {}, 0, 0});
  const zero_copy_name name{id, size, h, zero_copy.at, zero_copy.bytes};
  std::memcpy(place, &name, sizeof name);
  std::memcpy(place + sizeof name, message.rest(), bytes - sizeof name);
  return true;
}

std::uint32_t remote_traffic::send_memory(rank_t to, const std::byte* data, std::size_t bytes, bulk_end end, const void* owner) {
  const std::uint32_t number = link.next_bulk(to);
  transfers.push_back({link.net().send_bulk(to, number, data, bytes), no_rank, to, end, owner});
  ++all.out.count().bulk_sent;
  all.out.count().bulk_bytes_sent += bytes;
  return number;
}

void remote_traffic::receive_memory(rank_t from, std::uint32_t number, std::byte* place, std::size_t bytes, bulk_end end,
                                    const void* owner) {
  transfers.push_back({link.net().receive_bulk(from, number, place, bytes), from, no_rank, end, owner});
}

void remote_traffic::drop_blocks(const peer_channel& c) {
  std::erase_if(sending, [&](const outgoing& o) {
    if (o.transfer != 0 || o.channel != c.index) return false;
    free_block(o.block);
    return true;
  });
}

void remote_traffic::free_block(std::byte* block) {
  if (all.out.blocks() != nullptr)
    all.out.blocks()->deallocate(std::uint64_t(block - segment()));
  else
    delete[] block;
}

void remote_traffic::start_bulk(const peer_channel& c) {
  for (outgoing& o : sending)
    if (o.transfer == 0 && o.channel == c.index)
      o.transfer = link.net().send_bulk(o.to, o.id, o.block, sizeof(watermark) + o.bytes);
}

// ---- receiving ----

// A block for a message of `size` bytes: its mark, and behind that its bytes.
std::byte* remote_traffic::expect_block(rank_t source, std::size_t size) {
  if (size % 8 != 0 || size > all.out.host().layout.segment_bytes) throw_damaged(source, "a block's length", size);
  if (all.out.blocks() == nullptr) {
    if (size > longest_for_progress_thread)
      throw_limit("receive",
                  fmt::format("an argument of {} bytes from rank {} for a body of its progress thread is longer than {}", size,
                              source, longest_for_progress_thread));
    return new std::byte[sizeof(watermark) + size];
  }
  const heap::block block = all.out.blocks()->allocate(sizeof(watermark) + size, alignof(watermark));
  if (block.offset == heap::none)
    throw_limit("receive",
                fmt::format("a message of {} bytes from rank {} finds no room in this rank's segment; raise ARMILLA_SEGMENT",
                            size, source));
  return segment() + block.offset;
}

void remote_traffic::expect_bulk(rank_t source, std::uint32_t id, std::size_t size, std::uint64_t h) {
  std::byte* const block = expect_block(source, size);
  const std::uintptr_t transfer = link.net().receive_bulk(source, id, block, sizeof(watermark) + size);
  receiving.push_back({source, block, size, h, transfer, false});
  hold(source);
  all.sums.defer();
}

// In the block the message lies as if all of it had come together.
void remote_traffic::expect_zero_copy(rank_t source, const std::byte* at, std::size_t size) {
  zero_copy_name name;
  if (size < sizeof name) throw_damaged(source, "a message with a zero-copy part, its length", size);
  std::memcpy(&name, at, sizeof name);
  const std::byte* const rest = at + sizeof name;
  const std::size_t rest_bytes = size - sizeof name;
  if (name.bytes > name.size || name.at > name.size - name.bytes || align_up(name.size - name.bytes, 8) != rest_bytes)
    throw_damaged(source, "the zero-copy part of a message, its length", name.bytes);
  std::byte* const block = expect_block(source, name.size);
  std::byte* const place = block + sizeof(watermark);
  std::memcpy(place, rest, name.at);
  std::memcpy(place + name.at + name.bytes, rest + name.at, name.size - name.bytes - name.at);
  set_filled(block, 0);
  const std::uintptr_t transfer =
      link.net().receive_bulk(source, std::uint32_t(name.id), place + name.at, std::size_t(name.bytes));
  receiving.push_back({source, block, std::size_t(name.size), name.handler, transfer, true});
  hold(source);
  all.sums.defer();
}

// What the network has brought or taken is dealt with; true if anything was.
template <taker By>
bool remote_traffic::move_bulk() {
  network& net = link.net();
  const std::size_t before = sending.size() + transfers.size();
  for (std::size_t i = 0; i < transfers.size();) {
    const transfer over = transfers[i];
    if (over.number == 0 || !net.done(over.number)) {
      ++i;
      continue;
    }
    if (over.from != no_rank && !all.out.is_lost(over.from) && cut_off(over.from)) {
      transfers[i++].number = 0;
      continue;
    }
    transfers[i] = transfers.back();
    transfers.pop_back();
    over.end.run(self, over.end.first, over.end.second);
  }
  std::erase_if(sending, [&](const outgoing& o) {
    if (o.transfer == 0 || !net.done(o.transfer)) return false;
    free_block(o.block);
    return true;
  });
  for (std::size_t i = 0; i < receiving.size(); ++i) {
    const coming came = receiving[i];
    const bool put_back = came.transfer == has_come;
    if (put_back ? all.in.limits.bar(came.source) : !net.done(came.transfer)) continue;
    receiving.erase(receiving.begin() + std::ptrdiff_t(i));
    if (!put_back && (all.out.is_lost(came.source) || cut_off(came.source))) {
      drop_bulk(came.source, came.block);
      return true;
    }
    if (came.zero_copy) set_filled(came.block, watermark::finished(came.size));
    if (all.out.blocks() != nullptr)
      take_bulk<By>(came.source, std::uint64_t(came.block - segment()), came.size, came.handler);
    else
      take_own_bulk<By>(came.source, std::unique_ptr<std::byte[]>(came.block), came.size, came.handler);
    return true;
  }
  return sending.size() + transfers.size() != before;
}

// Of a rank that is lost not all may have come: the block is not read. Null: the network may still write to it.
void remote_traffic::drop_bulk(rank_t source, std::byte* block) {
  if (block != nullptr) free_block(block);
  all.sums.resume();
  link.cut(std::uint32_t(source));  // messages that it sent later would come out of order
  if (all.in.shows_processed != nullptr) show_processed(source);
}

// As if a frame had come that names a block of this rank's own segment.
template <taker By>
void remote_traffic::take_bulk(rank_t source, std::uint64_t offset, std::size_t size, std::uint64_t h) {
  struct {
    bundle_header head;
    bulk_name name;
  } const frame{{bulk_handler, sizeof(bulk_name)}, {offset, size, h}};
  remote_frame mine{.source = source, .copy = new std::byte[sizeof frame]};
  std::memcpy(mine.copy, &frame, sizeof frame);
  mine.data = mine.copy;
  arrival a(source, mine.data, sizeof frame, mine);
  all.in.run_frame<By>(a);
  if (a.kept) return;
  all.in.send_replies(source);
}

// As if a frame had come with that message: its bundle header stands where the watermark ends.
template <taker By>
void remote_traffic::take_own_bulk(rank_t source, std::unique_ptr<std::byte[]> block, std::size_t size, std::uint64_t h) {
  std::uint64_t filled;
  std::memcpy(&filled, block.get() + offsetof(watermark, filled), sizeof filled);
  const bool given_up = filled == watermark::given_up;  // its sender knows why
  if (!given_up && filled != watermark::finished(size)) throw_damaged(source, "the bytes that fill a block", filled);
  if (h >= all.in.handlers() || names_block(h)) throw_damaged(source, "a handler's number", h);
  const bundle_header head{handler_id(h), std::uint32_t(size)};
  std::byte* const messages = block.get() + sizeof(watermark);
  std::memcpy(messages - sizeof head, &head, sizeof head);
  const std::byte* const first = given_up ? messages + size : messages - sizeof head;
  remote_frame mine{.source = source, .copy = block.release(), .end = std::uint32_t(source)};
  arrival a(source, first, std::uint32_t(messages + size - first), mine);
  all.in.run_frame<By>(a);
}

template bool remote_traffic::move_bulk<taker::loop>();
template bool remote_traffic::move_bulk<taker::in_place>();

}  // namespace armilla::detail
