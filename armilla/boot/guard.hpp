// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/boot/launch.hpp"

namespace armilla::detail {

/// Watches over this process from inside, for what its supervisor cannot see: std::exit before the end (and by which thread),
/// std::terminate and its exception, and in a job of threads the rank that a fatal signal strikes. Once a process.
void guard_process(const launch& self);

/// A rank's own thread calls this: fatal signals get a stack of their own, so that an overflow of the stack can be noted too.
class guarded_thread {
 public:
  explicit guarded_thread(const launch& self);
  guarded_thread(const guarded_thread&) = delete;
  guarded_thread& operator=(const guarded_thread&) = delete;
  ~guarded_thread();

 private:
  void* stack_ = nullptr;
};

}  // namespace armilla::detail
