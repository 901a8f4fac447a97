// SPDX-License-Identifier: Apache-2.0
#include "armilla/team/collectives/named_algorithm.hpp"

#include <atomic>

#include "armilla/base/core/context.hpp"
#include "armilla/boot/host/control_block.hpp"
#include "armilla/boot/watch/posted_text.hpp"
#include "armilla/error.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/fiber/scheduler.hpp"

namespace armilla::detail {

named_algorithm::named_algorithm(context& self, const char* name) noexcept {
  const char*& here = self.fibers->running().algorithm;
  if (here != nullptr) return;
  here = name;
  named_ = &self;
  post_text(self.host->control(self.rank).algorithm, name);
}

named_algorithm::named_algorithm(const char* name) : named_algorithm(here(name), name) {}

named_algorithm::~named_algorithm() {
  if (named_ == nullptr) return;
  named_->fibers->running().algorithm = nullptr;
  named_->host->control(named_->rank).algorithm[0].store(0, std::memory_order_release);  // behind post_mismatch
}

const char* algorithm_here(const char* otherwise) noexcept {
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
  post_text(mine.algorithm_of_mismatch, algorithm_here(""));
  mine.mismatch.store(which, std::memory_order_release);
}

std::string algorithm_of(const context& self, rank_t r, std::uint64_t which) {
  if (self.host->far[std::size_t(r)]) return {};
  const control_block& its = self.host->control(r);
  std::string name = posted_text(its.algorithm);
  std::atomic_thread_fence(std::memory_order_acquire);  // one that has left its algorithm has posted the mismatch before
  return its.mismatch.load(std::memory_order_acquire) == which ? posted_text(its.algorithm_of_mismatch) : name;
}

}  // namespace armilla::detail
