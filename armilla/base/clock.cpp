// SPDX-License-Identifier: Apache-2.0
#include "armilla/base/clock.hpp"

namespace armilla::detail {
namespace {

double measure() noexcept {
  const std::uint64_t ns0 = now_ns();
  const std::uint64_t t0 = ticks();
  std::uint64_t ns1 = ns0;
  while (ns1 - ns0 < 500'000) ns1 = now_ns();
  const std::uint64_t t1 = ticks();
  return t1 == t0 ? 1.0 : static_cast<double>(ns1 - ns0) / static_cast<double>(t1 - t0);
}

}  // namespace

double ns_per_tick() noexcept {
  static const double value = measure();
  return value;
}

}  // namespace armilla::detail
