// SPDX-License-Identifier: Apache-2.0
// Heat that spreads along a rod, in Split-C's words: blocks of a spread array, whose edges the neighbours store.
#include <cmath>
#include <cstdio>
#include <utility>

#include <armilla/armilla.hpp>
#include <armilla/dialect/splitc.hpp>

ARMILLA_SPLITC_PROGRAM {
  constexpr int points = 64;  // of a processor
  constexpr int steps = 400;

  // A block and its neighbours' edges: [0] and [points + 1].
  using rod = spread_array<double, 1, 1>;

  void send_edges(const rod& u) {
    double* mine = tolocal(u[MYPROC]);
    on_proc(0) mine[0] = mine[1];  // no heat leaves the rod
    on_proc(PROCS - 1) mine[points + 1] = mine[points];
    if (MYPROC > 0) u[MYPROC - 1][points + 1] <<= store(mine[1]);
    if (MYPROC < PROCS - 1) u[MYPROC + 1][0] <<= store(mine[points]);
    store_sync(sizeof(double) * std::size_t((MYPROC > 0) + (MYPROC < PROCS - 1)));
  }

  void step(const rod& from, const rod& to) {
    const double* a = tolocal(from[MYPROC]);
    double* b = tolocal(to[MYPROC]);
    for (int i = 1; i <= points; i++) b[i] = a[i] + 0.25 * (a[i - 1] - 2 * a[i] + a[i + 1]);
  }

  double total(const rod& u) {
    double sum = 0;
    for (int i = 1; i <= points; i++) sum += tolocal(u[MYPROC])[i];
    return all_reduce_to_all_dadd(sum);
  }

  int splitc_main(int, char*[]) {
    rod u(PROCS, points + 2), v(PROCS, points + 2);
    on_one u[0][points] = 1000.0;
    barrier();
    const rod *from = &u, *to = &v;
    for (int s = 0; s < steps; s++) {
      send_edges(*from);
      step(*from, *to);
      std::swap(from, to);
      barrier();
    }
    double left = -1;
    left <<= (*from)[0][points];
    sync();
    const double all = total(*from);
    const bool right = std::abs(all - 1000.0) < 1e-6 && left > 0 && left < 1000;
    on_one std::printf("splitc: %s on %d processors, %.1f degrees at the first one's end\n", right ? "all as expected" : "WRONG",
                       PROCS, left);
    return right ? 0 : 1;
  }

}  // namespace
