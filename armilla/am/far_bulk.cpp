// SPDX-License-Identifier: Apache-2.0
// Blocks that a network carries.
//
// An item that is too long for a frame lies in a block of the sender's segment; its bytes travel from there into a block of the
// receiver's segment, while a record in the frames names them. What follows from the same rank waits until they are there.
#include <cstring>
#include <memory>

#include <fmt/format.h>

#include "armilla/am/endpoint.hpp"
#include "armilla/am/far_traffic.hpp"
#include "armilla/base/error.hpp"
#include "armilla/wire/apart.hpp"

namespace armilla::detail {
namespace {

struct far_bulk_name {
  std::uint64_t id;
  std::uint64_t size;
  std::uint64_t handler;
};

/// Heads the rest of an item of which the network carries `bytes` bytes, `at` of it.
struct far_apart_name {
  std::uint64_t id;
  std::uint64_t size;
  std::uint64_t handler;
  std::uint64_t at;
  std::uint64_t bytes;
};

// The watermark of a block that nobody reads yet.
void set_filled(std::byte* block, std::uint64_t filled) noexcept {
  std::memcpy(block + offsetof(watermark, filled), &filled, sizeof filled);
}

}  // namespace

/// Takes in the name of a block whose bytes the network brings.
struct far_bulk_record {
  static constexpr std::uint32_t item_bytes = sizeof(far_bulk_name);

