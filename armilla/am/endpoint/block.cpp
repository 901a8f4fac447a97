// SPDX-License-Identifier: Apache-2.0
// Payloads that are longer than ARMILLA_EAGER. Inside a host: each lies in a block of the sender's segment, and a short message
// names it. The receiver reads it there and gives the block back, so it is copied no more often than the type of the argument
// asks.
//
//     block:  watermark | bytes
//
// The name of an outgoing_block leaves before the bytes are written, and the receiver follows the watermark. To a far rank the
// block travels whole, when it is full, into one of the receiver's: remote_traffic_bulk.cpp.
#include "armilla/am/endpoint/block.hpp"

#include <cstring>
#include <memory>

#include <fmt/format.h>

#include "armilla/am/endpoint/inbox.hpp"
#include "armilla/am/endpoint/message_writer.hpp"
#include "armilla/am/endpoint/remote_traffic.hpp"
#include "armilla/error.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/ring/heap.hpp"

// Model: tests/models/order/block.rs
namespace armilla::detail {
/// Takes in a message that names a block.
struct bulk_message {
  static constexpr bool may_wait = true;  // the bodies in the block may

  static void run(delivery& in, rank_t source, const std::byte* at, std::size_t size) {
    bundle_rest rest{at, at + size};
    in.begin_bodies(rest);
    do {
      bulk_name name;
      if (std::size_t(rest.end - rest.at) < sizeof name)
        throw_damaged(source, "the name of a block, its length", std::uint64_t(rest.end - rest.at));
      std::memcpy(&name, rest.at, sizeof name);
      rest.at += sizeof name;
      static_cast<inbox&>(in).take_block(source, name.offset, std::size_t(name.size), name.handler);
    } while (in.next_body(rest));
  }
};
namespace {

handler_slot& bulk_slot = fixed_handler<bulk_message, bulk_handler>;

/// While a block in the memory of another rank is read: if that is lost, its memory is not cleared before.
class being_read {
 public:
  explicit being_read(std::uint32_t* blocks) noexcept : blocks_(blocks) {
    if (blocks_ != nullptr) ++*blocks_;
  }
  ~being_read() {
    if (blocks_ != nullptr) --*blocks_;
  }
  being_read(const being_read&) = delete;

