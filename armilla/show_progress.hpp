// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace armilla {

/// Makes rank 0 show the progress of long operations on stderr from now on, if that is a terminal: one bar for the job, with the
/// share that is done, the rate, and the time left: `armilla: am::sort [#####.......]  42 %, 31 M elements/s, 8 s left`. Any rank
/// may call it.
///
/// **What is shown.** Algorithms (also joins and those of graphs), `save`, `load`, `rebalance`, `read_*` and `write_*` that run
/// for more than half a second, one after the other. The share is that of all ranks on the host of rank 0; others are taken to be
/// as far. Where nobody knows how much there is to do, the bar is replaced by the time and the number of elements. A search of a
/// graph ends early if it does not reach all vertices, an iteration when it converges. `sort` reports after each of its steps.
///
/// **From outside.** ARMILLA_PROGRESS_BAR=1 and `armilla-run --progress` do the same from the start. ARMILLA_PROGRESS=1 does also
/// if stderr is not a terminal (then a line now and then), and ARMILLA_PROGRESS=0 forbids it.
///
/// **Cost.** A lock at the beginning and the end of each operation on rank 0, and a thread that writes.
void show_progress();

}  // namespace armilla
