// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "armilla/am/endpoint/message_state.hpp"
#include "armilla/base/core/options.hpp"
#include "armilla/boot/host/launch.hpp"
#include "armilla/boot/host/membership.hpp"
#include "armilla/error.hpp"
#include "armilla/fabric/host_map.hpp"

namespace armilla::detail {

namespace {

// A rank that shares memory with no other is a host of its own. It lives as long as the process; of its pages only those that
// are written take memory.
std::byte* map_private_collectives(const launch& how) {
  const std::size_t bytes = how.layout.collectives_bytes();
  void* const place = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) throw_limit("start", "no memory for the collectives of a rank");
  return static_cast<std::byte*>(place);
}

}  // namespace

host_map message_state::map(const context& self, const launch& how) {
  host_map host;
  const auto ranks = std::size_t(how.places);
  host.base = how.host_base;
  host.layout = how.layout;
  host.threads = how.threads;
  host.new_rank = how.new_rank;
  host.oversubscribed = how.oversubscribed;
  host.segment = zeroed_array<std::byte*>(ranks);
  host.pid = zeroed_array<pid_t>(ranks);
  host.program = zeroed_array<std::uint32_t>(ranks);
  host.far = zeroed_array<bool>(ranks);
  host.beyond = how.beyond;
  host.names = &how.host_names;
  host.number = zeroed_array<std::uint32_t>(ranks);
  host.collectives = how.all_far ? map_private_collectives(how) : how.host_base + how.layout.collectives();
  const bool direct = self.settings->access == access_kind::all && !self.settings->access_by_message;
  for (rank_t r = 0; r < how.places; ++r) {
    host.far[std::size_t(r)] = how.far(r);
    // A zero is not written: it is there, and the page may not be.
    if (const std::uint32_t n = how.all_far ? std::uint32_t(r) : how.host_of.empty() ? 0 : how.host_of[std::size_t(r)]; n != 0)
      host.number[std::size_t(r)] = n;
  }
  host.locals().each([&](rank_t r) {
    if ((direct && !how.far(r)) || r == self.rank) host.segment[std::size_t(r)] = host.segment_start(r);
    host.pid[std::size_t(r)] = how.pid_of(r);
  });
  for (std::size_t p = 1; p < how.programs.size(); ++p)
    for (rank_t r : how.programs[p].ranks) host.program[std::size_t(r)] = std::uint32_t(p);
  return host;
}

std::unique_ptr<shared_network> message_state::share(const context& self, host_map& host) {
  if (host.beyond == nullptr || !answers_by_thread(*self.settings, *host.beyond)) return nullptr;
  if (!host.beyond->any_thread())
    throw_usage("start", fmt::format("ARMILLA_PROGRESS_MODE={} lets a second thread use the network, and {} allows one thread "
                                     "only; {}set ARMILLA_PROGRESS_MODE=poll",
                                     self.settings->get("progress_mode"), host.beyond->version(), host.beyond->how_any_thread()));
  // What credit lets be under way to both of them, and as much again for what needs none.
  const std::size_t from_each = std::max<std::size_t>(self.settings->network_window, 8 * host.beyond->most());
  auto both = std::make_unique<shared_network>(*host.beyond, host.control(self.rank), host.progress_thread(self.rank),
                                               self.settings->progress_after_ns, 4 * std::size_t(self.places) * from_each);
  host.shared = both.get();
  return both;
}

void start_messages(context& self, const launch& how) {
  auto* state = new message_state(self, how);
  self.messages = &state->messages;
  self.out = &state->messages.out;
  if (arrival_order::is_wanted(*self.settings)) {
    state->order = std::make_unique<arrival_order>(*self.settings, self.rank, self.places);
    state->messages.out.set_aggregate(peer::self, 0);
    state->messages.out.set_aggregate(peer::host, 0);
    state->messages.waits.every_nth_call_polls(std::uint32_t(self.settings->poll_every));
  }
  if (how.new_rank) {
    self.out->to(self.rank).life = how.job->next_life(self.rank);
    self.out->pending.begin(first_generation(self.out->life(self.rank)));
    self.messages->lost.hear();
  }
  self.is_of_lost = is_of_lost;
  self.settle = [](context& c) { c.messages->settle_counts(); };
}

void stop_messages(context& self) {
  self.messages->close_network();
  self.messages->settle_counts();
  self.settle = nullptr;
  self.is_of_lost = nullptr;
  self.messages = nullptr;
  self.out = nullptr;
  self.host = nullptr;
  delete std::exchange(self.message_layer, nullptr);
}

}  // namespace armilla::detail
