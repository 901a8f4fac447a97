// SPDX-License-Identifier: Apache-2.0
#include "lent_memory.hpp"

#include <sys/stat.h>

#include <algorithm>

#include "armilla/boot/host/descriptor.hpp"
#include "armilla/boot/host/host_memory.hpp"
#include "armilla/boot/watch/ending.hpp"
#include "armilla/boot/watch/tell_loss.hpp"

namespace armilla::run {

using namespace armilla::detail;

void lent_memory::take(int file, rank_t ranks, bool binds) noexcept try {
  const descriptor lent(file);
  const auto most = std::uint32_t(std::min<rank_t>(ranks, most_local_ranks));
  const std::uint64_t bytes = host_layout::control(local_rank{most});
  struct stat about{};
  if (fstat(file, &about) != 0 || std::uint64_t(about.st_size) < bytes || std::ranges::count(taken_, about.st_ino) != 0) return;
  auto* const job = reinterpret_cast<job_block*>(map_host_memory(file, bytes));
  if (job->magic == job_block::good_magic && job->version == job_block::good_version && job->places == std::uint32_t(ranks) &&
      job->locals.count <= most) {
    pieces_.push_back(job), taken_.push_back(about.st_ino);
    bindings_.emplace_back(*job, binds);
  }
} catch (const std::exception&) {}  // no room for it: the ranks hear of losses from the network alone

int lent_memory::patience_ms() const {
  int patience = -1;
  for (const binding_watch& one : bindings_)
    if (const int its = one.patience_ms(); its >= 0) patience = patience < 0 ? its : std::min(patience, its);
  return patience;
}

void lent_memory::look_at_cores() {
  for (binding_watch& one : bindings_) one.look();
}

void lent_memory::tell(rank_t first, rank_t last, const std::string& cause, const std::string& host) const {
  for (job_block* const job : pieces_)
    if (first <= last) tell_loss(*job, first, last, cause, host);
}

void lent_memory::wake() const noexcept {
  for (job_block* const job : pieces_) tell_change(*job);
}

std::string lent_memory::cause_of(rank_t r) const {
  for (const job_block* const job : pieces_) {
    if (const departure* const told = job->why_left(r)) return told->cause;
    const failure_record& note = job->failure;
    if (note.stage.load(std::memory_order_acquire) == 2 && note.rank == r && note.kind != failure_kind::lost)
      return armilla::detail::cause_of(from_record(*job));
  }
  return "";
}

std::string lent_memory::hint_of(const ending& how) const {
  for (job_block* const job : pieces_)
    if (std::string hint = armilla::detail::hint_of(how, *job); !hint.empty()) return hint;
  return "";
}

}  // namespace armilla::run
