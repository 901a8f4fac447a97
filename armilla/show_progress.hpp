// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace armilla {

/// Makes rank 0 show the progress of long operations on stderr from now on, if that is a terminal. One bar for the whole job
/// shows the share that is done, the rate, and the time left: `armilla: am::sort [#####.......]  42 %, 31 M elements/s, 8 s
/// left`. Any rank may call it.
///
///     am::show_progress();
///
/// **What is shown.** Algorithms (including joins and algorithms of graphs), `save`, `load`, `rebalance`, `read_*` and `write_*`
/// that run for more than half a second. The share is measured on the ranks of rank 0's host. If the total is not known, the time
/// and the number of elements replace the bar. A search of a graph may end before 100 % if it does not reach all vertices, and an
/// iteration if it converges. `sort` reports progress after each of its steps.
///
/// **Options.** ARMILLA_PROGRESS_BAR=1 and `armilla-run --progress` do the same from the start. So does ARMILLA_PROGRESS=1, which
/// prints a line every five seconds if stderr is not a terminal. ARMILLA_PROGRESS=0 forbids all of this.
///
/// **Cost.** A lock at the beginning and the end of each operation on rank 0, and a thread that prints.
void show_progress();

}  // namespace armilla
