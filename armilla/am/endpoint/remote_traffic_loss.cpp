// SPDX-License-Identifier: Apache-2.0
// How transfers with lost ranks end, and which ranks the network cannot reach.
#include <string>
#include <vector>

#include "armilla/am/endpoint/endpoint.hpp"
#include "armilla/am/endpoint/remote_traffic.hpp"
#include "armilla/boot/watch/tell_loss.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/fabric/network.hpp"
#include "armilla/ring/heap.hpp"

// Model: tests/models/protocols/end.pml
namespace armilla::detail {
namespace {

// Takes out the elements for which `wanted` holds, asked once for each; the rest stays in its order.
template <class T, class Wanted>
std::vector<T> take_out(std::vector<T>& from, Wanted&& wanted) {
  std::vector<T> out;
  std::erase_if(from, [&](const T& one) {
    if (!wanted(one)) return false;
    out.push_back(one);
    return true;
  });
  return out;
}

}  // namespace

// Memory that the network may still use is kept until it does not; no fiber waits for that.
void remote_traffic::lose(rank_t r) {
  network& net = link.net();
  net.give_up(r);
  link.forget(r);
  const auto over = [&](std::uintptr_t number) { return number == 0 || net.done(number); };
  for (const auto& o : take_out(sending, [r](const outgoing& t) { return t.to == r; }))
    if (over(o.transfer))
      free_block(o.block);
    else
      orphans.push_back({o.transfer, o.block, {}});
  for (const auto& c : take_out(receiving, [r](const coming& t) { return t.source == r; })) {
    const bool ended = over(c.transfer);
    if (!ended) orphans.push_back({c.transfer, c.block, {}});
    drop_bulk(r, ended ? c.block : nullptr);
  }
  for (const auto& t : take_out(transfers, [r](const transfer& one) { return one.from == r || one.to == r; }))
    if (over(t.number))
      t.end.run(self, t.end.first, t.end.second);
    else
      orphans.push_back({t.number, nullptr, t.end});
}

void remote_traffic::expect(rank_t r) {
  std::erase_if(control_queue, [r](const queued_control& q) { return q.to == r; });
  link.begin_again(std::uint32_t(r));
  link.net().expect(r);
  note_broken();  // what the network has said of the one before
  std::erase_if(broken, [r](const broken_connection& b) { return b.what.rank == r; });
}

// Ranks that the network cannot reach any more. A supervisor that watches the ranks mostly knows sooner, and why.
void remote_traffic::ask_network() {
  for (const auto& o : take_out(orphans, [this](const orphan& one) { return link.net().done(one.number); })) {
    if (o.block != nullptr) free_block(o.block);
    if (o.end.run != nullptr) o.end.run(self, o.end.first, o.end.second);
  }
  if (closing || all.in.shows_processed != nullptr) return;  // a progress thread leaves that to its rank
  note_broken();
  for (broken_connection& b : broken) {
    if (b.told || now_ns() < b.tell_at_ns) continue;
    b.told = true;
    for (rank_t r = 0; r < self.places; ++r)
      if (r == b.what.rank || (b.what.rank == self.rank && all.out.host().far[std::size_t(r)])) tell_unreachable(r, b.what.why);
  }
}

// Where the others go on, all hear of a loss from one place: armilla-run, which hears of it from the agents.
void remote_traffic::tell_unreachable(rank_t r, const char* why) const {
  if (all.out.host().job().goes_on != 0) return;
  const std::string cause = std::string("cannot be reached any more: ") + (why != nullptr ? why : "the network does not say why");
  const auto h = std::size_t(all.out.host().number[std::size_t(r)]);
  tell_loss(all.out.host().job(), r, r, cause, h < all.out.host().names->size() ? (*all.out.host().names)[h] : std::string());
}

void remote_traffic::note_broken() {
  for (network::loss l = link.net().lost(); l.rank != no_rank; l = link.net().lost()) {
    broken.push_back({l, deadline_after_ns(losses_told ? supervisor_tells_ns : cause_may_come_ns)});
    all_broken |= l.rank == self.rank;
  }
}

bool remote_traffic::cut_off(rank_t from) {
  note_broken();
  return all_broken || std::ranges::any_of(broken, [from](const broken_connection& b) { return b.what.rank == from; });
}

void await_transfers(endpoint& all, const void* owner) noexcept {
  constexpr int most_errors = 64;  // a wait that only throws moves nothing
  for (int errors = 0; errors < most_errors && all.out.moves_for(owner); ++errors) try {
      all.waits.wait_until([&] { return !all.out.moves_for(owner); }, "the rest of a transfer");
    } catch (...) { all.out.self.fibers->fail_main(std::current_exception()); }
}

}  // namespace armilla::detail
