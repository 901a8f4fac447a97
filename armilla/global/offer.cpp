// SPDX-License-Identifier: Apache-2.0
#include "armilla/global/offer.hpp"

#include <sched.h>
#include <sys/uio.h>

#include <algorithm>
#include <cstring>

#include "armilla/am/endpoint/message_writer.hpp"
#include "armilla/base/core/options.hpp"
#include "armilla/base/values/clock.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/global/remote_memory.hpp"
#include "armilla/ring/heap.hpp"

namespace armilla::detail {
namespace {

struct offer_name {
  std::uint64_t offset;  ///< of the terms, in the sender's segment
  std::uint64_t generation;
};

struct take_offer {
  static constexpr const char* method_name = "memory offer";
  static constexpr std::size_t message_bytes = sizeof(offer_name);
  static void run(delivery& in, rank_t source, const std::byte* data, std::size_t size);
};
auto& offer_slot = fixed_handler<take_offer, well_known(handler_range::global, 2)>;

bool copy_all(pid_t writer, const copy_offer::terms& t, counters& count) {
  for (std::uint64_t at = 0; at < t.bytes;) {
    const iovec mine{reinterpret_cast<void*>(t.to + at), t.bytes - at};
    const iovec theirs{reinterpret_cast<void*>(t.from + at), t.bytes - at};
    const ssize_t n = process_vm_readv(writer, &mine, 1, &theirs, 1, 0);
    if (n <= 0) return false;
    ++count.cross_copies;
    at += std::uint64_t(n);
  }
  return true;
}

void take(rank_memory& m, rank_t source, const offer_name& name) {
  auto& terms = *reinterpret_cast<copy_offer::terms*>(m.host.segment_start(source) + name.offset);
  copy_offer::state seen = copy_offer::open;
  if (!terms.now.compare_exchange_strong(seen, copy_offer::taken, std::memory_order_acq_rel)) {
    if (seen == copy_offer::withdrawn) m.heap_at(source, name.offset).remote_free(name.offset, std::uint16_t(name.generation));
    return;
  }
  const bool all = m.cross[std::size_t(source)] == 0 && copy_all(m.host.pid[std::size_t(source)], terms, *m.self.count);
  terms.now.store(all ? copy_offer::done : copy_offer::refused, std::memory_order_release);
}

void take_offer::run(delivery& in, rank_t source, const std::byte* data, std::size_t size) {
  rank_memory& m = memory_of(in.self);
  const bool mapped = !m.host.far[std::size_t(source)] && source != m.self.rank;
  for (; size != 0; data += sizeof(offer_name), size -= sizeof(offer_name)) {
    offer_name name;
    if (size < sizeof name) throw_damaged(source, "an offer to copy, its length", size);
    std::memcpy(&name, data, sizeof name);
    if (!mapped || name.offset % alignof(copy_offer::terms) != 0 ||
        name.offset > m.host.layout.segment_bytes - sizeof(copy_offer::terms))
      throw_damaged(source, "an offer to copy, its place", name.offset);
    take(m, source, name);
  }
}

// The owner does nothing but copy. Then it is over soon, unless others have its core.
constexpr int looks_before_yield = 1000;

void pause(int look) noexcept { look < looks_before_yield ? relax() : void(::sched_yield()); }

void write_alone(rank_memory& m, global_address to, const std::byte* from, std::uint64_t at, std::uint64_t bytes,
                 const char* operation) {
  remote_transfer t(m, to, true, remote_group::blocking, operation);
  t.add(const_cast<std::byte*>(from) + at, std::int64_t(at), bytes);  // only read from: the kernel's iovec has no const
  t.finish();
}

}  // namespace

bool copy_offer::possible(rank_memory& m, rank_t owner) noexcept {
  if (current != &m.self || m.asks(owner)) return false;  // of the rank's own channels a progress thread touches none
  const peer_channel& c = m.messages.out.prepared_to(owner);
  return m.cross[std::size_t(owner)] == 0 && !m.host.oversubscribed && c.ready && !c.far && c.same_program &&
         m.self.settings->record.empty() && m.self.settings->replay.empty();  // how many offers go depends on time
}

copy_offer::copy_offer(rank_memory& m, global_address to, const std::byte* from, std::uint64_t bytes) : m_(m), owner_(to.rank()) {
  const heap::block block = m.local.allocate(sizeof(terms), alignof(terms));
  if (block.offset == heap::none) return;
  block_ = block.offset;
  terms_ = reinterpret_cast<terms*>(m.host.segment_start(m.self.rank) + block_);
  terms_->from = reinterpret_cast<std::uint64_t>(from);
  terms_->to = to.offset;
  terms_->bytes = bytes;
  terms_->now.store(open, std::memory_order_relaxed);  // the message is the release
  const offer_name name{block_, block.generation};
  peer_channel& c = m.messages.out.to(owner_);
  std::memcpy(message_writer::in_frame(m.messages.out, c, offer_slot.id, sizeof name).at, &name, sizeof name);
  m.messages.out.flush(owner_);
}

bool copy_offer::take_back() noexcept {
  if (terms_ == nullptr) return true;
  state seen = open;
  const bool mine = terms_->now.compare_exchange_strong(seen, withdrawn, std::memory_order_acq_rel);
  if (!mine) seen = await_owner();
  if (seen == done || seen == refused) m_.local.deallocate(block_);
  terms_ = nullptr;
  return seen != done;
}

copy_offer::state copy_offer::await_owner() const noexcept {
  for (int look = 0;; look += look < looks_before_yield) {
    const state now = terms_->now.load(std::memory_order_acquire);
    if (now == done || now == refused) return now;
    if (look >= looks_before_yield && is_of_lost(m_.self, m_.host.segment_start(owner_))) return now;
    pause(look);
  }
}

void write_with_owner(rank_memory& m, global_address to, const std::byte* from, std::uint64_t bytes, const char* operation) {
  std::uint64_t at = 0;
  for (bool helps = true; helps && bytes - at >= copy_offer::worth_from && copy_offer::possible(m, to.rank());) {
    const std::uint64_t part = std::min(bytes - at, copy_offer::most_at_once);
    const std::uint64_t half = part / 2 / host_layout::page * host_layout::page;
    global_address front = to;
    front.offset += at;
    copy_offer offer(m, front, from + at, half);
    write_alone(m, to, from, at + half, part - half, operation);
    helps = !offer.take_back();
    if (!helps) write_alone(m, to, from, at, half, operation);
    at += part;
  }
  if (at != bytes) write_alone(m, to, from, at, bytes - at, operation);
}

}  // namespace armilla::detail
