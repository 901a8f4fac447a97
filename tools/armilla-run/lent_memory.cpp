// SPDX-License-Identifier: Apache-2.0
#include "lent_memory.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cstring>

#include "armilla/boot/host/descriptor.hpp"
#include "armilla/boot/host/host_memory.hpp"
#include "armilla/boot/watch/ending.hpp"
#include "armilla/boot/watch/tell_loss.hpp"

namespace armilla::run {

using namespace armilla::detail;

void lent_memory::take(int file, rank_t ranks, bool binds) noexcept try {
  descriptor lent(file);
  const auto most = std::uint32_t(std::min<rank_t>(ranks, most_local_ranks));
  const std::uint64_t bytes = host_layout::control(local_rank{most}) + std::uint64_t(ranks) * host_layout::address_bytes;
  struct stat about{};
  if (fstat(file, &about) != 0 || std::uint64_t(about.st_size) < bytes || std::ranges::count(taken_, about.st_ino) != 0) return;
  auto* const job = reinterpret_cast<job_block*>(map_host_memory(file, bytes));
  if (job->magic == job_block::good_magic && job->version == job_block::good_version && job->places == std::uint32_t(ranks) &&
      job->locals.count <= most) {
    files_.emplace_back(lent.release());
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

job_block* lent_memory::of(rank_t r) const noexcept {
  const auto found = std::ranges::find_if(pieces_, [r](const job_block* job) { return job->locals.holds(r); });
  return found != pieces_.end() ? *found : nullptr;
}

int lent_memory::memory_of(rank_t r) const noexcept {
  auto file = files_.begin();
  for (const job_block* const job : pieces_) {
    if (job->locals.holds(r)) return file->get();
    ++file;
  }
  return -1;
}

// Two agents of one machine may have lent the same memory.
void lent_memory::change(const life_frame& said, std::string_view address, bool is_ours) const {
  for (job_block* const job : pieces_) {
    if (said.what == life_frame::word::address) {
      const std::size_t bytes = std::min(address.size(), host_layout::address_bytes);
      std::memcpy(reinterpret_cast<std::byte*>(job) + layout_of(*job).addresses() + std::size_t(said.rank) * bytes,
                  address.data(), bytes);
      continue;
    }
    if (job->locals.holds(said.rank) && !is_ours) continue;
    const rank_life now = job->life(said.rank);
    const bool comes = said.what == life_frame::word::coming, lives = said.what == life_frame::word::lives;
    if (now.now != (comes ? presence::lost : presence::coming)) continue;
    job->change(said.rank, now,
                {lives ? said.life : now.number, comes   ? presence::coming
                                                 : lives ? presence::living
                                                         : presence::lost});
    tell_change(*job);
  }
}

std::string lent_memory::cause_of(rank_t r) const {
  for (const job_block* const job : pieces_) {
    if (const departure* const told = job->why_left(r)) return told->cause;
    const failure_record& note = job->failure;
    if (job->life(r).number != 0) continue;  // the note is of one before it
    if (note.stage.load(std::memory_order_acquire) == 2 && note.rank == r && note.kind != failure_kind::lost)
      return armilla::detail::cause_of(from_record(*job));
  }
  return "";
}

bool lent_memory::stands_still() const noexcept {
  return std::ranges::any_of(
      pieces_, [](const job_block* job) { return job->stall.load(std::memory_order_acquire) == detail::stall_state::found; });
}

std::string lent_memory::hint_of(const ending& how) const {
  for (job_block* const job : pieces_)
    if (std::string hint = armilla::detail::hint_of(how, *job); !hint.empty()) return hint;
  return "";
}

}  // namespace armilla::run
