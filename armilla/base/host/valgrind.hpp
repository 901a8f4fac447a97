// SPDX-License-Identifier: Apache-2.0
#pragma once
/// What valgrind is asked and told: some instructions that do nothing elsewhere. Where its header was not there when the library
/// was built, it is told nothing, and its reports of programs with fibers are of no use. For sources only.
#include <cstddef>
#include <cstdint>

#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#define ARMILLA_KNOWS_VALGRIND 1
#endif

namespace armilla::detail {

inline bool under_valgrind() noexcept {
#ifdef ARMILLA_KNOWS_VALGRIND
  return RUNNING_ON_VALGRIND != 0;
#else
  return false;
#endif
}

/// A fiber's stack. Returns its name for `valgrind_stack_gone`.
inline std::uintptr_t valgrind_stack_made([[maybe_unused]] std::byte* lowest, [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef ARMILLA_KNOWS_VALGRIND
  return VALGRIND_STACK_REGISTER(lowest, lowest + bytes);
#else
  return 0;
#endif
}
inline void valgrind_stack_gone([[maybe_unused]] std::uintptr_t name) noexcept {
#ifdef ARMILLA_KNOWS_VALGRIND
  VALGRIND_STACK_DEREGISTER(name);
#endif
}

}  // namespace armilla::detail
