// SPDX-License-Identifier: Apache-2.0
#include "armilla/base/values/clock.hpp"

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

// What the processor itself says; 0: nothing.
double stated() noexcept {
#if defined(__aarch64__)
  std::uint64_t hertz;
  asm("mrs %0, cntfrq_el0" : "=r"(hertz));
  return hertz == 0 ? 0.0 : 1e9 / static_cast<double>(hertz);
#else
  return 0.0;
#endif
}

}  // namespace

double ns_per_tick() noexcept {
  static const double value = stated() != 0.0 ? stated() : measure();
  return value;
}

}  // namespace armilla::detail
