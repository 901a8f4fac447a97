// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace armilla {

/// Makes rank 0 show the progress of algorithms on stderr from now on, if that is a terminal: name, time, and how many elements
/// rank 0 has processed and moved. Any rank may call it.
///
/// Algorithms of less than half a second are not shown. ARMILLA_PROGRESS=1 does the same from the start, also if stderr is not a
/// terminal (then a line now and then), and ARMILLA_PROGRESS=0 forbids it. Cost: a lock at the beginning and the end of each
/// algorithm on rank 0.
void show_progress();

}  // namespace armilla
