// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The sanitizers are told of every stack and every switch; without them this is nothing.
#include "armilla/fiber/fiber_record.hpp"

#if defined(__SANITIZE_ADDRESS__)
#define ARMILLA_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARMILLA_ASAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define ARMILLA_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define ARMILLA_TSAN 1
#endif
#endif

#ifdef ARMILLA_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef ARMILLA_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace armilla::detail {

inline void sanitizer_made([[maybe_unused]] fiber_record& f) noexcept {
#ifdef ARMILLA_TSAN
  f.sanitizer_fiber = __tsan_create_fiber(0);
#endif
}
inline void sanitizer_gone([[maybe_unused]] fiber_record& f) noexcept {
#ifdef ARMILLA_TSAN
  __tsan_destroy_fiber(f.sanitizer_fiber);
#endif
#ifdef ARMILLA_ASAN
  __asan_unpoison_memory_region(f.lowest, f.stack_bytes);
#endif
}
/// The thread's own stack, before its first switch.
inline void sanitizer_main([[maybe_unused]] fiber_record& f) noexcept {
#ifdef ARMILLA_TSAN
  f.sanitizer_fiber = __tsan_get_current_fiber();
#endif
}
inline void sanitizer_leave([[maybe_unused]] fiber_record& from, [[maybe_unused]] fiber_record& to) noexcept {
#ifdef ARMILLA_ASAN
  __sanitizer_start_switch_fiber(&from.sanitizer_stack, to.lowest, to.stack_bytes);
#endif
#ifdef ARMILLA_TSAN
  __tsan_switch_to_fiber(to.sanitizer_fiber, 0);
#endif
}
/// First thing on the new stack. `main`: its bounds become known when it is first left.
inline void sanitizer_enter([[maybe_unused]] fiber_record& me, [[maybe_unused]] fiber_record& from) noexcept {
#ifdef ARMILLA_ASAN
  const void* bottom = nullptr;
  std::size_t size = 0;
  __sanitizer_finish_switch_fiber(me.sanitizer_stack, &bottom, &size);
  if (from.number == 0 && from.stack_bytes == 0) {  // the thread's own stack
    from.lowest = static_cast<std::byte*>(const_cast<void*>(bottom));
    from.stack_bytes = size;
  }
#endif
}

}  // namespace armilla::detail
