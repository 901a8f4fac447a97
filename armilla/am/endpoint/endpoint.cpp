// SPDX-License-Identifier: Apache-2.0
#include "armilla/am/endpoint/endpoint.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "armilla/am/endpoint/remote_traffic.hpp"
#include "armilla/base/core/options.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/fabric/shared_network.hpp"

namespace armilla::detail {

static event_count make_sleeper(const context& self, const host_map& host, role who) {
  if (who == role::progress_thread) return event_count::without_spinning(host.progress_thread(self.rank), *self.count);
  return {host.control(self.rank), *self.count, host.oversubscribed, self.settings->spin_ns, self.settings->yield_ns};
}

// The ranks that share the host, and their processes.
static void watch_crowd(const context& self, const host_map& host, std::optional<crowding>& crowd) {
  host.control(self.rank).process.store(getpid(), std::memory_order_relaxed);
  host.control(self.rank).thread.store(std::int32_t(syscall(SYS_gettid)), std::memory_order_relaxed);
  std::vector<const control_block*> ranks;
  std::vector<pid_t> processes;
  host.locals().each([&](rank_t r) {
    if (r != self.rank && !host.job().was_taken(r)) return;
    if (host.names != nullptr && host.names->size() > 1 && host.number[std::size_t(r)] != host.number[std::size_t(self.rank)])
      return;
    ranks.push_back(&host.control(r));
    processes.push_back(host.pid[std::size_t(r)]);
  });
  std::ranges::sort(processes);
  processes.erase(std::unique(processes.begin(), processes.end()), processes.end());
  crowd.emplace(host.job().crowd, std::move(ranks), std::move(processes), host.job().processors);
}

endpoint::endpoint(context& self, const host_map& host, role who)
    : out(self, host, who),
      sleeper(make_sleeper(self, host, who)),
      lost(out, sleeper),
      in(self, out, who),
      sums(out, in),
      waits(out, in, sleeper, lost),
      signals(out, in, sleeper, waits) {
  out.open_network(*this, who);
  if (who != role::rank || !host.oversubscribed || !self.settings->crowding) return;
  watch_crowd(self, host, crowd);
  sleeper.watch_crowd(&*crowd);
}

// All frames have been taken in, so all blocks have been received: the network only has to notice.
void endpoint::close_network() {
  remote_traffic* const far = out.far();
  if (far == nullptr) return;
  far->closing = true;
  if (in.shows_processed != nullptr) out.host().shared->let_progress_thread_look(true);  // its rank looks no more
  while (far->moves_anything()) in.poll_far<taker::in_place>();
  out.close_network();
}

void endpoint::settle_counts() noexcept {
  out.count().frames_received = in.frames_taken();
  out.settle_counts();
}

void endpoint::enter_child() noexcept {
  in.enter_child();
  out.enter_child();
}

}  // namespace armilla::detail
