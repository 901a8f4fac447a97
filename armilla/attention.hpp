// SPDX-License-Identifier: Apache-2.0
#pragma once
namespace armilla {

namespace detail {
class interrupts;
}

/// A scope in which the rank computes and may be interrupted: with ARMILLA_PROGRESS_MODE=signal, calls of other ranks run at
/// once, in the middle of the computation. In the other progress modes it does nothing.
///
///     { am::interruptible here;  multiply_matrices(); }
///
/// **Rules.** In the scope the program calls nothing of the library, and holds no lock that a called function could want. That
/// includes the lock of the memory allocator, so functions that allocate go with computations that do not. Everywhere else
/// messages wait for the next poll or wait, as always. A called function may wait: then the computation continues. Scopes may be
/// nested; inside a called function they do nothing.
///
/// **Cost.** A system call at each end, and some microseconds for an interrupt.
///
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
