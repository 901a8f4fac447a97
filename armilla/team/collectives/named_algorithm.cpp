// SPDX-License-Identifier: Apache-2.0
#include "armilla/team/collectives/named_algorithm.hpp"

#include <algorithm>
#include <atomic>

#include "armilla/base/core/context.hpp"
#include "armilla/boot/host/control_block.hpp"
#include "armilla/boot/watch/posted_text.hpp"
#include "armilla/error.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/fiber/scheduler.hpp"
#include "armilla/stats/rank_stats.hpp"

namespace armilla::detail {

namespace {

/// What the ranks of this host have to do and have done. Ranks elsewhere are taken to be as far: both sums are for all ranks.
work_seen work_of_job(const context& self) {
  work_seen all;
  rank_t seen = 0;
  for (rank_t r = 0; r < self.world_size; ++r) {
    if (self.host->far[std::size_t(r)]) continue;
    const control_block& its = self.host->control(r);
    const std::uint64_t expected = its.work_expected.load(std::memory_order_relaxed);
    if (expected == 0) continue;
    all.expected += expected;
    all.done += std::min(its.work_done.load(std::memory_order_relaxed), expected);
    ++seen;
  }
  if (seen == 0) return {};
  const auto scaled = [&](std::uint64_t units) { return std::uint64_t(double(units) * double(self.world_size) / double(seen)); };
  return {scaled(all.done), scaled(all.expected)};
}

progress_line* progress_of(const context& self) noexcept { return self.stats->progress.get(); }

}  // namespace

named_algorithm::named_algorithm(context& self, const char* name) noexcept {
  const char*& here = self.fibers->running().algorithm;
  if (here != nullptr) return;
  here = name;
  named_ = &self;
  control_block& mine = self.host->control(self.rank);
  post_text(mine.algorithm, name);
  mine.work_expected.store(0, std::memory_order_relaxed);
  mine.work_done.store(0, std::memory_order_relaxed);
  if (progress_line* const shown = progress_of(self); shown != nullptr) [[unlikely]]
    shown->begin(name, [&self] { return work_of_job(self); });
}

named_algorithm::named_algorithm(const char* name) : named_algorithm(here(name), name) {}

named_algorithm::~named_algorithm() {
  if (named_ == nullptr) return;
  named_->fibers->running().algorithm = nullptr;
  named_->host->control(named_->rank).algorithm[0].store(0, std::memory_order_release);  // behind post_mismatch
  if (progress_line* const shown = progress_of(*named_); shown != nullptr) [[unlikely]]
    shown->end();
}

void expect_work(std::uint64_t units, const char* unit) noexcept {
  std::atomic<std::uint64_t>& expected = current->host->control(current->rank).work_expected;
  expected.store(expected.load(std::memory_order_relaxed) + units, std::memory_order_relaxed);
  if (progress_line* const shown = progress_of(*current); shown != nullptr) [[unlikely]]
    shown->set_unit(unit);
}

void count_work(std::uint64_t units) noexcept {
  std::atomic<std::uint64_t>& done = current->host->control(current->rank).work_done;
  done.store(done.load(std::memory_order_relaxed) + units, std::memory_order_relaxed);
}

const char* algorithm_here(const char* otherwise) noexcept {
  if (current == nullptr || current->fibers == nullptr) return otherwise;
  const char* const name = current->fibers->running().algorithm;
  return name != nullptr ? name : otherwise;
}

void throw_no_ranks(const char* otherwise) {
  throw_usage(
      algorithm_here(otherwise),
      "it has no ranks: it was moved from, or made without any; use the one that it was moved to, or make it with a size");
}

void post_mismatch(const context& self, std::uint64_t which) noexcept {
  control_block& mine = self.host->control(self.rank);
  post_text(mine.algorithm_of_mismatch, posted_text(mine.algorithm));
  post_text(mine.made_at_of_mismatch, posted_text(mine.made_at));
  mine.mismatch.store(which, std::memory_order_release);
}

std::string algorithm_of(const context& self, rank_t r, std::uint64_t which) {
  if (self.host->far[std::size_t(r)]) return {};
  const control_block& its = self.host->control(r);
  std::string name = posted_text(its.algorithm), place = posted_text(its.made_at);
  std::atomic_thread_fence(std::memory_order_acquire);  // one that has left its algorithm has posted the mismatch before
  if (its.mismatch.load(std::memory_order_acquire) == which)
    name = posted_text(its.algorithm_of_mismatch), place = posted_text(its.made_at_of_mismatch);
  return place.empty() ? name : name + " (" + place + ")";
}

}  // namespace armilla::detail
