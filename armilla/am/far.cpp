// SPDX-License-Identifier: Apache-2.0
// Frames and blocks that a network carries.
//
// A frame is filled in private memory as any other, and copied into a buffer of the network when it leaves. An item that is too
// long for a frame lies in a block of the sender's segment; its bytes travel from there into a block of the receiver's segment,
// while a record in the frames names them. What follows from the same rank waits until they are there.
#include <sched.h>

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "armilla/am/endpoint.hpp"
#include "armilla/am/far_traffic.hpp"
#include "armilla/base/clock.hpp"
#include "armilla/base/error.hpp"
#include "armilla/base/options.hpp"
#include "armilla/fabric/shared_network.hpp"
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

constexpr std::uint64_t nap_ns = 500'000;                // beside a network without a descriptor
constexpr std::uint64_t longest_sleep_ns = 100'000'000;  // at a descriptor

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

void endpoint::push_far(channel& c, const std::byte* frame, std::size_t bytes) {
  if (c.lost) return;
  if (!far_->sending.empty()) [[unlikely]]
    start_far_bulk(c);
  std::byte* const room = c.spilled.empty() ? far_->side.reserve(c.index, bytes) : nullptr;
  if (room == nullptr) return spill(c, frame, bytes);
  std::memcpy(room, frame, bytes);
  far_->side.publish(room, c.index, bytes);
}

bool endpoint::drain_far(channel& c) {
  const std::vector<std::byte>& frame = c.spilled.front();
  std::byte* const room = far_->side.reserve(c.index, frame.size());
  if (room == nullptr) return false;
  std::memcpy(room, frame.data(), frame.size());
  far_->side.publish(room, c.index, frame.size());
  return true;
}

std::size_t endpoint::longest_aside() const noexcept { return far_->side.most() - sizeof(record); }

void endpoint::send_aside(rank_t to, handler_id h, const void* head, std::size_t head_bytes, const std::byte* data,
                          std::size_t bytes) {
  far_traffic& far = *far_;
  const record what{h, std::uint32_t(head_bytes + bytes)};
  const std::size_t all = sizeof what + what.length;
  const bool queue = !far.aside.empty();
  ++count_.control_sent;
  count_.control_bytes_sent += all;
  std::byte* const room = queue ? nullptr : far.side.reserve_aside(to, all);
  std::byte* place = room != nullptr ? room : far.aside.emplace_back(to, std::vector<std::byte>(all)).frame.data();
  std::memcpy(place, &what, sizeof what);
  std::memcpy(place += sizeof what, head, head_bytes);
  if (bytes != 0) std::memcpy(place + head_bytes, data, bytes);
  if (room != nullptr) far.side.publish(room, to, all, far_side::kind::aside);
}

bool endpoint::takes_ride(const channel& c, std::size_t bytes) const noexcept {
  const std::size_t more = sizeof(record) + bytes;
  return c.open() && c.far && c.index < std::size_t(self_.ranks) && !c.full && far_->aside.empty() &&
         std::size_t(c.limit - c.cursor) >= more && far_->side.admits(c.index, std::size_t(c.cursor - c.frame) + more);
}

std::uint64_t endpoint::flush_all_but_rides(std::size_t bytes) {
  std::uint64_t lines = 0;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < to_flush_.size(); ++i) {
    channel& c = channels_[to_flush_[i]];
    if (takes_ride(c, bytes)) {
      lines += lines_for(std::size_t(c.cursor - c.frame) + sizeof(record) + bytes);
      to_flush_[kept++] = c.index;
    } else {
      c.listed = false;
      push(c);
    }
  }
  to_flush_.resize(kept);
  return lines;
}

void endpoint::ride(rank_t to, handler_id h, const void* head, std::size_t head_bytes, const std::byte* data, std::size_t bytes) {
  channel& c = channels_[std::size_t(to)];
  if (!takes_ride(c, head_bytes + bytes)) return send_aside(to, h, head, head_bytes, data, bytes);
  end_record(c);
  std::byte* const place = append(c, h, head_bytes + bytes, traffic::answers);
  std::memcpy(place, head, head_bytes);
  if (bytes != 0) std::memcpy(place + head_bytes, data, bytes);
  push(c);
}

// What found no buffer; in order.
void endpoint::drain_aside() {
  far_traffic& far = *far_;
  while (!far.aside.empty()) {
    const far_traffic::waiting_aside& first = far.aside.front();
    std::byte* const room = far.side.reserve_aside(first.to, first.frame.size());
    if (room == nullptr) return;
    std::memcpy(room, first.frame.data(), first.frame.size());
    far.side.publish(room, first.to, first.frame.size(), far_side::kind::aside);
    far.aside.pop_front();
  }
}

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

void endpoint::hold(rank_t source) { far_->side.hold(source); }
void endpoint::go_on(rank_t source) { far_->side.go_on(source); }

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
  far_frame mine{nullptr, 0, source, 0, false, new std::byte[sizeof frame]};
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
  far_frame mine{nullptr, 0, source, 0, false, block.release(), std::uint32_t(source)};
  arrival a{nullptr, source, std::uint32_t(items + size - first), first, items + size, mine};
  run_frame<By>(a);
}

