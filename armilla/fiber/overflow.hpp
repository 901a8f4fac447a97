// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace armilla::detail {

/// From here on a fiber of the calling thread that runs beyond its stack ends the process with a message that names it and the
/// option to raise, and then with the signal (SIGSEGV) as usual; a handler that the program has installed before gets every
/// signal, too. The handler runs on an alternate signal stack, which the thread is given if it has none.
void watch_for_overflow();

}  // namespace armilla::detail
