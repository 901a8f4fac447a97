// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace armilla {

/// From now on rank 0 tells on stderr how long algorithms get on, if that is a terminal: their name, their time, and how many
/// elements rank 0 has gone through and moved. Algorithms of less than half a second are not told of. ARMILLA_PROGRESS=1 does the
/// same from the start, also where stderr is no terminal (then a line now and then), and ARMILLA_PROGRESS=0 forbids it. Each rank
/// may call it. Cost: a lock at the begin and end of each algorithm on rank 0.
void show_progress();

}  // namespace armilla
