// SPDX-License-Identifier: Apache-2.0
// What a transfer moves to and from members on other hosts.
#include <algorithm>
#include <cstring>

#include "armilla/am/endpoint/remote_traffic.hpp"
#include "armilla/team/core/member_transfer.hpp"
#include "armilla/team/core/transfer_streams.hpp"

namespace armilla::detail {

// It has nothing of this team, and must get nothing of it.
bool member_transfer::is_followed(rank_t member) const {
  const outbox& out = outbox_of(state_.self);
  return !t_.lives.empty() && out.life(member) != t_.lives[std::size_t(t_.number_of(member))];
}

bool member_transfer::push_far() {
  bool any = false;
  for (remote_out_stream& o : area_.remote_outgoing) {
    if (o.sent || !o.pair->admits() || state_.self.out->is_lost(o.to) || is_followed(o.to)) continue;
    o.sent = true;
    o.zero_copy = send_far(state_.self, t_, *o.pair, o.to, sign(), o.data, o.bytes, &o);
    any = true;
  }
  return any;
}

// The first message of the pair is the one that this stream waits for.
void member_transfer::open_far(in_stream& in) {
  const envelope e = in.far->came.front();
  in.total = in.chunk = e.bytes;
  in.count = in.chunks = 1;
  in.announced = e.how == envelope::announced;
  if (e.how == envelope::revoked) [[unlikely]]
    throw_sender_left(in.from);
  accept(in, e.sign);
}

bool member_transfer::pull_far(in_stream& in) {
  if ((in.count != 0 && in.next == in.count) || is_followed(in.from)) return false;
  bool any = false;
  if (in.count == 0) {
    drop_earlier(state_.self, t_, *in.far, in.from);
    if (in.far->came.empty()) return false;
    open_far(in);
    any = true;
  }
  // One that is folded needs memory: it comes while the one before it is taken, not earlier.
  const outbox& out = outbox_of(state_.self);
  if (out.is_lost(in.from) && (in.announced || in.moving)) return any;
  if (in.announced && (in.behind < 0 || in_turn(area_.incoming[std::size_t(in.behind)]))) {
    if (in.to == nullptr) in.memory = make_aligned_bytes_for(in.from, in.total);
    receive_far(state_.self, t_.slot, *in.far, in.from, in.to == nullptr ? in.memory.get() : in.to, &in);
    in.announced = false;
    in.moving = any = true;
  }
  if (in.announced || !in_turn(in) || (in.moving && out.moves_for(&in))) return any;
  in.source = in.moving ? in.memory.get() : take_far(state_.self, t_.slot, area_.far, *in.far, in.from);
  if (!in.moving || in.to == nullptr) copy_out(in, 0, in.total);
  in.memory.reset();
  ++in.next;
  return true;
}

bool member_transfer::remote_finished() const {
  return std::ranges::all_of(area_.remote_outgoing, [this](const remote_out_stream& o) {
    return o.sent && (!o.zero_copy || !outbox_of(state_.self).moves_for(&o));
  });
}

// An error ends the transfer: what peers still send is dropped, and the network leaves the caller's memory alone before it goes.
void member_transfer::leave_far() noexcept {
  if (t_.host_leaders.empty()) return;
  abandon(t_);
  for (const remote_out_stream& o : area_.remote_outgoing)
    if (outbox_of(state_.self).moves_for(&o)) revoke_announced(t_, o.to);
  for (const remote_out_stream& o : area_.remote_outgoing) await_transfers(*state_.self.messages, &o);
  for (const in_stream& in : area_.incoming) await_transfers(*state_.self.messages, &in);
}

}  // namespace armilla::detail
