// SPDX-License-Identifier: Apache-2.0
#include "armilla/rpc/client_service.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "armilla/am/endpoint/endpoint.hpp"
#include "armilla/am/endpoint/ledger.hpp"
#include "armilla/base/values/clock.hpp"
#include "armilla/error.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/rpc/call_handlers.hpp"
#include "armilla/rpc/calls.hpp"
#include "armilla/rpc/method_table.hpp"
#include "armilla/rpc/posted_work.hpp"
#include "armilla/spawn.hpp"

namespace armilla::detail {

bool client_budget::allows(std::uint64_t now_ns) noexcept {
  const std::uint64_t passed = last_ns_ == 0 ? 0 : std::min<std::uint64_t>(now_ns - last_ns_, 8 * std::uint64_t(most_ns));
  last_ns_ = now_ns;
  left_ns_ = std::min(most_ns, left_ns_ + std::int64_t(passed / 2));
  return left_ns_ > 0;
}

void client_budget::spend(std::uint64_t ns) noexcept { left_ns_ -= std::int64_t(std::min<std::uint64_t>(ns, most_of_a_call_ns)); }

namespace {

constexpr std::size_t most_of_a_name = 256, most_of_a_signature = 4096;  // in letters
constexpr std::uint64_t taking_ns = 200;  // what it costs, about, to take a call in and to answer it

// The attached client may be asleep at the state: it says so before it looks at it for the last time.
void answer(client_slot& slot, client_slot::state_t how) noexcept {
  slot.state.exchange(how, std::memory_order_seq_cst);
  if (slot.sleeps.load(std::memory_order_seq_cst) != 0)
    syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&slot.state), FUTEX_WAKE, INT32_MAX, nullptr, nullptr, 0);
}

void answer_failure(client_slot& slot, const mapped_mailbox& client, const std::exception_ptr& reason) noexcept try {
  const thrown_text thrown = describe_exception(no_rank, reason);
  std::string text = thrown.type + '\0' + thrown.text;
  if (text.size() > sizeof slot.room) text.resize(sizeof slot.room);
  write_into_slot(slot, std::as_bytes(std::span(text)), client);
  slot.reply_bytes = text.size();
  answer(slot, client_slot::failed);
} catch (...) {  // no memory for the text
  slot.reply_bytes = 0;
  answer(slot, client_slot::failed);
}

std::string name_of_named(const context& self, handler_id h, std::size_t index) {
  return (h == named_two_way_call_handler ? "call " : "async ") + std::string(self.calls->methods.name(index));
}

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

std::string traffic_of(const context& self) {
  std::string text;
  for (rank_t r = 0; r < self.places; ++r)
    if (const std::uint64_t bytes = bytes_sent_to(self.messages->out, r); bytes != 0) text += fmt::format("{}\t{}\n", r, bytes);
  return text;
}

}  // namespace

/// What the slot said when it was taken in: the attached client may change it meanwhile.
struct client_service::call {
  std::shared_ptr<mapped_mailbox> box;
  client_slot* slot;
  client_request request;
  std::uint32_t name_bytes, signature_bytes;
  std::uint64_t hash;
  std::vector<std::byte> bytes;

  std::vector<std::byte> run_method(const method_table& methods) const {
    const std::size_t behind_name = align_up(std::size_t(name_bytes), 8);
    const std::size_t letters = behind_name + align_up(std::size_t(signature_bytes), 8);
    if (name_bytes > most_of_a_name || signature_bytes > most_of_a_signature || letters + sizeof(std::uint64_t) > bytes.size())
      throw_decode(no_rank, "client",
                   fmt::format("an attached client's call of {} bytes has {} bytes of names", bytes.size(), letters));
    const char* const text = reinterpret_cast<const char*>(bytes.data());
    const std::uint64_t index = methods.look_up({{text, name_bytes}, {text + behind_name, signature_bytes}, hash}, no_rank);
    std::vector<std::byte> message(bytes.begin() + std::ptrdiff_t(letters), bytes.end());
    std::memcpy(message.data(), &index, sizeof index);
    std::vector<std::byte> reply;
    methods.find(index)->run.by_client(message, reply);
    return reply;
  }
};

client_service::client_service(context& self) : self_(self), mine_(self.host->control(self.rank)) { take_calls(true); }

client_service::~client_service() { take_calls(false); }

void client_service::take_calls(bool on) noexcept {
  self_.messages->waits.set_client_work(
      {on ? +[](void* mine) { return static_cast<client_service*>(mine)->serve(); } : nullptr, this});
}

// The lines that the attached clients have written come together, while this rank reads the clock and takes the bits.
void client_service::prefetch() const noexcept {
  std::uint32_t left = mine_.called.load(std::memory_order_relaxed) & ((1u << control_block::client_places) - 1);
  for (; left != 0; left &= left - 1) {
    const connection& client = clients_[std::countr_zero(left)];
    if (client.box == nullptr) continue;
    const client_slot& slot = (*client.box)->slot[client.last];
    __builtin_prefetch(&(*client.box)->asked, 1);
    __builtin_prefetch(&slot.state, 1);
    __builtin_prefetch(slot.room, 1);
    __builtin_prefetch(slot.room + cache_line);
  }
}

