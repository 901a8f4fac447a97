// SPDX-License-Identifier: Apache-2.0
#pragma once
namespace armilla {

namespace detail {
class interrupts;
}

/// While one lives, the rank computes, and with ARMILLA_PROGRESS_MODE=signal whatever comes from other ranks interrupts it:
/// bodies run at once, in the middle of the computation. In the other progress modes it does nothing.
///
///     { am::interruptible here;  multiply_matrices(); }
///
/// In its scope the program calls nothing of the library and holds no lock that a body could want; that includes the one of the
/// memory allocator, so bodies that allocate go with computations that do not. Everywhere else messages wait for the next
/// poll or wait, as always. A body may wait: then the computation goes on. Scopes nest; inside a body they do nothing.
/// Cost: a system call at each end and some microseconds an interrupt.
/// Paper: Split-C and Active Messages on the Paragon, section 3 (interrupts).
class interruptible {
 public:
  interruptible();
  ~interruptible();
  interruptible(const interruptible&) = delete;
  interruptible& operator=(const interruptible&) = delete;

 private:
  detail::interrupts& signals_;
};

}  // namespace armilla
