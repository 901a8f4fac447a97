// SPDX-License-Identifier: Apache-2.0
// Payloads that are too long for the ring: they lie in a block of the sender's segment, and a short record names it. The
// receiver reads them there and gives the block back, so they are copied no more often than the type of the argument asks.
#include <cstring>

#include <fmt/format.h>

#include "armilla/am/endpoint.hpp"
#include "armilla/base/error.hpp"

namespace armilla::detail {
namespace {

struct bulk_name {
  std::uint64_t offset;  // in the sender's segment
  std::uint64_t size;
  std::uint64_t handler;
};

}  // namespace

/// Takes in what a bulk record names.
struct bulk_record {
  static constexpr bool may_wait = true;  // what it names may

  static void run(endpoint& self, rank_t source, const std::byte* at, std::size_t size) {
    run_rest rest{at, at + size};
    self.begin_bodies(rest);
    while (rest.at != rest.end) {
      bulk_name name;
      if (std::size_t(rest.end - rest.at) < sizeof name)
        self.throw_damaged(source, "the name of a block, its length", std::uint64_t(rest.end - rest.at));
      std::memcpy(&name, rest.at, sizeof name);
      rest.at += sizeof name;
      self.take_bulk(source, name.offset, std::size_t(name.size), name.handler);
    }
  }
};
namespace {
handler_slot& bulk_slot = fixed_handler<bulk_record, bulk_handler>;
}

void endpoint::use_heap(heap blocks, std::uint64_t first) noexcept {
  blocks_ = blocks;
  host_.control(self_.rank).heap_first.store(first, std::memory_order_release);
}

std::byte* endpoint::append_bulk(channel& c, handler_id h, std::size_t size) {
  const heap::block block = blocks_.allocate(size);
  if (block.offset == heap::none)
    throw_limit(
        "send",
        fmt::format("a message of {} bytes for rank {} finds no room in this rank's segment; raise ARMILLA_SEGMENT", size, c.to));
  ++count_.bulk_sent;
  count_.bulk_bytes_sent += size;
  const bulk_name name{block.offset, size, h};
  try {
    std::memcpy(append(c, bulk_slot.id, sizeof name), &name, sizeof name);
  } catch (...) {
    blocks_.deallocate(block.offset);
    throw;
  }
  // The record leaves with the frame, and the frame only after the caller has filled the block: no poll lies between.
  return host_.segment_start(self_.rank) + block.offset;
}

void endpoint::take_bulk(rank_t source, std::uint64_t offset, std::size_t size, std::uint64_t h) {
  if (offset > host_.layout.segment_bytes || size > host_.layout.segment_bytes - offset)
    throw_damaged(source, "a block's place", offset);
  if (size % 8 != 0 || offset % 8 != 0) throw_damaged(source, "a block's length", size);
  if (h >= handlers_.size || h == bulk_handler) throw_damaged(source, "a handler's number", h);
  struct returner {
    heap owner;
    std::uint64_t offset;
    ~returner() { owner.remote_free(offset); }
  } at_end{heap::attach(host_.segment_start(source), host_.control(source).heap_first.load(std::memory_order_acquire)), offset};
  if (methods_ != nullptr) [[unlikely]]
    note_run(handler_id(h), size);
  handlers_.functions[h](*this, source, host_.segment_start(source) + offset, size);
}

}  // namespace armilla::detail
