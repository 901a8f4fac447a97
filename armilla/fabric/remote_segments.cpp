// SPDX-License-Identifier: Apache-2.0
#include "armilla/fabric/remote_segments.hpp"

#include "armilla/base/core/check.hpp"
#include "armilla/base/core/context.hpp"
#include "armilla/base/core/options.hpp"
#include "armilla/boot/host/host_memory.hpp"
#include "armilla/boot/host/launch.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/fabric/network.hpp"
#include "armilla/fabric/shared_network.hpp"

namespace armilla::detail {

bool reaches_segments(const options& settings) noexcept {
  return !checked && settings.access == access_kind::all && !settings.access_by_message;
}

void hold_segment(network& net, const launch& self) {
  std::byte* const segment = self.host_base + self.segment();
  const std::uint64_t half = half_of_segment(self.layout);
  if (!net.hold(segment, half)) return;
  net.hold(segment + half, self.layout.segment_bytes - half);
  prefer_large_pages(self.host_base, self.layout, *self.settings);
}

remote_segments::remote_segments(const context& owner, const host_map& host)
    : owner_(owner), host_(host), half_(half_of_segment(host.layout)), segments_(std::size_t(owner.places)) {}

network& remote_segments::net() const noexcept {
  if (host_.shared == nullptr) return *host_.beyond;
  return current == &owner_ ? host_.shared->for_rank() : host_.shared->for_progress_thread();
}

void remote_segments::find(rank_t r) {
  segment& s = segments_[std::size_t(r)];
  std::byte* const lower = net().reach(r, 0);
  std::byte* const upper = lower != nullptr ? net().reach(r, 1) : nullptr;
  if (upper != nullptr) {
    s.half[0].store(lower, std::memory_order_relaxed);
    s.half[1].store(upper, std::memory_order_relaxed);
  }
  s.known.store(answer::given, std::memory_order_release);
}

void remote_segments::forget(rank_t r) noexcept {
  segment& s = segments_[std::size_t(r)];
  for (auto& half : s.half) half.store(nullptr, std::memory_order_relaxed);
  s.known.store(answer::given, std::memory_order_release);
}

}  // namespace armilla::detail