bool client_service::serve() {
  const std::uint32_t called = mine_.called.load(std::memory_order_relaxed);
  if ((called & control_block::called_by_thread) == 0) return serve_clients();
  mine_.called.fetch_and(~control_block::called_by_thread, std::memory_order_acquire);
  const bool any = self_.calls->posted->start_fibers();
  return ((called & ~control_block::called_by_thread) != 0 && serve_clients()) || any;
}

bool client_service::serve_clients() {
  prefetch();
  if (!budget_.allows(now_ns())) return false;
  const std::uint32_t places = mine_.called.fetch_and(control_block::called_by_thread, std::memory_order_acquire);
  for (std::uint32_t left = places & ((1u << control_block::client_places) - 1); left != 0; left &= left - 1)
    serve_place(std::size_t(std::countr_zero(left)));
  return true;
}

void client_service::serve_place(std::size_t place) {
  const std::uint64_t word = mine_.clients[place].load(std::memory_order_acquire);
  if (word != clients_[place].word) connect(place, word);
  const std::shared_ptr<mapped_mailbox> box = clients_[place].box;
  if (box == nullptr) return;
  const std::uint32_t asked = (*box)->asked.exchange(0, std::memory_order_acquire);
  for (std::uint32_t left = asked & ((1u << client_mailbox::slots) - 1); left != 0; left &= left - 1) {
    if (budget_.spent()) return put_off(place, left);
    clients_[place].last = std::countr_zero(left);
    take(box, (*box)->slot[clients_[place].last]);
  }
}

void client_service::put_off(std::size_t place, std::uint32_t slots) noexcept {
  (*clients_[place].box)->asked.fetch_or(slots, std::memory_order_relaxed);
  mine_.called.fetch_or(1u << place, std::memory_order_relaxed);
}

// Another attached client has the place, whose former one has left or is dead. Calls of the former one that still run keep its
// mailbox.
void client_service::connect(std::size_t place, std::uint64_t word) {
  clients_[place] = {word, word != 0 ? mapped_mailbox::open(client_place::of(word)) : nullptr, 0};
  if (word != 0 && clients_[place].box == nullptr) {
    clients_[place].word = 0;
    mine_.clients[place].compare_exchange_strong(word, 0, std::memory_order_relaxed);  // so that it hears of it
  }
}

void client_service::take(const std::shared_ptr<mapped_mailbox>& box, client_slot& slot) {
  std::uint32_t asked = client_slot::asked;  // the attached client may have taken it back
  if (!slot.state.compare_exchange_strong(asked, client_slot::running, std::memory_order_acq_rel)) return;
  budget_.spend(taking_ns);
  try {
    call which{box, &slot, slot.request, slot.name_bytes, slot.signature_bytes, slot.hash, {}};
    const std::uint64_t bytes = slot.message_bytes, began = bytes > sizeof slot.room ? now_ns() : 0;
    which.bytes = read_from_slot(slot, bytes, *box);
    if (began != 0) budget_.spend(now_ns() - began);
    ++self_.count->client_calls;
    fiber_record& fiber = make_fiber<void>(*self_.fibers, [this](const call& mine) { run(mine); }, std::move(which));
    fiber.detached = true;
    ++running_;
    self_.fibers->start(fiber);
  } catch (const passing&) { throw; } catch (...) {
    answer_failure(slot, *box, std::current_exception());
  }
}

std::string client_service::sample() {
  if (sample_ == nullptr)
    sample_ = std::make_unique<method_sample>(
        self_.messages->in,
        method_sample::named_methods{{{named_two_way_call_handler, sizeof(op_id), {}}, {named_one_way_call_handler, 0, {}}},
                                     &name_of_named,
                                     [](const context& self) { return self.calls->methods.size(); }});
  return sample_->restart();
}

std::vector<std::byte> client_service::reply_to(const call& which) {
  switch (which.request) {
    case client_request::methods: return bytes_of(self_.calls->methods.list());
    case client_request::sample: return bytes_of(sample());
    case client_request::traffic: return bytes_of(traffic_of(self_));
    case client_request::objects: return bytes_of(self_.calls->objects());
    case client_request::call: break;
  }
  return which.run_method(self_.calls->methods);  // an unknown one is refused for its names
}

void client_service::run(const call& which) noexcept {
  const std::uint64_t began = now_ns();
  try {
    const std::vector<std::byte> reply = reply_to(which);
    write_into_slot(*which.slot, reply, *which.box);
    which.slot->reply_bytes = reply.size();
    answer(*which.slot, client_slot::answered);
  } catch (const passing&) {
  } catch (...) { answer_failure(*which.slot, *which.box, std::current_exception()); }
  budget_.spend(now_ns() - began);
  --running_;
}

}  // namespace armilla::detail