  static void run(endpoint& self, rank_t source, const std::byte* at, std::size_t size) {
    far_bulk_name name;
    if (size != sizeof name) self.throw_damaged(source, "the name of a block on the network, its length", size);
    std::memcpy(&name, at, sizeof name);
    self.expect_far_bulk(source, std::uint32_t(name.id), std::size_t(name.size), name.handler);
  }
};

/// Takes in an item of which the network brings a part.
struct far_apart_record {
  static void run(endpoint& self, rank_t source, const std::byte* at, std::size_t size) { self.expect_apart(source, at, size); }
};
namespace {
handler_slot& far_bulk_slot = fixed_handler<far_bulk_record, far_bulk_handler>;
handler_slot& far_apart_slot = fixed_handler<far_apart_record, far_apart_handler>;
}  // namespace

// ---- sending ----

// Its record is the last in its frame: what comes behind it waits for the bytes.
void endpoint::append_far_bulk(channel& c, std::uint64_t offset, std::size_t size, handler_id h) {
  far_traffic& far = *far_;
  const far_bulk_name name{far.side.next_bulk(c.to), size, h};
  far.sending.reserve(far.sending.size() + 1);
  std::memcpy(append(c, far_bulk_slot.id, sizeof name, traffic::answers), &name, sizeof name);
  c.limit = c.cursor;
  far.sending.push_back({c.to, c.index, std::uint32_t(name.id), offset, size, 0});
}

// The last in its frame, too.
bool endpoint::append_apart(channel& c, handler_id h, std::size_t size, const apart_encoder& item) {
  const far_elements& apart = item.elements();
  const std::size_t bytes = sizeof(far_apart_name) + align_up(size - apart.bytes, 8);
  if (c.blocked) refuse_if_spent(c, h, traffic::uncounted);
  if (far_ == nullptr || bytes > eager_ || size > longest_for(c)) return false;  // the usual way says what is too long
  std::byte* const place = append(c, far_apart_slot.id, bytes, traffic::answers);
  count_item(far_apart_slot.id, bytes);
  c.limit = c.cursor;
  const std::uint32_t id = send_memory(c.to, apart.data, apart.bytes, {[](context&, std::uint64_t, std::uint64_t) {}, 0, 0});
  const far_apart_name name{id, size, h, apart.at, apart.bytes};
  std::memcpy(place, &name, sizeof name);
  std::memcpy(place + sizeof name, item.rest(), bytes - sizeof name);
  return true;
}

std::uint32_t endpoint::send_memory(rank_t to, const std::byte* data, std::size_t bytes, bulk_end end) {
  const std::uint32_t number = far_->side.next_bulk(to);
  far_->transfers.push_back({far_->side.carrier().send_bulk(to, number, data, bytes), no_rank, to, end});
  ++count_.bulk_sent;
  count_.bulk_bytes_sent += bytes;
  return number;
}

void endpoint::receive_memory(rank_t from, std::uint32_t number, std::byte* place, std::size_t bytes, bulk_end end) {
  far_->transfers.push_back({far_->side.carrier().receive_bulk(from, number, place, bytes), from, no_rank, end});
}

// The frame with its record leaves, so the block is filled, or was given up, which its watermark says.
void endpoint::start_far_bulk(const channel& c) {
  for (far_traffic::outgoing& o : far_->sending)
    if (o.transfer == 0 && o.channel == c.index)
      o.transfer =
          far_->side.carrier().send_bulk(o.to, o.id, host_.segment_start(self_.rank) + o.offset, sizeof(watermark) + o.bytes);
}

// ---- receiving ----

// A block for an item of `size` bytes: its mark, and behind that its bytes.
std::byte* endpoint::expect_block(rank_t source, std::size_t size) {
  if (size % 8 != 0 || size > host_.layout.segment_bytes) throw_damaged(source, "a block's length", size);
  if (!has_blocks_) {
    if (size > longest_beside)
      throw_limit("receive", fmt::format("an argument of {} bytes from rank {} for a body beside the rank is longer than {}",
                                         size, source, longest_beside));
    return new std::byte[sizeof(watermark) + size];
  }
  const heap::block block = blocks_.allocate(sizeof(watermark) + size, alignof(watermark));
  if (block.offset == heap::none)
    throw_limit("receive",
                fmt::format("a message of {} bytes from rank {} finds no room in this rank's segment; raise ARMILLA_SEGMENT",
                            size, source));
  return host_.segment_start(self_.rank) + block.offset;
}

void endpoint::expect_far_bulk(rank_t source, std::uint32_t id, std::size_t size, std::uint64_t h) {
  std::byte* const block = expect_block(source, size);
  const std::uintptr_t transfer = far_->side.carrier().receive_bulk(source, id, block, sizeof(watermark) + size);
  far_->receiving.push_back({source, block, size, h, transfer, false});
  hold(source);
  defer();
}

// In the block the item lies as if all of it had come together.
void endpoint::expect_apart(rank_t source, const std::byte* at, std::size_t size) {
  far_apart_name name;
  if (size < sizeof name) throw_damaged(source, "an item of which a part is apart, its length", size);
  std::memcpy(&name, at, sizeof name);
  const std::byte* const rest = at + sizeof name;
  const std::size_t rest_bytes = size - sizeof name;
  if (name.bytes > name.size || name.at > name.size - name.bytes || align_up(name.size - name.bytes, 8) != rest_bytes)
    throw_damaged(source, "the part of an item that is apart, its length", name.bytes);
  std::byte* const block = expect_block(source, name.size);
  std::byte* const place = block + sizeof(watermark);
  std::memcpy(place, rest, name.at);
  std::memcpy(place + name.at + name.bytes, rest + name.at, name.size - name.bytes - name.at);
  set_filled(block, 0);
  const std::uintptr_t transfer =
      far_->side.carrier().receive_bulk(source, std::uint32_t(name.id), place + name.at, std::size_t(name.bytes));
  far_->receiving.push_back({source, block, std::size_t(name.size), name.handler, transfer, true});
  hold(source);
  defer();
}

// What the network has brought or taken is dealt with; true if anything was.
template <endpoint::taker By>
bool endpoint::move_far_bulk() {
  far_traffic& far = *far_;
  network& carrier = far.side.carrier();
  const std::size_t before = far.sending.size() + far.transfers.size();
  for (std::size_t i = 0; i < far.transfers.size();) {
    const far_traffic::transfer over = far.transfers[i];
    if (over.number == 0 || !carrier.done(over.number)) {
      ++i;
      continue;
    }
    if (over.from != no_rank && !is_lost(over.from) && far.cut_off(over.from, self_.rank)) {
      far.transfers[i++].number = 0;
      continue;
    }
    far.transfers[i] = far.transfers.back();
    far.transfers.pop_back();
    over.end.run(self_, over.end.first, over.end.second);
  }
  std::erase_if(far.sending, [&](const far_traffic::outgoing& o) {
    if (o.transfer == 0 || !carrier.done(o.transfer)) return false;
    blocks_.deallocate(o.offset);
    return true;
  });
  for (std::size_t i = 0; i < far.receiving.size(); ++i) {
    if (!carrier.done(far.receiving[i].transfer)) continue;
    const far_traffic::coming came = far.receiving[i];
    far.receiving.erase(far.receiving.begin() + std::ptrdiff_t(i));
    if (is_lost(came.source) || far.cut_off(came.source, self_.rank)) {
      drop_far_bulk(came.source, came.block);
      return true;
    }
    if (came.apart) set_filled(came.block, watermark::finished(came.size));
    if (has_blocks_)
      take_far_bulk<By>(came.source, std::uint64_t(came.block - host_.segment_start(self_.rank)), came.size, came.handler);
    else
      take_own_bulk<By>(came.source, std::unique_ptr<std::byte[]>(came.block), came.size, came.handler);
    return true;
  }
  return far.sending.size() + far.transfers.size() != before;
}

// Of a rank that is lost not all may have come: nobody reads the block. Null: the network may still write to it.
void endpoint::drop_far_bulk(rank_t source, std::byte* block) {
  if (block != nullptr && has_blocks_)
    blocks_.deallocate(std::uint64_t(block - host_.segment_start(self_.rank)));
  else
    delete[] block;
  resume();
  go_on(source);
  if (attends_ != nullptr) show_attended(source);
}

// As if a frame had come that names a block of this rank's own segment.
template <endpoint::taker By>
void endpoint::take_far_bulk(rank_t source, std::uint64_t offset, std::size_t size, std::uint64_t h) {
  struct {
    record head;
    bulk_name name;
  } const frame{{bulk_handler, sizeof(bulk_name)}, {offset, size, h}};
  far_frame mine{nullptr, 0, source, 0, false, false, new std::byte[sizeof frame]};
  std::memcpy(mine.copy, &frame, sizeof frame);
  mine.data = mine.copy;
  arrival a{nullptr, source, sizeof frame, mine.data, mine.data + sizeof frame, mine};
  run_frame<By>(a);
  if (a.kept) return;
  channel& back = channels_[std::size_t(source)];
  if (back.urgent) push(back);
}

// As if a frame had come with that item: its record stands where the watermark ends.
template <endpoint::taker By>
void endpoint::take_own_bulk(rank_t source, std::unique_ptr<std::byte[]> block, std::size_t size, std::uint64_t h) {
  std::uint64_t filled;
  std::memcpy(&filled, block.get() + offsetof(watermark, filled), sizeof filled);
  const bool given_up = filled == watermark::given_up;  // its sender knows why
  if (!given_up && filled != watermark::finished(size)) throw_damaged(source, "the bytes that fill a block", filled);
  if (h >= handlers_.size || names_block(h)) throw_damaged(source, "a handler's number", h);
  const record head{handler_id(h), std::uint32_t(size)};
  std::byte* const items = block.get() + sizeof(watermark);
  std::memcpy(items - sizeof head, &head, sizeof head);
  const std::byte* const first = given_up ? items + size : items - sizeof head;
  far_frame mine{nullptr, 0, source, 0, false, false, block.release(), std::uint32_t(source)};
  arrival a{nullptr, source, std::uint32_t(items + size - first), first, items + size, mine};
  run_frame<By>(a);
}

template bool endpoint::move_far_bulk<endpoint::taker::loop>();
template bool endpoint::move_far_bulk<endpoint::taker::in_place>();

}  // namespace armilla::detail