template <endpoint::taker By>
bool endpoint::poll_far() {
  far_traffic& far = *far_;
  const bool in_loop = By == taker::loop && self_.fibers->in_loop();
  bool any = false;
  if (!far.aside.empty()) [[unlikely]]
    drain_aside();
  if (far.any_bulk()) [[unlikely]] {
    any = move_far_bulk<By>();
    if (left_ || (in_loop && !self_.fibers->in_loop())) return true;
  }
  // One frame a look: whoever waits asks then whether that was it. To find that no other has come takes the network longer.
  arrival a{};
  if (!far.side.next(a.far)) {
    if (!any && (++far.idle_looks & 255) == 0) [[unlikely]]
      ask_network();
    return any;
  }
  a.source = a.far.source;
  a.bytes = a.far.bytes;
  a.at = a.first = a.far.data;
  a.end = a.at + a.bytes;
  run_frame<By>(a);
  if (a.kept) [[unlikely]]
    return true;
  channel& back = channels_[std::size_t(a.source)];
  if (back.urgent) push(back);
  return true;
}
template bool endpoint::poll_far<endpoint::taker::loop>();
template bool endpoint::poll_far<endpoint::taker::in_place>();

void endpoint::give_back_far(arrival& a) {
  if (a.far.bytes != 0) {
    if (!a.far.aside) count_.bytes_received += a.bytes;
    far_->side.release(a.far);
  } else {
    delete[] a.far.copy;  // of take_far_bulk: its sender goes on
    resume();
    far_->side.go_on(std::uint32_t(a.source));
  }
  if (attends_ != nullptr) [[unlikely]]
    show_attended(a.source);
}

bool endpoint::in_far_frame(const std::byte* place) const noexcept {
  return arriving_ != nullptr && place >= arriving_->first && place < arriving_->end;
}

void endpoint::sleep_beside_network(const waiting::spell& spell, std::uint64_t deadline_ns) noexcept {
  if (far_->any_bulk()) {  // moves only while we look
    waiting_.cancel();
    sched_yield();
    return;
  }
  network& carrier = far_->side.carrier();
  shared_network* const shared = host_.shared;
  const int descriptor = far_->wants_buffers() ? -1 : carrier.descriptor();
  if ((shared != nullptr && shared->keeps_for_rank()) || (descriptor >= 0 && !carrier.arm())) return waiting_.cancel();
  if (shared != nullptr) shared->rank_sleeps();
  // A network may have something to send of which no descriptor tells, an answer of its own perhaps, that found no room.
  const std::uint64_t now = now_ns();
  const std::uint64_t longest = descriptor < 0 ? nap_ns : std::clamp((now - spell.began_ns) / 2, nap_ns, longest_sleep_ns);
  const std::uint64_t wake_up = now + longest;
  waiting_.sleep(spell, deadline_ns != 0 && deadline_ns < wake_up ? deadline_ns : wake_up, false, descriptor);
  if (shared != nullptr) shared->rank_woke();
  if (descriptor >= 0) far_->idle_looks |= 255;  // that many naps would have passed: the next look asks for losses
}

std::uint64_t endpoint::far_lines_sent(rank_t r) const noexcept {
  return far_->side.sent(std::uint32_t(r)) + (beside_ != 0 ? far_->side.sent(std::uint32_t(beside_ + std::size_t(r))) : 0);
}
std::uint64_t endpoint::far_lines_taken(rank_t r) const noexcept { return far_->side.taken(std::uint32_t(r)); }

void endpoint::open_network(role who) {
  if (host_.beyond == nullptr) return;
  if (!self_.settings->record.empty() || !self_.settings->replay.empty())
    throw_usage("start",
                "the order of arrivals is recorded and imposed where ranks share memory; not with ARMILLA_RECORD or "
                "ARMILLA_REPLAY over a network");
  using side = far_side::role;
  const side mine = who == role::attendant ? side::attendant : host_.shared != nullptr ? side::attended_rank : side::rank;
  network& carrier = mine == side::rank        ? *host_.beyond
                     : mine == side::attendant ? host_.shared->for_attendant()
                                               : host_.shared->for_rank();
  far_ = std::make_unique<far_traffic>(carrier, self_.rank, self_.ranks, self_.settings->network_window, mine);
  far_->supervised = host_.job().supervisor > 0;
  // A block over a network is a transfer of its own, which asks and answers first: nobody wants that for a few words.
  constexpr std::size_t least_by_network = 512;
  eager_ = std::clamp(eager_, least_by_network, far_->side.most() - 2 * sizeof(record));
}

// All frames have been taken in, so all blocks have been received: the network only has to notice.
void endpoint::close_network() {
  if (far_ == nullptr) return;
  far_->closing = true;
  if (attends_ != nullptr) host_.shared->let_attendant_look(true);  // its rank looks no more
  while (!far_->sending.empty() || !far_->transfers.empty() || !far_->aside.empty()) poll_far<taker::in_place>();
  far_.reset();
}

}  // namespace armilla::detail
