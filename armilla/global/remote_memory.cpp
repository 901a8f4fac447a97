// SPDX-License-Identifier: Apache-2.0
#include "armilla/global/remote_memory.hpp"

#include <errno.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "armilla/am/endpoint/message_writer.hpp"
#include "armilla/am/endpoint/remote_traffic.hpp"
#include "armilla/base/core/options.hpp"
#include "armilla/error.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/global/remote_memory_messages.hpp"
#include "armilla/team/core/fence_hooks.hpp"

namespace armilla::detail {
namespace {

constexpr std::uint64_t whole_from = 16 * 1024;  // bytes: shorter ones go in the frames
constexpr std::uint64_t most_under_way = 4096;   // pieces by message before a rank's own code takes in replies

std::unique_ptr<std::byte[]> copy_of(const std::byte* from, std::uint64_t bytes) {
  std::unique_ptr<std::byte[]> copy(new std::byte[bytes]);
  std::memcpy(copy.get(), from, bytes);
  return copy;
}

// The pieces of a blocking operation point into its caller's frame: when that goes, no reply may find it.
void forget(rank_memory& m, remote_wait& wait) noexcept {
  if (wait.left == 0) return;
  await_transfers(m.messages, &wait);
  pending_ops& pending = m.messages.out.pending;
  pending.each([&](pending_op& op) {
    if (!is_piece(op) || op.next_step != &wait) return;
    --m.unfinished[unsigned(remote_group::blocking)];
    pending.give_back(&op);
  });
  wait.left = 0;
}

/// What one blocking operation waits for, in the frame of its caller.
struct waiting_here {
  explicit waiting_here(rank_memory& memory) noexcept : m(memory) {}
  waiting_here(const waiting_here&) = delete;
  waiting_here& operator=(const waiting_here&) = delete;
  ~waiting_here() { forget(m, wait); }
  rank_memory& m;
  blocking_wait wait;
};

// A blocking operation may have to wait: where that is refused it throws before anything is sent, and a body becomes a fiber.
void prepare_to_wait(rank_memory& m, const char* operation) { m.self.fibers->before_wait(operation); }

void await_pieces(rank_memory& m, blocking_wait& wait, const char* operation) {
  const auto arm = [&wait](fiber_record& me) {
    wait.waits.who = &me;
    wait.over = &wait.waits;
  };
  m.messages.waits.wait_woken([&wait] { return wait.left == 0; }, arm, 0, operation);
}

void finish_wait(rank_memory& m, blocking_wait& wait, const char* operation) {
  await_pieces(m, wait, operation);
  if (wait.failure.status != remote_status::ok) throw_far(wait.failure.operation, wait.failure.status, wait.failure.at);
}

// The first failure stays.
bool note(remote_failure& first, const remote_failure& next) noexcept {
  if (next.status == remote_status::ok || first.status != remote_status::ok) return false;
  first = next;
  return true;
}

// That a rank is lost is told by what waits for it.
bool is_kept(const remote_failure& f) noexcept { return f.status != remote_status::ok && f.status != remote_status::lost; }

std::uint64_t count_failures(context& self, const std::uint64_t*) {
  return std::uint64_t(std::ranges::count_if(memory_of(self).failure, is_kept));
}

bool take_failure(context& self, const std::uint64_t*, exception_text& what) {
  rank_memory& m = memory_of(self);
  remote_failure* const first = std::ranges::find_if(m.failure, is_kept);
  if (first == std::end(m.failure)) return false;
  try {
    throw_far(first->operation, first->status, first->at);
  } catch (...) { what = describe_current_exception(); }
  std::ranges::replace_if(m.failure, is_kept, remote_failure{});
  m.failed = std::ranges::any_of(m.failure, [](const remote_failure& f) { return f.status != remote_status::ok; });
  return true;
}

// The next wait for such operations throws it, or the next fence.
void keep_failure(rank_memory& m) noexcept {
  m.failed = true;
  add_kept_errors(m.self, {&count_failures, &take_failure});
}

remote_failure failure_of(const remote_piece& piece) noexcept { return {piece.status, piece.operation, piece.at}; }

pending_op& begin_piece(rank_memory& m, const remote_piece& piece, remote_wait* waiter) {
  pending_op& op = *m.messages.out.pending.take(remote_reply_handler);
  op.store<remote_piece>(piece);
  ++m.unfinished[unsigned(piece.group)];
  if (waiter != nullptr) {
    op.attach(*waiter);
    ++waiter->left;
  }
  return op;
}

}  // namespace

void remote_wait::piece_over(continuation* self, pending_op* piece) {
  remote_wait& wait = *static_cast<remote_wait*>(self);
  note(wait.failure, failure_of(piece->value<remote_piece>()));
  if (--wait.left == 0 && wait.over != nullptr) wait.over->run(wait.over, nullptr);
}

void finish_piece(rank_memory& m, pending_op& op, remote_status status) {
  remote_piece& piece = op.value<remote_piece>();
  piece.status = status;
  --m.unfinished[unsigned(piece.group)];
  if (op.next_step == nullptr && note(m.failure[unsigned(piece.group)], failure_of(piece))) keep_failure(m);
  op.complete(pending_op::state_t::ready);
  m.messages.out.pending.give_back(&op);
}

void fail_store(rank_memory& m, remote_status status, global_address at) noexcept {
  if (note(m.failure[unsigned(remote_group::stores)], {status, "store", at})) keep_failure(m);
}

void pass_on(rank_memory& m, remote_wait& from, remote_wait* to) noexcept {
  if (from.left != 0)
    m.messages.out.pending.each([&](pending_op& op) {
      if (is_piece(op) && op.next_step == &from) op.next_step = to;
    });
  const remote_failure failure = std::exchange(from.failure, {});
  const std::uint64_t left = std::exchange(from.left, 0);
  if (to != nullptr) {
    to->left += left;
    to->failure = failure;
  } else if (remote_failure& f = m.failure[unsigned(remote_group::split)];
             failure.status != remote_status::ok && f.status == remote_status::ok) {
    f = failure;
    keep_failure(m);
  }
}

std::byte* append_two_way_call(rank_memory& m, const remote_piece& piece, remote_wait* waiter, remote_two_way_call two_way_call,
                               std::uint64_t extra) {
  outbox& out = m.messages.out;
  current->out->require_own_thread(piece.operation);
  std::uint64_t& left = m.unfinished[unsigned(piece.group)];
  if (!out.in_body() && left >= most_under_way)
    m.messages.waits.wait_until([&left] { return left < most_under_way / 2; }, piece.operation);
  peer_channel& c = m.to_memory_of(piece.at.rank());
  out.admit(c);
  pending_op& op = begin_piece(m, piece, waiter);
  two_way_call.head = {std::uint32_t(sizeof two_way_call + align_up(extra, 8)), op.name(), remote_status::ok, 0};
  two_way_call.offset = piece.at.offset;
  two_way_call.where = piece.at.where;
  try {
    const auto message = message_writer::in_frame(out, c, remote_two_way_call_handler, two_way_call.head.size);
    std::memcpy(message.at, &two_way_call, sizeof two_way_call);
    return message.at + sizeof two_way_call;
  } catch (...) {  // refused: it is not under way
    --left;
    if (waiter != nullptr) --waiter->left;
    out.pending.give_back(&op);
    throw;
  }
}

remote_transfer::remote_transfer(rank_memory& m, global_address base, bool writes, remote_group group, const char* operation)
    : m_(m),
      base_(base),
      writes_(writes),
      group_(group),
      waiter_(group == remote_group::blocking ? &wait_
              : group == remote_group::split  ? std::exchange(m.event, nullptr)
                                              : nullptr),
      one_way_(group == remote_group::stores && stores_are_one_way(m, base.rank())),
      cross_(base.kind() == memory_kind::process && !m.asks(base.rank()) && m.cross[std::size_t(base.rank())] == 0),
      operation_(operation) {
  if (!cross_ && group == remote_group::blocking) prepare_to_wait(m, operation);
}

remote_transfer::~remote_transfer() { forget(m_, wait_); }

bool remote_transfer::take_along(const signal_behind& s, std::uint64_t bytes) noexcept {
  if (!one_way_ || cross_ || bytes == 0 || goes_whole(bytes) || !s.fits_in_message()) return false;
  behind_ = &s;
  return true;
}

bool remote_transfer::goes_whole(std::uint64_t bytes) const noexcept {
  return bytes >= whole_from && base_.kind() == memory_kind::segment && m_.host.far[std::size_t(base_.rank())];
}

void remote_transfer::add(std::byte* local, std::int64_t distance, std::uint64_t bytes) {
  if (bytes == 0) return;
  const std::uint64_t offset = base_.offset + std::uint64_t(distance);
  if (!cross_) return ask(local, offset, bytes);
  local_[pieces_] = {local, bytes};
  remote_[pieces_] = {reinterpret_cast<void*>(offset), bytes};
  if (++pieces_ == batch) cross_copy();
}

void remote_transfer::finish() {
  if (pieces_ != 0) cross_copy();
  if (group_ == remote_group::blocking) finish_wait(m_, wait_, operation_);
}

void remote_transfer::cross_copy() {
  const timed net(m_.messages.out.watch(), component::net);
  const int n = std::exchange(pieces_, 0);
  iovec local[batch], remote[batch];
  std::copy_n(local_, n, local);
  std::copy_n(remote_, n, remote);
  const pid_t pid = m_.host.pid[std::size_t(base_.rank())];
  for (int i = 0; i < n;) {
    ++m_.self.count->cross_copies;
    const ssize_t moved = writes_ ? process_vm_writev(pid, local + i, unsigned(n - i), remote + i, unsigned(n - i), 0)
                                  : process_vm_readv(pid, local + i, unsigned(n - i), remote + i, unsigned(n - i), 0);
    if (moved < 0) {
      if (errno == EFAULT)
        throw_far(operation_, remote_status::outside,
                  global_address::make(memory_kind::process, base_.rank(), std::uint64_t(remote[i].iov_base)));
      if (errno == ESRCH) throw_rank_lost(base_.rank(), operation_, "its process has ended");
      m_.cross[std::size_t(base_.rank())] = 1;  // not allowed here (seccomp, yama): ask the owner from now on
      cross_ = false;
      if (group_ == remote_group::blocking) prepare_to_wait(m_, operation_);
      for (; i < n; ++i) ask(static_cast<std::byte*>(local[i].iov_base), std::uint64_t(remote[i].iov_base), local[i].iov_len);
      return;
    }
    for (std::size_t left = std::size_t(moved); left != 0;) {  // a copy may end early, inside any piece
      const std::size_t part = std::min(left, local[i].iov_len);
      local[i] = {static_cast<std::byte*>(local[i].iov_base) + part, local[i].iov_len - part};
      remote[i] = {static_cast<std::byte*>(remote[i].iov_base) + part, remote[i].iov_len - part};
      left -= part;
      if (local[i].iov_len == 0) ++i;
    }
  }
}

remote_piece remote_transfer::piece_of(std::byte* local, std::uint64_t offset, std::uint64_t bytes) noexcept {
  remote_piece piece;
  piece.into = writes_ ? nullptr : local;
  piece.bytes = writes_ ? 0 : std::uint32_t(bytes);
  piece.group = group_;
  piece.operation = operation_;
  piece.at = {offset, base_.where};
  return piece;
}

// By the network, straight from memory to memory. A put or store copies its source first: the caller may change it at once.
void remote_transfer::ask_whole(std::byte* local, std::uint64_t offset, std::uint64_t bytes) {
  while (bytes != 0) {
    const std::uint64_t part = std::min(bytes, whole_limit);
    remote_piece piece = piece_of(local, offset, part);
    piece.whole = !writes_;
    remote_two_way_call two_way_call{};
    two_way_call.what = writes_ ? remote_request::write_whole : remote_request::read_whole;
    two_way_call.bytes = std::uint32_t(part);
    std::unique_ptr<std::byte[]> copy = writes_ && group_ != remote_group::blocking ? copy_of(local, part) : nullptr;
    std::byte* const payload = append_two_way_call(m_, piece, waiter_, two_way_call, writes_ ? 8 : 0);
    if (writes_) {
      const std::uint64_t number = send_whole(local, std::move(copy), part);
      std::memcpy(payload, &number, sizeof number);
    }
    m_.messages.out.flush(base_.rank());  // the last of its frame: what comes behind a write, a signal perhaps, waits for it
    local += part;
    offset += part;
    bytes -= part;
  }
}

std::uint32_t remote_transfer::send_whole(const std::byte* local, std::unique_ptr<std::byte[]> copy, std::uint64_t bytes) {
  if (copy == nullptr)
    return m_.messages.out.far()->send_memory(base_.rank(), local, bytes, {[](context&, std::uint64_t, std::uint64_t) {}, 0, 0},
                                              &wait_);
  const auto release = [](context&, std::uint64_t address, std::uint64_t) { delete[] reinterpret_cast<std::byte*>(address); };
  std::byte* const sent = copy.release();
  return m_.messages.out.far()->send_memory(base_.rank(), sent, bytes, {release, reinterpret_cast<std::uint64_t>(sent), 0});
}

void remote_transfer::ask(std::byte* local, std::uint64_t offset, std::uint64_t bytes) {
  if (goes_whole(bytes)) return ask_whole(local, offset, bytes);
  // A piece and its head stay eager: they travel in the ring.
  const std::uint64_t room = std::clamp<std::uint64_t>(m_.messages.out.eager(), 1024, remote_piece_limit);
  const std::uint64_t most = (room - sizeof(remote_two_way_call)) & ~std::uint64_t{7};
  while (bytes != 0) {
    const std::uint64_t part = std::min(bytes, most);
    const signal_behind* const behind = part == bytes ? std::exchange(behind_, nullptr) : nullptr;
    if (one_way_) m_.messages.out.admit(m_.messages.out.to(base_.rank()));  // other fibers may send meanwhile
    if (one_way_ && stores_are_one_way(m_, base_.rank())) {
      store_one_way(m_, {offset, base_.where}, local, std::uint32_t(part), behind);
    } else {
      ask_piece(local, offset, std::uint32_t(part));
      if (behind != nullptr) remote_signal(m_, behind->counter, behind->n);
    }
    local += part;
    offset += part;
    bytes -= part;
  }
}

void remote_transfer::ask_piece(std::byte* local, std::uint64_t offset, std::uint32_t bytes) {
  const remote_piece piece = piece_of(local, offset, bytes);
  remote_two_way_call two_way_call{};
  two_way_call.what = writes_ ? remote_request::write : remote_request::read;
  two_way_call.bytes = bytes;
  std::byte* const payload = append_two_way_call(m_, piece, waiter_, two_way_call, writes_ ? bytes : 0);
  if (writes_) std::memcpy(payload, local, bytes);
  m_.messages.out.done(m_.to_memory_of(base_.rank()));
}

void remote_atomic(rank_memory& m, global_address at, atomic_op op, std::uint32_t bytes, std::uint64_t operand,
                   std::uint64_t expected, std::uint64_t* into, const char* operation) {
  if (into != nullptr) prepare_to_wait(m, operation);
  waiting_here mine(m);
  remote_piece piece;
  piece.into = reinterpret_cast<std::byte*>(into);
  piece.bytes = into == nullptr ? 0 : sizeof *into;
  piece.group = into == nullptr ? remote_group::split : remote_group::blocking;
  piece.operation = operation;
  piece.at = at;
  remote_two_way_call two_way_call{};
  two_way_call.what = remote_request::atomic;
  two_way_call.op = op;
  two_way_call.wants_old = into != nullptr;
  two_way_call.bytes = bytes;
  std::byte* const operands = append_two_way_call(m, piece, into == nullptr ? nullptr : &mine.wait, two_way_call, 16);
  std::memcpy(operands, &operand, 8);
  std::memcpy(operands + 8, &expected, 8);
  m.messages.out.done(m.to_memory_of(at.rank()));
  if (into != nullptr) finish_wait(m, mine.wait, operation);
}

remote_status remote_deallocate(rank_memory& m, global_address at, const char* operation) {
  prepare_to_wait(m, operation);
  waiting_here mine(m);
  remote_piece piece;
  piece.group = remote_group::blocking;
  piece.operation = operation;
  piece.at = at;
  remote_two_way_call two_way_call{};
  two_way_call.what = remote_request::deallocate;
  append_two_way_call(m, piece, &mine.wait, two_way_call, 0);
  m.messages.out.done(m.to_memory_of(at.rank()));
  await_pieces(m, mine.wait, operation);
  return mine.wait.failure.status;
}

void remote_signal(rank_memory& m, global_address counter, std::uint64_t amount) {
  remote_atomic(m, counter, atomic_op::add, 8, amount, 0, nullptr, "signal");
  m.messages.out.flush(counter.rank());  // a rank waits for it
}

void finish_group(rank_memory& m, remote_group group, const char* operation) {
  std::uint64_t& left = m.unfinished[unsigned(group)];
  if (left != 0) m.messages.waits.wait_until([&left] { return left == 0; }, operation);
  remote_failure& failure = m.failure[unsigned(group)];
  if (failure.status == remote_status::ok) return;
  const remote_failure first = std::exchange(failure, {});
  throw_far(first.operation, first.status, first.at);
}

}  // namespace armilla::detail
