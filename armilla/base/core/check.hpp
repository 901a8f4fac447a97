// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

// Checks in three grades.
//
//   ARMILLA_REQUIRE    in every build: a caller's mistake that one compare can tell
//   ARMILLA_CHECK      if ARMILLA_CHECKED (presets dev, asan, tsan): mistakes and invariants that cost more
//   ARMILLA_PARANOID   if the build says so: walks over whole structures
//
// Each takes (condition, operation, text) and throws `usage_error`, or (condition) alone and ends the process: an
// invariant of the library broke, there is nothing to catch. What follows the condition is evaluated only if it fails.
// The build of the library defines ARMILLA_CHECKED and ARMILLA_PARANOID as 0 or 1, and hands them to its users.
#ifndef ARMILLA_CHECKED
#define ARMILLA_CHECKED 0
#endif
#ifndef ARMILLA_PARANOID
#define ARMILLA_PARANOID 0
#endif

namespace armilla::detail {

/// Whether costly checks are compiled in.
inline constexpr bool checked = ARMILLA_CHECKED != 0;
inline constexpr bool paranoid = ARMILLA_PARANOID != 0;

/// Throws `usage_error` if both libraries are parts of this process. Two archives are not linked; libarmilla.so and an archive
/// are.
void require_one_grade();

[[noreturn, gnu::cold]] void check_failed(const char* condition, const char* file, int line);
[[noreturn, gnu::cold]] void check_failed(const char* condition, const char* file, int line, const char* operation,
                                          std::string_view text);

}  // namespace armilla::detail

// NOLINTBEGIN(cppcoreguidelines-macro-usage): the text of the condition and the place of the check need a macro
#define ARMILLA_REQUIRE(condition, ...)                                                           \
  do {                                                                                            \
    if (!(condition)) [[unlikely]]                                                                \
      ::armilla::detail::check_failed(#condition, __FILE__, __LINE__ __VA_OPT__(, ) __VA_ARGS__); \
  } while (false)

#if ARMILLA_CHECKED
#define ARMILLA_CHECK(...) ARMILLA_REQUIRE(__VA_ARGS__)
#else
#define ARMILLA_CHECK(...) static_cast<void>(0)
#endif

// The switch gives its name to the check.
#if ARMILLA_PARANOID
#undef ARMILLA_PARANOID
#define ARMILLA_PARANOID(...) ARMILLA_REQUIRE(__VA_ARGS__)
#else
#undef ARMILLA_PARANOID
#define ARMILLA_PARANOID(...) static_cast<void>(0)
#endif
// NOLINTEND(cppcoreguidelines-macro-usage)
