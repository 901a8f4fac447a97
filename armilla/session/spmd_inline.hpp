// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <utility>

/// Regions: functions that all ranks run together.
namespace armilla::detail {

/// A function that all ranks run together under `run_main`.
struct region {
  virtual ~region() = default;
  virtual void run() = 0;
};
template <class F>
struct region_of final : region {
  explicit region_of(F function) : f(std::move(function)) {}
  void run() override { f(); }
  F f;
};

/// Refuses what may not begin a region.
void begin_region();
/// The others have been told: runs it here, and meets them.
void run_first(region& r);
/// In a body on another rank: what its own code does next.
void keep_region(std::unique_ptr<region> r);

}  // namespace armilla::detail
