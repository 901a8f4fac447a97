// SPDX-License-Identifier: Apache-2.0
#include "armilla/object/reference.hpp"

#include <cstring>
#include <string>

#include "armilla/am/endpoint/delivery.hpp"
#include "armilla/am/endpoint/message_writer.hpp"
#include "armilla/base/core/context.hpp"
#include "armilla/error.hpp"
#include "armilla/object/object_state.hpp"
#include "armilla/object/reference_book.hpp"

namespace armilla::detail {
namespace {

// ---- messages between ranks that hold references; the same in every program ----

struct release_message {  // to the owner: weight comes home
  static constexpr const char* method_name = "release of a processor object";
  object_name name;
  std::uint64_t weight;
  static void take(context& self, rank_t source, const release_message& m);
};
struct destroy_message {  // to the owner
  static constexpr const char* method_name = "destroy a processor object";
  object_name name;
  static void take(context& self, rank_t source, const destroy_message& m);
};
struct ask_message {  // to the owner: more weight
  static constexpr const char* method_name = "ask for a share in a processor object";
  object_name name;
  std::uint64_t ticket;
  static void take(context& self, rank_t source, const ask_message& m);
};
struct grant_message {  // from the owner; 0: the object is gone
  static constexpr const char* method_name = "share in a processor object";
  std::uint64_t ticket;
  std::uint64_t weight;
  static void take(context& self, rank_t source, const grant_message& m);
};
struct repay_message {  // to the lender
  static constexpr const char* method_name = "loan of a reference given back";
  std::uint64_t ticket;
  static void take(context& self, rank_t source, const repay_message& m);
};

template <class Message>
struct taker {
  static constexpr const char* method_name = Message::method_name;
  static constexpr std::size_t message_bytes = sizeof(Message);

