// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstring>
#include <memory>

#include "armilla/am/endpoint/arrival_order.hpp"
#include "armilla/am/endpoint/message_writer.hpp"
#include "armilla/am/endpoint/remote_traffic.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/global/remote_memory_messages.hpp"
#include "armilla/ring/heap.hpp"

// What the owner of memory does for others, and what the asker does with the reply. Bytes of another rank are checked first.
namespace armilla::detail {
namespace {

struct take_two_way_call {
  static constexpr const char* method_name = "memory request";
  static void run(delivery& in, rank_t source, const std::byte* data, std::size_t size);
};
struct access_reply {
  static constexpr const char* method_name = "memory replies";
  static void run(delivery& in, rank_t source, const std::byte* data, std::size_t size);
};

// Both numbers are fixed: programs of one job exchange these messages.
[[maybe_unused]] auto& two_way_call_slot = fixed_handler<take_two_way_call, remote_two_way_call_handler>;
auto& reply_slot = fixed_handler<access_reply, remote_reply_handler>;

std::byte* begin_reply(outbox& out, rank_t to, const remote_head& two_way_call, remote_status status, std::size_t bytes) {
  const remote_head head{std::uint32_t(sizeof(remote_head) + align_up(bytes, 8)), two_way_call.name, status, 0};
  const auto message = message_writer::in_frame(out, out.to(to), reply_slot.id, head.size, traffic::uncounted_replies);
  std::memcpy(message.at, &head, sizeof head);
  return message.at + sizeof head;
}

remote_status take_back(rank_memory& m, global_address at) {
  if (m.opened || at.rank() != m.self.rank || at.kind() != memory_kind::segment ||
      at.offset >= m.directory(m.self.rank).per_rank_begin)
    return remote_status::outside;
  // The progress thread may run this, and the heap belongs to the rank's thread, which takes the block when it next allocates.
  if (checked && m.local.generation_at(at.offset) == at.generation())
    remove_guard(m.host.segment_start(m.self.rank), m.local.extent_of(at.offset));
  const heap::status s = m.local.remote_free(at.offset, at.generation());
  return s == heap::status::live ? remote_status::ok : s == heap::status::freed ? remote_status::freed : remote_status::outside;
}

// Addresses of this process that come from another host may be any number: the kernel tells whether memory is there. A write is
// its copy already.
bool is_there(global_address at, std::uint32_t bytes, const std::byte* written) {
  if (at.kind() != memory_kind::process || bytes == 0) return true;
  std::byte scratch[remote_piece_limit];
  const iovec mine{written != nullptr ? const_cast<std::byte*>(written) : scratch, bytes};
  const iovec there{reinterpret_cast<void*>(at.offset), bytes};
  const ssize_t n = written != nullptr ? process_vm_writev(getpid(), &mine, 1, &there, 1, 0)
                                       : process_vm_readv(getpid(), &mine, 1, &there, 1, 0);
  return n == ssize_t(bytes) || (n < 0 && errno != EFAULT);  // where the kernel refuses such calls it cannot be told
}

void reply_now(outbox& out, rank_t source, const remote_two_way_call& q, remote_status status) {
  begin_reply(out, source, q.head, status, 0);
  end_reply(out, source);
}

// The bytes of a write are under way whatever we think of it: what is refused is received all the same, and dropped.
void receive_whole(outbox& out, rank_t source, const remote_two_way_call& q, const std::byte* extra, std::byte* place,
                   remote_status status) {
  struct pending {
    remote_two_way_call two_way_call;
    rank_t source;
    remote_status status;
    std::unique_ptr<std::byte[]> dropped;
  };
  auto mine = std::make_unique<pending>(pending{q, source, status, nullptr});
  if (status != remote_status::ok) {
    mine->dropped = std::make_unique_for_overwrite<std::byte[]>(q.bytes);
    place = mine->dropped.get();
  }
  std::uint64_t number;
  std::memcpy(&number, extra, sizeof number);
  const auto end = [](context& c, std::uint64_t address, std::uint64_t) {
    const std::unique_ptr<pending> done(reinterpret_cast<pending*>(address));
    outbox_of(c).far()->go_on(done->source);
    reply_now(outbox_of(c), done->source, done->two_way_call, done->status);
    c.out->flush(done->source);
  };
  out.far()->receive_memory(source, std::uint32_t(number), place, q.bytes, {end, reinterpret_cast<std::uint64_t>(mine.get()), 0});
  (void)mine.release();
  out.far()->hold(source);
}

void reply_whole(outbox& out, rank_t source, const remote_two_way_call& q, const std::byte* extra) {
  const rank_memory& m = memory_of(out.self);
  const global_address at{q.offset, q.where};
  const bool reads = q.what == remote_request::read_whole;
  if (!m.host.far[std::size_t(source)]) throw_damaged(source, "a request for whole memory, which only networks carry", q.bytes);
  remote_status status = remote_status::outside;
  if (at.rank() == m.self.rank && at.kind() == memory_kind::segment)
    status = admit(m, m.self.rank, at, q.bytes, reads ? may_read : may_write, m.opened);
  if (!reads) return receive_whole(out, source, q, extra, status == remote_status::ok ? place_here(m, at) : nullptr, status);
  if (status != remote_status::ok) return reply_now(out, source, q, status);
  const std::uint64_t number =
      out.far()->send_memory(source, place_here(m, at), q.bytes, {[](context&, std::uint64_t, std::uint64_t) {}, 0, 0});
  std::memcpy(begin_reply(out, source, q.head, status, sizeof number), &number, sizeof number);
  end_reply(out, source);
}

void reply_to(outbox& out, rank_t source, const remote_two_way_call& q, const std::byte* extra) {
  rank_memory& m = memory_of(out.self);
  const global_address at{q.offset, q.where};
  if (whole(q.what)) return reply_whole(out, source, q, extra);
  if (q.what == remote_request::confirm) return reply_now(out, source, q, remote_status::ok);
  const std::uint8_t rights = q.what == remote_request::read    ? may_read
                              : q.what == remote_request::write ? may_write
                                                                : may_read | may_write;
  const bool misplaced = q.what == remote_request::atomic && ((q.bytes != 4 && q.bytes != 8) || at.offset % q.bytes != 0);
  const remote_status status = misplaced ? remote_status::outside
                               : q.what == remote_request::deallocate
                                   ? take_back(m, at)
                                   : judge(m, source, at, q.bytes, rights, q.what == remote_request::write ? extra : nullptr);
  if (status != remote_status::ok || q.what == remote_request::deallocate) {
    begin_reply(out, source, q.head, status, 0);
  } else if (q.what == remote_request::read) {
    std::memcpy(begin_reply(out, source, q.head, status, q.bytes), place_here(m, at), q.bytes);
  } else if (q.what == remote_request::write) {
    std::memcpy(place_here(m, at), extra, q.bytes);
    begin_reply(out, source, q.head, status, 0);
  } else {
    std::uint64_t operands[2];
    std::memcpy(operands, extra, sizeof operands);
    const std::uint64_t old = apply_atomic(place_here(m, at), q.op, q.bytes, operands[0], operands[1]);
    std::byte* const place = begin_reply(out, source, q.head, status, q.wants_old ? sizeof old : 0);
    if (q.wants_old) std::memcpy(place, &old, sizeof old);
  }
  end_reply(out, source);
}

void take_two_way_call::run(delivery& in, rank_t source, const std::byte* data, std::size_t size) {
  while (size != 0) {
    remote_two_way_call q;
    if (size < sizeof q) throw_damaged(source, "a request for memory", size);
    std::memcpy(&q, data, sizeof q);
    const std::uint64_t extra = q.what == remote_request::write         ? align_up(std::uint64_t{q.bytes}, 8)
                                : q.what == remote_request::atomic      ? 16
                                : q.what == remote_request::write_whole ? 8
                                                                        : 0;
    if (q.what > remote_request::write_whole) throw_damaged(source, "a request for memory, its kind", std::uint64_t(q.what));
    if (q.head.size > size || q.head.size % 8 != 0 || q.head.size < sizeof q + extra ||
        q.bytes > (whole(q.what) ? whole_limit : remote_piece_limit))
      throw_damaged(source, "the length of a request for memory", q.head.size);
    in.count_message(remote_two_way_call_handler, q.head.size);
    reply_to(outbox_of(in.out), source, q, data + sizeof q);
    data += q.head.size;
    size -= q.head.size;
  }
}

// By name: the operation may have been given up meanwhile.
void finish_named(rank_memory& m, op_id name, remote_status status) {
  if (pending_op* const op = m.messages.out.pending.find(name))
    finish_piece(m, *op, status);
  else
    ++m.self.count->replies_abandoned;
}

void take_bytes(rank_memory& m, pending_op& op, const remote_head& head, const std::byte* bytes) {
  const remote_piece& piece = op.value<remote_piece>();
  if (head.status == remote_status::ok && piece.whole) {  // now they come
    std::uint64_t number;
    std::memcpy(&number, bytes, sizeof number);
    const auto end = [](context& self, std::uint64_t index, std::uint64_t generation) {
      finish_named(memory_of(self), {std::uint32_t(index), std::uint32_t(generation)}, remote_status::ok);
    };
    return m.messages.out.far()->receive_memory(piece.at.rank(), std::uint32_t(number), piece.into, piece.bytes,
                                                {end, head.name.index, head.name.generation}, op.next_step);
  }
  if (head.status == remote_status::ok && piece.into != nullptr) std::memcpy(piece.into, bytes, piece.bytes);
  finish_piece(m, op, head.status);
}

bool is_reply_to(pending_op& op, const remote_head& head, rank_t source) {
  if (!is_piece(op)) return false;
  const remote_piece& piece = op.value<remote_piece>();
  const std::size_t bytes = piece.whole ? sizeof(std::uint64_t) : piece.bytes;
  return piece.at.rank() == source && (head.status != remote_status::ok || head.size - sizeof head >= bytes);
}

void access_reply::run(delivery& in, rank_t source, const std::byte* data, std::size_t size) {
  rank_memory& m = memory_of(in.self);
  while (size != 0) {
    remote_head head;
    if (size < sizeof head) throw_damaged(source, "a reply about memory", size);
    std::memcpy(&head, data, sizeof head);
    if (head.size > size || head.size % 8 != 0 || head.size < sizeof head)
      throw_damaged(source, "the length of a reply about memory", head.size);
    pending_op* const op = in.out.pending.find(head.name);
    if (op != nullptr && !is_reply_to(*op, head, source))
      throw_damaged(source, "the name in a reply about memory", head.name.index);
    in.count_message(remote_reply_handler, head.size);
    if (op != nullptr)
      take_bytes(m, *op, head, data + sizeof head);
    else
      ++in.out.count().replies_abandoned;
    data += head.size;
    size -= head.size;
  }
}

}  // namespace

void end_reply(outbox& out, rank_t to) {
  peer_channel& c = out.to(to);
  c.urgent = true;
  out.done(c);
}

std::byte* place_here(const rank_memory& m, global_address at) noexcept {
  return at.kind() == memory_kind::segment ? m.host.segment_start(m.self.rank) + at.offset
                                           : reinterpret_cast<std::byte*>(at.offset);
}

remote_status judge(const rank_memory& m, rank_t source, global_address at, std::uint32_t bytes, std::uint8_t rights,
                    const std::byte* written) {
  if (at.rank() != m.self.rank || (at.kind() != memory_kind::segment && at.kind() != memory_kind::process))
    return remote_status::outside;
  const remote_status status = admit(m, m.self.rank, at, bytes, rights, m.opened && source != m.self.rank);
  if (status == remote_status::ok && m.host.far[std::size_t(source)] && !is_there(at, bytes, written))
    return remote_status::outside;
  return status;
}

// What is asked from now on goes as a message, and is refused: the number of its process may be another's soon.
void fail_pieces(context& self, rank_t lost) {
  if (self.memory == nullptr) return;
  rank_memory& m = memory_of(self);
  m.cross[std::size_t(lost)] = 1;
  if (m.mapped_far != nullptr) m.mapped_far->forget(lost);
  m.messages.out.pending.end_each([lost](pending_op& op) { return is_piece(op) && op.value<remote_piece>().at.rank() == lost; },
                                  [&m](pending_op& op) { finish_piece(m, op, remote_status::lost); });
  fail_stores(m, lost);
}

void forget_lost_pieces(context& self) {
  if (self.memory == nullptr) return;
  rank_memory& m = memory_of(self);
  m.failed = false;
  for (remote_failure& one : m.failure) {
    if (one.status == remote_status::lost) one = {};
    m.failed = m.failed || one.status != remote_status::ok;
  }
}

static explorer::kind judge_order(handler_id h, const std::byte* message, std::size_t bytes) {
  if (h == remote_store_handler) return explorer::kind::behind_earlier;  // a signal may be with it
  remote_two_way_call call;
  if (h != remote_two_way_call_handler || bytes < sizeof call) return explorer::kind::ordinary;
  std::memcpy(&call, message, sizeof call);
  const bool moves = call.what == remote_request::read || call.what == remote_request::write;
  return moves && call.head.size == bytes ? explorer::kind::without_order : explorer::kind::behind_earlier;
}

void register_remote_handlers(context& self) {
  const arrival_order* const order = order_of(self);
  if (order != nullptr && order->explores() != nullptr) order->explores()->set_judge(judge_order);
}

}  // namespace armilla::detail
