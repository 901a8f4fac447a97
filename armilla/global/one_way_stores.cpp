// SPDX-License-Identifier: Apache-2.0
#include "armilla/global/one_way_stores.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "armilla/am/endpoint/message_writer.hpp"
#include "armilla/base/core/options.hpp"
#include "armilla/global/rank_memory.hpp"
#include "armilla/global/remote_memory_messages.hpp"
#include "armilla/team/core/record.hpp"

// A store tells its sender nothing while all is well: half the messages, and none that gets into the way of others' data.
namespace armilla::detail {
namespace {

struct take_store {
  static constexpr const char* method_name = "memory store";
  static void run(delivery& in, rank_t source, const std::byte* data, std::size_t size);
};
struct take_refusal {
  static constexpr const char* method_name = "memory refusal";
  static void run(delivery& in, rank_t source, const std::byte* data, std::size_t size);
};

[[maybe_unused]] auto& store_slot = fixed_handler<take_store, remote_store_handler>;
auto& refusal_slot = fixed_handler<take_refusal, remote_refusal_handler>;

remote_place place_of(global_address at, std::uint32_t number) noexcept {
  return {number, std::uint16_t(at.kind()), at.generation(), at.offset};
}

global_address address_of(const remote_place& place, rank_t owner) noexcept {
  return global_address::make(memory_kind(place.kind), owner, place.offset, place.generation);
}

// A reply: it goes whatever is queued here, and nowhere if its rank is lost. Its frame is counted as all are, so a fence is over
// when the sender of the store knows.
void refuse(outbox& out, rank_t source, global_address at, remote_status status) {
  const remote_refusal refusal{at.offset, at.where, status, {}};
  const auto message = message_writer::in_frame(out, out.to(source), refusal_slot.id, sizeof refusal, traffic::uncounted_replies);
  std::memcpy(message.at, &refusal, sizeof refusal);
  end_reply(out, source);
}

void store_here(rank_memory& m, rank_t source, const remote_place& place, const std::byte* from, std::uint32_t bytes) {
  const global_address at = address_of(place, m.self.rank);
  const remote_status status = judge(m, source, at, bytes, may_write, from);
  if (status != remote_status::ok) return refuse(m.messages.out, source, at, status);
  if (bytes != 0) std::memcpy(place_here(m, at), from, bytes);
}

void signal_here(rank_memory& m, rank_t source, const remote_place& place) {
  const global_address at = address_of(place, m.self.rank);
  const remote_status status = at.offset % sizeof(std::uint64_t) != 0
                                   ? remote_status::outside
                                   : judge(m, source, at, sizeof(std::uint64_t), may_read | may_write, nullptr);
  if (status != remote_status::ok) return refuse(m.messages.out, source, at, status);
  apply_atomic(place_here(m, at), atomic_op::add, sizeof(std::uint64_t), place.number, 0);
}

void take_store::run(delivery& in, rank_t source, const std::byte* data, std::size_t size) {
  rank_memory& m = memory_of(in.self);
  while (size != 0) {
    remote_place to, counter;
    if (size < sizeof to) throw_damaged(source, "a store", size);
    std::memcpy(&to, data, sizeof to);
    const bool signals = (to.number & remote_place::signals) != 0;
    const std::uint32_t bytes = to.number & ~remote_place::signals;
    const std::uint64_t head = signals ? sizeof to + sizeof counter : sizeof to;
    const std::uint64_t whole = head + align_up(std::uint64_t{bytes}, 8);
    if (bytes > remote_piece_limit || whole > size) throw_damaged(source, "the length of a store", to.number);
    in.count_message(remote_store_handler, whole);
    store_here(m, source, to, data + head, bytes);
    if (signals) {  // what is refused signals, too, as where the signal is a message of its own: its sender hears of it
      std::memcpy(&counter, data + sizeof to, sizeof counter);
      signal_here(m, source, counter);
    }
    data += whole;
    size -= whole;
  }
}

void take_refusal::run(delivery& in, rank_t source, const std::byte* data, std::size_t size) {
  rank_memory& m = memory_of(in.self);
  while (size != 0) {
    remote_refusal refusal;
    if (size < sizeof refusal) throw_damaged(source, "a refused store", size);
    std::memcpy(&refusal, data, sizeof refusal);
    const global_address at{refusal.offset, refusal.where};
    if (at.rank() != source || refusal.status == remote_status::ok || refusal.status >= remote_status::lost)
      throw_damaged(source, "a refused store, its place or reason", refusal.where);
    in.count_message(remote_refusal_handler, sizeof refusal);
    fail_store(m, refusal.status, at);
    data += sizeof refusal;
    size -= sizeof refusal;
  }
}

void confirm_stores_at(rank_memory& m, rank_t to, const char* operation) {
  outbox& out = m.messages.out;
  out.admit(out.to(to));
  if (!m.unconfirmed.at(to)) return;  // it was lost meanwhile, which is told already
  remote_piece piece;
  piece.group = remote_group::stores;
  piece.operation = operation;
  piece.at = global_address::make(memory_kind::segment, to, 0);
  remote_two_way_call two_way_call{};
  two_way_call.what = remote_request::confirm;
  append_two_way_call(m, piece, nullptr, two_way_call, 0);
  out.flush(to);
  m.unconfirmed.take_off(to);
}

}  // namespace

bool unconfirmed_stores::take_off(rank_t r) noexcept {
  if (!at(r)) return false;
  std::swap(*std::find(listed_.rbegin(), listed_.rend(), r), listed_.back());
  listed_.pop_back();
  stored_[std::size_t(r)] = 0;
  return true;
}

void unconfirmed_stores::end_fence(const team_record& t) noexcept {
  std::erase_if(listed_, [&](rank_t r) {
    if (stored_[std::size_t(r)] >= begun_ || t.number_of(r) < 0) return false;
    stored_[std::size_t(r)] = 0;
    return true;
  });
}

rank_t outside_of(const team_record& part, const unconfirmed_stores& stores) noexcept {
  const auto is_outside = [&](rank_t r) { return part.number_of(r) < 0; };
  const auto found = std::find_if(stores.listed().begin(), stores.listed().end(), is_outside);
  return found == stores.listed().end() ? no_rank : *found;
}

// The way to a rank's memory changes only while nothing is on it.
peer_channel& rank_memory::to_memory_of(rank_t r) {
  if (!messages.out.has_progress_threads()) return messages.out.to(r);
  bool& behind = behind_stores[std::size_t(r)];
  if (behind && !under_way(r)) behind = false;
  return behind ? messages.out.to(r) : messages.out.to_progress_thread(r);
}

bool rank_memory::try_way_behind_stores(rank_t r) {
  if (!messages.out.has_progress_threads()) return true;
  bool& behind = behind_stores[std::size_t(r)];
  return behind = behind || !under_way(r);
}

bool stores_are_one_way(rank_memory& m, rank_t to) {
  return m.self.settings->progress != progress_mode::thread && m.try_way_behind_stores(to);
}

void store_one_way(rank_memory& m, global_address to, const std::byte* from, std::uint32_t bytes, const signal_behind* behind) {
  outbox& out = m.messages.out;
  current->out->require_own_thread("store");
  peer_channel& c = out.to(to.rank());
  out.admit(c);
  const std::size_t head = behind != nullptr ? 2 * sizeof(remote_place) : sizeof(remote_place);
  std::byte* const at = message_writer::in_frame(out, c, remote_store_handler, head + align_up(std::uint64_t{bytes}, 8)).at;
  const remote_place place = place_of(to, behind != nullptr ? bytes | remote_place::signals : bytes);
  std::memcpy(at, &place, sizeof place);
  if (behind != nullptr) {
    const remote_place counter = place_of(behind->counter, std::uint32_t(behind->n));
    std::memcpy(at + sizeof place, &counter, sizeof counter);
  }
  if (bytes != 0) std::memcpy(at + head, from, bytes);
  m.unconfirmed.add(to.rank());
  out.done(c);
  if (behind != nullptr) out.flush(to.rank());  // a rank waits for it
}

void confirm_stores(rank_memory& m, const char* operation) {
  while (m.unconfirmed.any()) confirm_stores_at(m, m.unconfirmed.listed().back(), operation);
}

void confirm_stores_outside(rank_memory& m, const team_record& part) {
  for (rank_t r; m.unconfirmed.any() && (r = outside_of(part, m.unconfirmed)) != no_rank;) confirm_stores_at(m, r, "fence");
}

void fail_stores(rank_memory& m, rank_t lost) {
  if (m.unconfirmed.take_off(lost)) fail_store(m, remote_status::lost, global_address::make(memory_kind::segment, lost, 0));
}

}  // namespace armilla::detail
