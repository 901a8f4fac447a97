// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "armilla/base/core/call_stack.hpp"
#include "armilla/base/core/context.hpp"
#include "armilla/boot/host/launch.hpp"

namespace armilla::detail {

/// Watches over this process from inside, for what its supervisor cannot see: std::exit before the end (and by which thread),
/// std::terminate and its exception, the address that a SIGSEGV is about, and in a job of threads the rank that a fatal signal
/// strikes. Once a process.
void install_crash_handlers(const launch& self);

/// What tells where the container ended whose memory was at an address of this rank; null for other addresses.
/// Async-signal-safe.
using end_of_memory = const call_stack* (*)(std::uintptr_t address) noexcept;
/// Fatal accesses are explained by it from now on. For the process.
void explain_faults(end_of_memory where) noexcept;

/// A rank of this process runs during the life of this object. If `std::exit` ends the process meanwhile, `stop` first stops what
/// the rank has running beside its own thread, which would use what destructors of statics destroy. Where `stop` returns false,
/// and where other ranks of the process run, those destructors do not run.
class running_rank {
 public:
  using stop_function = bool (*)(context& rank) noexcept;
  running_rank(context& rank, stop_function stop) noexcept;
  running_rank(const running_rank&) = delete;
  running_rank& operator=(const running_rank&) = delete;
  ~running_rank();

 private:
  bool threads_;
};

/// A rank's own thread calls this: fatal signals get a stack of their own, so that an overflow of the stack can be noted too.
class crash_stack {
 public:
  explicit crash_stack(const launch& self);
  crash_stack(const crash_stack&) = delete;
  crash_stack& operator=(const crash_stack&) = delete;
  ~crash_stack();

 private:
  void* stack_ = nullptr;
};

}  // namespace armilla::detail
