// SPDX-License-Identifier: Apache-2.0
// Whether a mutant is on. Only the copy of the tree that `run` beside this file makes includes this header.
#pragma once
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <type_traits>

namespace armilla_mutant {

inline constexpr int most = 4096;
inline constexpr int unread = -2, none = -1, recording = -3;
inline std::atomic<int> chosen{unread};             // the mutant that is on, or one of the constants above
inline std::atomic<unsigned char> seen[most] = {};  // those that this process has noted

/// Reads the environment once. Safe in signal handlers: two readers come to the same result.
inline int read_environment() noexcept {
  int result = none;
  if (const char* text = std::getenv("MUTANT"); text != nullptr && *text != '\0') {
    result = 0;
    for (; *text >= '0' && *text <= '9'; ++text) result = result * 10 + (*text - '0');
  } else if (std::getenv("MUTANTS_REACHED") != nullptr) {
    result = recording;
  }
  chosen.store(result, std::memory_order_relaxed);
  return result;
}

/// Appends `text` to the path that ends before `end`. Returns the new end.
inline char* append(char* to, char* end, const char* text) noexcept {
  while (*text != '\0' && to != end) *to++ = *text++;
  return to;
}

/// Creates the file <MUTANTS_REACHED>/<mutant>.<MUTANTS_TEST>. Safe in signal handlers, and keeps errno.
inline void note(int mutant) noexcept {
  if (seen[mutant].exchange(1, std::memory_order_relaxed) != 0) return;
  const int error = errno;
  const char* const folder = std::getenv("MUTANTS_REACHED");
  const char* const test = std::getenv("MUTANTS_TEST");
  if (folder == nullptr || test == nullptr) return;
  const char digits[] = {char('0' + mutant / 1000), char('0' + mutant / 100 % 10), char('0' + mutant / 10 % 10),
                         char('0' + mutant % 10), '\0'};
  char path[1024];
  char* const end = path + sizeof path - 1;
  *append(append(append(append(append(path, end, folder), end, "/"), end, digits), end, "."), end, test) = '\0';
  if (const int file = ::open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0666); file >= 0) ::close(file);
  errno = error;
}

inline bool is_on(int mutant) noexcept {
  int now = chosen.load(std::memory_order_relaxed);
  if (now == unread) now = read_environment();
  if (now == recording) note(mutant);
  return now == mutant;
}

/// Whether this mutant is on. What is computed at compile time is never mutated.
constexpr bool on(int mutant) noexcept {
  if (std::is_constant_evaluated()) return false;
  return is_on(mutant);
}

}  // namespace armilla_mutant
