// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>

namespace armilla::detail {

struct context;

/// A process that a rank forks is no rank. It does not have `memory`, which is the host's; its thread has no context, so that
/// its calls throw; and `enter` makes sure that nothing of the library goes on in it when user code returns. That is called in
/// the child before `fork` returns there, if a thread with a context has forked. The first call counts, for the whole process.
///
/// What starts other programs without a copy of this one (posix_spawn, system, popen, vfork) is not touched by it.
void guard_forks(void* memory, std::size_t bytes, void (*enter)(context& parent) noexcept) noexcept;

/// Whether this process is one.
bool is_forked_child() noexcept;

/// "process 12, which rank 3 has forked,".
std::string forked_child_name();

/// In a child: addresses at which nothing lies, in place of something that it must not find.
void* nowhere(std::size_t bytes) noexcept;

/// In a child: zeros of its own in the pages of `place`, in what it was not given. For what code that it has left still writes. A
/// refusal leaves the pages as they are: the first write ends the child as above.
void give_zeros(const void* place, std::size_t bytes) noexcept;

/// In a child: whether a fault at `address` comes from the library, or by memory that a child does not have.
bool is_kept_from_child(const void* address) noexcept;

/// In a child: says what was wrong and ends it, with code 1. In a signal's handler, too.
[[noreturn]] void end_lost_child() noexcept;

}  // namespace armilla::detail
