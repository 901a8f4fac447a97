// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace bench {

/// One cache line with one writer.
struct alignas(64) line {
  std::atomic<std::uint64_t> word{0};
};

/// What the ranks of a worker share beside the thing they measure: the lines of the yardstick, a barrier to start
/// together, and scratch memory for the hand-written baselines.
struct arena_head {
  line ping, pong;
  line arrived;
  alignas(64) std::atomic<std::uint32_t> generation{0};
};

/// Shared memory of one worker job, made by the coordinator and handed over by descriptor. The ranks map it with
/// `attach`; they may be threads of one process, then each has its own mapping.
class arena {
 public:
  static constexpr std::size_t bytes = std::size_t{2} << 30;  // sparse: what is not touched costs nothing
  static constexpr std::size_t head_bytes = 4096;

  static int create();
  static arena attach(int descriptor);
  arena() = default;
  arena(arena&& other) noexcept : base_(other.base_) { other.base_ = nullptr; }
  arena& operator=(arena&& other) noexcept;
  ~arena();

  arena_head& head() const { return *reinterpret_cast<arena_head*>(base_); }
  std::byte* scratch() const { return base_ + head_bytes; }
  static constexpr std::size_t scratch_bytes() { return bytes - head_bytes; }

 private:
  std::byte* base_ = nullptr;
};

/// Meets all ranks. Spins when there is a core for each; `sleeping` (and more ranks than cores) waits in the kernel.
void meet(arena_head& head, int ranks, bool sleeping);

/// Cores this process may use, in order; taken before anything was pinned.
int cores();

/// Pins the calling thread to a core, counted modulo the number of cores.
void pin(int core);

/// Lets another thread run on this core.
void yield_core();

std::uint64_t now_ns();

}  // namespace bench
