// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstdint>
#include <vector>

#include "armilla/boot/exposed_record.hpp"

namespace armilla::detail {

/// Where guests read how many elements a container has: in the records of its exposures. Written at fences.
class shown_sizes {
 public:
  void add(exposed_record& record) { records_.push_back(&record); }
  void remove(const exposed_record& record) noexcept { std::erase(records_, &record); }
  void show(std::uint64_t all, std::uint64_t here) noexcept {
    for (exposed_record* const each : records_) {
      std::atomic_ref(each->shape[0]).store(all, std::memory_order_relaxed);
      std::atomic_ref(each->extent[0]).store(here, std::memory_order_relaxed);
    }
  }

 private:
  std::vector<exposed_record*> records_;
};

}  // namespace armilla::detail
