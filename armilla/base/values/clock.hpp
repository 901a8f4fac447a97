// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <ctime>

namespace armilla::detail {

/// Nanoseconds since some fixed moment, the same for all ranks of a host. About 20 ns, no system call.
inline std::uint64_t now_ns() noexcept {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(t.tv_nsec);
}

/// The processor's constant-rate counter, for intervals on a hot path: a few ns. Not ordered with surrounding loads.
inline std::uint64_t ticks() noexcept {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  std::uint64_t t;
  asm volatile("mrs %0, cntvct_el0" : "=r"(t));
  return t;
#else
  return now_ns();
#endif
}

/// Length of one tick. The first call in a process measures it (half a millisecond, exact to about 1e-4), later ones read it.
double ns_per_tick() noexcept;

inline std::uint64_t ticks_to_ns(std::uint64_t n) noexcept {
  return static_cast<std::uint64_t>(static_cast<double>(n) * ns_per_tick());
}

/// A moment on the scale of `now_ns()` that never comes.
inline constexpr std::uint64_t never = ~std::uint64_t{0};

/// The moment `ns` from now; saturates at `never`.
inline std::uint64_t deadline_after_ns(std::uint64_t ns) noexcept {
  const std::uint64_t now = now_ns();
  return ns > never - now ? never : now + ns;
}

/// A span of <chrono>, which need not be included here.
template <class Duration>
concept time_span = requires(Duration d) {
  d.count();
  typename Duration::period;
};
/// The moment `d` from now: negative spans, and what is not a number, count as 0, those beyond the range as `never`.
std::uint64_t deadline_after(time_span auto d) noexcept {
  using period = typename decltype(d)::period;
  const long double ns = static_cast<long double>(d.count()) * (1e9L * period::num / period::den);
  if (!(ns > 0)) return now_ns();
  return ns >= 9e18L ? never : deadline_after_ns(static_cast<std::uint64_t>(ns));
}

inline bool expired(std::uint64_t deadline) noexcept { return deadline != never && now_ns() >= deadline; }

/// Tells the processor that this is a spin loop.
inline void relax() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace armilla::detail
