// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/wire_up/exchange.hpp"

#include <cstring>

#include <fmt/format.h>

#include "armilla/boot/host/bootstrap.hpp"
#include "armilla/boot/wire_up/join_job.hpp"
#include "armilla/error.hpp"

namespace armilla::detail {
namespace {

// The staging areas are not in use yet; of a segment a network may have made its own memory. Each rank clears its own again.
void exchange_in_memory(const launch& self, const void* mine, std::byte* all, std::size_t bytes) {
  if (bytes > self.layout.staging_bytes())
    throw_limit("start", fmt::format("an exchange of {} bytes a rank, more than the {} that there is room for", bytes,
                                     self.layout.staging_bytes()));
  const auto place = [&](rank_t r) { return self.host_base + self.layout.staging(self.job->locals.of(r)); };
  std::memcpy(place(self.rank), mine, bytes);
  meet(self, exchange_meeting);
  for (rank_t r = 0; r < self.world_size(); ++r) std::memcpy(all + std::size_t(r) * bytes, place(r), bytes);
  meet(self, exchange_meeting);
  std::memset(place(self.rank), 0, bytes);
}

}  // namespace

void exchange(const launch& self, const void* mine, void* all, std::size_t bytes) {
  if (self.started == nullptr) return exchange_in_memory(self, mine, static_cast<std::byte*>(all), bytes);
  if (!self.started->exchange(mine, all, bytes))
    throw_limit("start",
                fmt::format("the ranks cannot exchange addresses by {}: {}", self.started->name(), self.started->error()));
}

}  // namespace armilla::detail
