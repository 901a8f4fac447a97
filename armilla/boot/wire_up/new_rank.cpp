// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/wire_up/new_rank.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>

#include <fmt/format.h>

#include "armilla/boot/host/control_block.hpp"
#include "armilla/boot/host/membership.hpp"
#include "armilla/boot/watch/address_fault.hpp"
#include "armilla/boot/watch/tell_loss.hpp"
#include "armilla/boot/wire_up/gathering.hpp"
#include "armilla/error.hpp"
#include "armilla/ring/ring.hpp"

// Model: tests/models/protocols/new_rank.pml
namespace armilla::detail {
namespace {

constexpr timespec look_again{0, 100'000};

ring_memory ring(const launch& self, rank_t from, rank_t to) noexcept {
  return {self.host_base + self.ring(from, to), host_layout::ring_header, self.layout.ring_bytes};
}

bool lives(const launch& self, rank_t r) noexcept { return self.job->life(r).now == presence::living; }

bool shares_memory(const launch& self, rank_t r) noexcept { return self.job->locals.holds(r); }

// Over several hosts: armilla-run lets none come any more.
bool is_closed(const launch& self) {
  if (self.left == nullptr) return false;
  self.left->look();
  return self.left->closed();
}

// It has left the last fence, and refuses without a word.
bool hears_no_more(const launch& self, rank_t r) noexcept {
  return self.job->rank[r].stage.load(std::memory_order_acquire) >= rank_stage::ending;
}

// Zeros again, and no pages.
void drop_pages(std::byte* from, std::size_t bytes) {
  if (madvise(from, bytes, MADV_REMOVE) != 0)
    throw_limit("start", fmt::format("the memory of a lost rank cannot be cleared: {}", std::strerror(errno)));
}

void drop_ring(const launch& self, rank_t from, rank_t to) {
  drop_pages(self.host_base + self.ring(from, to), self.layout.ring_stride());
}

// The one that lives has read all that was published. It says how much in the ring back, for the next new rank to read where this
// one is lost in the middle.
void empty_ring_to(const launch& self, rank_t to) {
  const std::uint64_t position = ring(self, to, self.rank).taken().load(std::memory_order_acquire);
  drop_ring(self, self.rank, to);
  ring(self, self.rank, to).head->store(position, std::memory_order_release);
}

}  // namespace

bool is_new_rank(const job_block& job, rank_t rank) noexcept { return job.life(rank).now != presence::living; }

void clear_control(job_block& job, rank_t rank) noexcept {
  std::memset(static_cast<void*>(&control_of(job, rank)), 0, host_layout::control_bytes);
  fault_note_of(job, rank).what.store(fault_note::kind::none, std::memory_order_relaxed);
  job.met[rank].store(0, std::memory_order_release);
}

namespace {

// The supervisor lets one come at a time; over several hosts armilla-run does.
bool await_turn(const launch& self) {
  if (self.left != nullptr)
    self.left->ask_to_come();
  else
    kill(self.job->supervisor, SIGCHLD);
  for (; self.job->life(self.rank).now != presence::coming; nanosleep(&look_again, nullptr))
    if (is_closed(self)) return false;
  return true;
}

bool has_handed_over_from_afar(const launch& self, rank_t r, std::uint64_t mine) {
  const hand_over_counts* const said = self.left->handed_over_by(r);
  return said != nullptr && said->place == mine;
}

}  // namespace

bool await_hand_overs(const launch& self) {
  if (!await_turn(self)) return false;
  const std::uint64_t mine = self.job->life(self.rank).word();
  std::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with that in let_no_more_come
  for (rank_t r = 0; r < self.places; ++r)
    while (r != self.rank && lives(self, r)) {
      if (is_closed(self)) return false;
      if (!shares_memory(self, r)) {
        if (has_handed_over_from_afar(self, r, mine)) break;
        nanosleep(&look_again, nullptr);
        continue;
      }
      const std::uint64_t shown = ring(self, r, self.rank).handed_over().load(std::memory_order_acquire);
      if (shown == mine) break;
      if (shown == ring_memory::refused || hears_no_more(self, r)) return false;
      nanosleep(&look_again, nullptr);
    }
  return true;
}

// The others have left all of it. With those that are lost both ends begin anew.
void clear_place(const launch& self) {
  self.job->locals.each([&self](rank_t r) {
    if (r != self.rank && lives(self, r)) return empty_ring_to(self, r);
    drop_ring(self, self.rank, r);
    drop_ring(self, r, self.rank);
  });
  drop_pages(self.host_base + self.segment(), self.layout.segment_bytes);
}

bool enter_job(const launch& self) {
  const rank_life before = self.job->life(self.rank);
  if (self.left != nullptr) {  // armilla-run lets it live on all hosts
    self.left->enter(self.job->next_life(self.rank));
    for (; !lives(self, self.rank); nanosleep(&look_again, nullptr))
      if (is_closed(self) && !lives(self, self.rank)) return false;
    return true;
  }
  self.job->change(self.rank, before, {self.job->next_life(self.rank), presence::living});
  tell_change(*self.job);
  kill(self.job->supervisor, SIGCHLD);  // which starts the next one
  return true;
}

}  // namespace armilla::detail