  static void run(delivery& in, rank_t source, const std::byte* at, std::size_t size) {
    if (size % sizeof(Message) != 0) throw_damaged(source, "the length of a message about references", size);
    for (const std::byte* const end = at + size; at != end; at += sizeof(Message)) {
      Message m;
      std::memcpy(static_cast<void*>(&m), at, sizeof m);
      Message::take(in.self, source, m);
    }
  }
};

template <class Message>
constexpr handler_id handler_of = no_handler;
template <>
constexpr handler_id handler_of<release_message> = well_known(handler_range::object, 0);
template <>
constexpr handler_id handler_of<destroy_message> = well_known(handler_range::object, 1);
template <>
constexpr handler_id handler_of<ask_message> = well_known(handler_range::object, 2);
template <>
constexpr handler_id handler_of<grant_message> = well_known(handler_range::object, 3);
template <>
constexpr handler_id handler_of<repay_message> = well_known(handler_range::object, 4);

template <class Message>
void send(context& self, rank_t to, const Message& m) {
  sending& out = *self.out;
  channel_head& c = out.to(to);
  const handler_id h = fixed_handler<taker<Message>, handler_of<Message>>.id;
  std::memcpy(message_writer::in_frame(out, c, h, sizeof m, traffic::one_way_calls).at, &m, sizeof m);
  out.done(c);
}

// ---- what the owner does ----

std::uint64_t grant(object_slot& slot) {
  constexpr std::uint64_t most = std::uint64_t{1} << 62;
  const std::uint64_t weight = slot.owed < most ? full_weight : 1;
  slot.owed += weight;
  return weight;
}

void take_home(context& self, object_slot& slot, std::uint64_t weight) {
  slot.owed -= weight;
  if (slot.owed == 0) self.objects->slots.destroy(slot);
}

void release_message::take(context& self, rank_t source, const release_message& m) {
  object_slot* const slot = self.objects->slots.find(m.name);
  if (slot == nullptr) return;  // destroyed explicitly
  if (m.weight > slot->owed) throw_damaged(source, "the weight of a released reference", m.weight);
  take_home(self, *slot, m.weight);
}

void destroy_message::take(context& self, rank_t, const destroy_message& m) {
  if (object_slot* const slot = self.objects->slots.find(m.name))
    self.objects->slots.destroy(*slot);
  else
    self.objects->remade.refuse(m.name);
}

void ask_message::take(context& self, rank_t source, const ask_message& m) {
  object_slot* const slot = self.objects->slots.find(m.name);
  const std::uint64_t weight = slot != nullptr ? grant(*slot) : self.objects->remade.awaits(m.name) ? full_weight : 0;
  send(self, source, grant_message{m.ticket, weight});
}

// ---- what a holder does ----

// Nothing of this rank and no message needs `r` any more.
void end_if_unused(context& self, reference* r) {
  if (r->copies != 0 || r->loans != 0 || r->asked) return;
  if (r->weight != 0) {
    object_slot* const slot = r->fresh ? self.objects->slots.find(r->name) : nullptr;
    if (slot != nullptr)
      take_home(self, *slot, r->weight);
    else  // by message also on its own rank: behind the calls that were made with it
      send(self, r->rank, release_message{r->name, r->weight});
  }
  if (r->ticket != 0) self.objects->references->forget(*r);
  delete r;
}

void ask(context& self, reference& r) {
  r.asked = true;
  send(self, r.rank, ask_message{r.name, self.objects->references->ticket(r)});
}

void grant_message::take(context& self, rank_t, const grant_message& m) {
  reference* const r = self.objects->references->find(m.ticket);
  if (r == nullptr || !r->asked) return;
  r->asked = false;
  r->weight += m.weight;
  r->dead = m.weight == 0;
  if (r->lender >= 0) send(self, std::exchange(r->lender, -1), repay_message{r->loan});
  end_if_unused(self, r);
}

void repay_message::take(context& self, rank_t, const repay_message& m) {
  reference* const r = self.objects->references->find(m.ticket);
  if (r == nullptr || r->loans == 0) return;
  --r->loans;
  end_if_unused(self, r);
}

}  // namespace

reference_book::~reference_book() {
  for (auto& [ticket, r] : by_ticket_)
    if (r->copies == 0)
      delete r;
    else
      r->ticket = 0;  // still held by a `remote`, which frees it
}

std::uint64_t reference_book::ticket(reference& r) {
  if (r.ticket == 0) {
    r.ticket = next_++;
    by_ticket_[r.ticket] = &r;
  }
  return r.ticket;
}

reference* reference_book::find(std::uint64_t ticket) const noexcept {
  const auto found = by_ticket_.find(ticket);
  return found == by_ticket_.end() ? nullptr : found->second;
}

reference* first_reference(context& self, object_slot& slot) {
  auto* const r = new reference{slot.name, self.rank};
  r->copies = 1;
  r->fresh = true;
  r->weight = slot.owed = full_weight;
  return r;
}

void prepare_to_send(reference* r) {
  if (r == nullptr || r->weight >= low_weight || r->asked || r->dead) return;
  context& self = here("send a reference");
  if (r->rank != self.rank) return ask(self, *r);
  object_slot* const slot = self.objects->slots.find(r->name);
  if (slot == nullptr)
    r->dead = true;
  else
    r->weight += grant(*slot);
}

wire_reference split(reference* r, std::uint32_t receivers) {
  if (r == nullptr || receivers == 0) return {};
  if (r->weight > receivers) {
    const std::uint64_t part = r->weight / low_weight / receivers;
    const std::uint64_t share = part != 0 ? part : 1;
    r->weight -= share * receivers;
    return {r->name, r->rank, -1, share};
  }
  if (r->dead) return {r->name, r->rank, -1, 0};
  context& self = here("send a reference");
  r->loans += receivers;
  return {r->name, r->rank, self.rank, self.objects->references->ticket(*r)};
}

reference* adopt(const wire_reference& wire) {
  if (wire.rank == -1) return nullptr;
  context& self = here("receive a reference");
  const auto is_rank = [&](rank_t r) { return std::uint32_t(r) < std::uint32_t(self.places); };
  if (!is_rank(wire.rank) || (wire.lender != -1 && !is_rank(wire.lender)))
    throw_decode(no_rank, "receive",
                 "a reference names rank " + std::to_string(wire.rank) + " of " + std::to_string(self.places) +
                     "; do all ranks run the same build?");
  auto* const r = new reference{wire.name, wire.rank};
  r->copies = 1;
  if (wire.lender == -1) {
    r->weight = wire.value;
    r->dead = wire.value == 0;
    return r;
  }
  r->lender = wire.lender;
  r->loan = wire.value;
  ask(self, *r);
  return r;
}

void drop_last(reference* r) noexcept {
  context* const self = current;
  if (self == nullptr || self->objects == nullptr) {  // the job has ended
    delete r;
    return;
  }
  try {
    end_if_unused(*self, r);
  } catch (...) {  // no room to send: the object lives until the job ends
  }
}

void send_destroy(const reference& r) { send(here("destroy"), r.rank, destroy_message{r.name}); }

}  // namespace armilla::detail
