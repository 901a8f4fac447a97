// SPDX-License-Identifier: Apache-2.0
// Taking in frames that a network carries.
#include <cstring>
#include <utility>

#include "armilla/am/endpoint/endpoint.hpp"
#include "armilla/am/endpoint/inbox.hpp"
#include "armilla/am/endpoint/remote_traffic.hpp"
#include "armilla/am/endpoint/router.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/fabric/shared_network.hpp"

// Model: tests/models/protocols/routing.pml
namespace armilla::detail {

// What is for the progress thread the rank does on the way, if it has found it.
template <taker By>
bool inbox::poll_far() {
  const bool any = take_far<By>();
  shared_network* const shared = out.host().shared;
  if (shared == nullptr || shows_processed != nullptr || !shared->wants_service()) return any;
  return shared->serve() || any;
}
template bool inbox::poll_far<taker::loop>();
template bool inbox::poll_far<taker::in_place>();

template <taker By>
inline bool inbox::take_far() {
  remote_traffic& far = *out.far();
  const bool in_loop = By == taker::loop && self.fibers->in_loop();
  bool any = false;
  if (!far.control_queue.empty()) [[unlikely]]
    far.drain_control();
  if (far.any_bulk()) [[unlikely]] {
    any = far.move_bulk<By>();
    if (suspended_ || (in_loop && !self.fibers->in_loop())) return true;
  }
  if (out.routing() != nullptr && out.routing()->any_late()) [[unlikely]] {
    any |= take_late<By>();
    if (suspended_ || (in_loop && !self.fibers->in_loop())) return true;
  }
  if (far.link.any_put_back() && !limits.spent()) [[unlikely]]
    take_up_far();
  // One frame a look: a fiber that waits then asks whether it may go on. To find that no other has come takes the network longer.
  for (;;) {
    arrival a;
    if (!far.link.next(a.far)) {
      if (!any) far.look_for_losses();
      return any;
    }
    a.source = a.far.source;
    out.prepared_to(a.source);  // for replies
    a.bytes = a.far.bytes;
    a.first = a.far.data;
    a.at = a.far.next == nullptr ? a.first : a.far.next;
    a.end = a.first + a.bytes;
    run_frame<By>(a);
    if (a.far.watch) [[unlikely]] {
      --count_.bundles_received;  // a rank that waits has got nothing
      continue;
    }
    if (a.kept) [[unlikely]] {
      if (suspended_ || (in_loop && !self.fibers->in_loop())) return true;
      continue;  // it was put back, and bars nothing that others have sent
    }
    send_replies(a.source);
    if (out.routing() != nullptr && out.routing()->take_replies()) [[unlikely]]
      out.flush();
    return true;
  }
}

// A frame that waits for routed messages stays until these have begun: it would take the turns of those that bring them.
void inbox::take_up_far() {
  const router* const routes = out.routing();
  out.far()->link.take_up([&](remote_link::end_t e) { return routes == nullptr || routes->may_go_on(e); });
}

// As if its source had sent it straight: nothing else from there comes before it has begun.
template <taker By>
bool inbox::take_late() {
  router::late_message m;
  if (!out.routing()->next_late(m)) return false;
  out.far()->hold(m.source);
  const bundle_header head{m.handler, std::uint32_t(m.bytes.size())};
  const std::size_t bytes = sizeof head + m.bytes.size();
  remote_frame mine{.source = m.source, .copy = new std::byte[bytes]};
  std::memcpy(mine.copy, &head, sizeof head);
  std::memcpy(mine.copy + sizeof head, m.bytes.data(), m.bytes.size());
  mine.data = mine.copy;
  arrival a(m.source, mine.data, std::uint32_t(bytes), mine);
  run_frame<By>(a);
  if (!a.kept) send_replies(m.source);
  return true;
}

// Its bodies may wait if it says so, as all that is left in this bundle then goes to the next loop; else they may not.
void inbox::run_routed(rank_t source, handler_id h, const std::byte* data, std::size_t bytes) {
  solo_ = false;
  if (methods_ != nullptr) note_bundle(h, bytes);
  taken_frame* const frame = handlers_.may_wait[h] == 0 ? arriving_ : nullptr;
  bundle_rest* const rest = frame != nullptr ? std::exchange(frame->bundle, nullptr) : nullptr;
  run_bodies<true>(source, h, data, bytes);
  if (frame != nullptr) frame->bundle = rest;
  send_replies(source);
}

void inbox::put_off(rank_t source, const std::byte* data, std::size_t bytes) {
  arrival* const a = arriving();
  if (a == nullptr || a->in != nullptr || a->far.bytes == 0)
    throw_damaged(source, "an order of messages that no network brought", bytes);
  put_back(*a, {data, data + bytes});
  --count_.bundles_received;  // nothing was taken in
}

void inbox::give_back_far(arrival& a) {
  if (a.far.bytes != 0) {
    if (!a.far.control) count_.bytes_received += a.bytes;
    out.far()->link.release(a.far);
  } else {
    delete[] a.far.copy;  // made here, of a block that has come or a late message: its sender goes on
    self.messages->sums.resume();
    out.far()->link.go_on(std::uint32_t(a.source));
  }
  if (shows_processed != nullptr) [[unlikely]]
    out.far()->show_processed(a.source);
}

// A body whose argument is still on its way is not over.
void remote_traffic::show_processed(rank_t source) noexcept {
  for (const coming& c : receiving)
    if (c.source == source) return;
  // release: what the bodies have done; pairs with the acquire in processed_from
  all.in.shows_processed[std::size_t(source)].store(link.taken(std::uint32_t(source)), std::memory_order_release);
}

}  // namespace armilla::detail
