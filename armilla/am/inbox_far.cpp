// SPDX-License-Identifier: Apache-2.0
// Taking in frames that a network carries.
#include "armilla/am/endpoint.hpp"
#include "armilla/am/far_traffic.hpp"
#include "armilla/am/inbox.hpp"

namespace armilla::detail {

template <taker By>
bool inbox::poll_far() {
  far_traffic& far = *out.far();
  const bool in_loop = By == taker::loop && self.fibers->in_loop();
  bool any = false;
  if (!far.control_queue.empty()) [[unlikely]]
    far.drain_control();
  if (far.any_bulk()) [[unlikely]] {
    any = far.move_bulk<By>();
    if (suspended_ || (in_loop && !self.fibers->in_loop())) return true;
  }
  if (far.link.any_put_back() && !limits.spent()) [[unlikely]]
    far.link.take_up();
  // One frame a look: a fiber that waits then asks whether it may go on. To find that no other has come takes the network longer.
  for (;;) {
    arrival a{};
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
    if (a.kept) [[unlikely]] {
      if (suspended_ || (in_loop && !self.fibers->in_loop())) return true;
      continue;  // it was put back, and bars nothing that others have sent
    }
    send_replies(a.source);
    return true;
  }
}
template bool inbox::poll_far<taker::loop>();
template bool inbox::poll_far<taker::in_place>();

void inbox::give_back_far(arrival& a) {
  if (a.far.bytes != 0) {
    if (!a.far.control) count_.bytes_received += a.bytes;
    out.far()->link.release(a.far);
  } else {
    delete[] a.far.copy;  // of take_bulk: its sender goes on
    self.messages->sums.resume();
    out.far()->link.go_on(std::uint32_t(a.source));
  }
  if (shows_processed != nullptr) [[unlikely]]
    out.far()->show_processed(a.source);
}

// A body whose argument is still on its way is not over.
void far_traffic::show_processed(rank_t source) noexcept {
  for (const coming& c : receiving)
    if (c.source == source) return;
  // release: what the bodies have done; pairs with the acquire in processed_from
  all.in.shows_processed[std::size_t(source)].store(link.taken(std::uint32_t(source)), std::memory_order_release);
}

}  // namespace armilla::detail
