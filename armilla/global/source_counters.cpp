// SPDX-License-Identifier: Apache-2.0
#include "armilla/global/source_counters.hpp"

#include "armilla/error.hpp"
#include "armilla/global/rank_memory.hpp"

namespace armilla {
namespace {

counter* first_of(const detail::spread_storage& storage) { return global_ptr<counter>(storage.begin()).local(); }

rank_t ranks_here() { return detail::here("source_counters").places; }

}  // namespace

source_counters::source_counters() : storage_(std::uint64_t(ranks_here()) * sizeof(counter), alignof(counter)) {
  counter* const mine = first_of(storage_);
  for (rank_t r = 0; r < ranks_here(); ++r) ::new (static_cast<void*>(mine + r)) counter();
  storage_.meet();
}

global_ptr<counter> source_counters::on(rank_t r) const {
  using namespace detail;
  const context& self = here("source_counters::on");
  require_rank("source_counters::on", r, self.places);
  const global_address at = storage_.begin();
  return global_ptr<counter>(global_address::make(memory_kind::segment, r, at.offset, at.generation())) + self.rank;
}

counter& source_counters::from(rank_t source) const {
  detail::require_rank("source_counters::from", source, ranks_here());
  return first_of(storage_)[source];
}

void source_counters::wait_all(std::uint64_t n) const {
  for (rank_t r = 0; r < ranks_here(); ++r) from(r).wait(n);
}

}  // namespace armilla