 private:
  std::uint32_t* const blocks_;
};

}  // namespace

void outbox::use_heap(heap blocks, std::uint64_t first) noexcept {
  blocks_.reset(new heap(blocks));
  host_.control(self.rank).heap_first.store(first, std::memory_order_release);
}

// Of a progress thread, which has no heap in the segment. A network takes any memory.
watermark* outbox::start_own_block(peer_channel& c, handler_id h, std::size_t size) {
  if (!c.far)
    throw_limit(
        "send",
        fmt::format(
            "a reply of {} bytes of a body that the progress thread runs is too long; raise ARMILLA_EAGER, or let the rank "
            "itself run that body",
            size));
  std::unique_ptr<std::byte[]> block(new std::byte[sizeof(watermark) + size]);
  ++count_.bulk_sent;
  count_.bulk_bytes_sent += size;
  far_->append_bulk(c, block.get(), size, h);
  c.open_blocks += size;
  auto* const mark = reinterpret_cast<watermark*>(block.release());
  mark->raise(0);
  return mark;
}

watermark* outbox::start_block(peer_channel& c, handler_id h, std::size_t size) {
  if (blocks_ == nullptr) return start_own_block(c, h, size);
  if (size > longest_for(c))
    throw_limit(
        "send",
        fmt::format("an argument of {} bytes for the progress thread of rank {} on another host is longer than {}; send it in "
                    "parts, put it into the rank's memory, or let the rank itself run that body",
                    size, c.to, longest_for_progress_thread));
  const heap::block block = blocks_->allocate(sizeof(watermark) + size, alignof(watermark));
  if (block.offset == heap::none)
    throw_limit(
        "send",
        fmt::format("a message of {} bytes for rank {} finds no room in this rank's segment; raise ARMILLA_SEGMENT", size, c.to));
  ++count_.bulk_sent;
  count_.bulk_bytes_sent += size;
  const bulk_name name{block.offset, size, h};
  try {
    // A reply leaves where a body may send no more: credit was asked for before.
    if (c.far) [[unlikely]]
      far_->append_bulk(c, host_.segment_start(self.rank) + block.offset, size, h);
    else
      std::memcpy(message_writer::in_frame(*this, c, bulk_slot.id, sizeof name, traffic::uncounted_replies).at, &name,
                  sizeof name);
  } catch (...) {
    blocks_->deallocate(block.offset);
    throw;
  }
  c.open_blocks += size;
  auto* const mark = reinterpret_cast<watermark*>(host_.segment_start(self.rank) + block.offset);
  mark->raise(0);
  return mark;
}

std::byte* outbox::append_bulk(peer_channel& c, handler_id h, std::size_t size) {
  watermark* const mark = start_block(c, h, size);
  mark->raise(watermark::finished(size));  // the frame only leaves after the caller has filled the block: no poll lies between
  return reinterpret_cast<std::byte*>(mark + 1);
}

outgoing_block::outgoing_block(sending& from, channel_head& to, handler_id h, std::size_t size) : size_(size) {
  outbox& out = outbox_of(from);
  auto& c = static_cast<peer_channel&>(to);
  if (!c.direct) [[unlikely]]
    out.refuse_if_spent(out.prepared(c), h, traffic::uncounted);
  mark_ = out.start_block(c, h, size);
  // To this rank itself it leaves when it is full: while the rank reads nothing fills it. A network, too, carries only full ones.
  if (c.to != out.self.rank && !c.far) out.push(c);
}

void incoming_block::give_back() noexcept {
  await_end(*mark_, size_);  // the last piece may be read before the writer has said its last word
  mark_ = nullptr;
  heap::attach(segment_, heap_first_).remote_free(offset_);
}

void inbox::take_block(rank_t source, std::uint64_t offset, std::size_t size, std::uint64_t h) {
  const host_map& host = out.host();
  const std::uint64_t most = host.layout.segment_bytes - sizeof(watermark);
  if (offset > most || size > most - offset) throw_damaged(source, "a block's place", offset);
  if (size % 8 != 0 || offset % alignof(watermark) != 0) throw_damaged(source, "a block's length", size);
  if (h >= handlers_.size || names_block(h)) throw_damaged(source, "a handler's number", h);
  const bool far = host.far[std::size_t(source)];
  // Which block of this rank the network has brought, only this rank itself says: remote_traffic::take_bulk.
  if (far && (arriving_ == nullptr || arriving()->far.bytes != 0)) throw_damaged(source, "a block's name, its place", offset);
  const rank_t owner = far ? self.rank : source;
  std::byte* const segment = host.segment_start(owner);
  auto* const mark = reinterpret_cast<watermark*>(segment + offset);
  const std::uint64_t filled = far ? mark->filled : 0;             // a near one may still be written
  const bool cut_off = far && filled < watermark::finished(size);  // the rest would never be filled
  if (cut_off) mark->raise(watermark::given_up);
  incoming_block block(segment, host.control(owner).heap_first.load(std::memory_order_acquire), offset, mark, size);
  if (cut_off) throw_damaged(source, "the bytes that fill a block", filled);
  if (methods_ != nullptr) [[unlikely]]
    note_bundle(handler_id(h), size);
  const being_read counted(far ? nullptr : &ring_of(source).blocks);
  try {
    if (handlers_.streams[h] != 0)
      stream_ = &block;
    else
      block.await(block.end());
    run_bodies<true>(source, handler_id(h), block.begin(), size);
  } catch (const message_given_up&) {}  // its sender knows why
}

}  // namespace armilla::detail
