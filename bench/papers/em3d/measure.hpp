// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "bench/papers/common/measure.hpp"
#include "bench/papers/em3d/options.hpp"

namespace papers {

/// One graph, this rank's region of it, and the values that every version must end with.
template <job Job, class Region>
struct em3d_problem {
  runner<Job>& run;
  const em3d_options& how;
  em3d::shape graph;
  Region& mine;
  em3d::values expected;

  em3d_problem(runner<Job>& r, const em3d_options& o, const em3d::shape& s, Region& region)
      : run(r), how(o), graph(s), mine(region), expected(evaluate(s, o.steps)) {}

  /// Measures Version(way), which has half_step(field), if it is wanted; `source`: where it stands.
  template <class Version, class Way>
  void measure(const std::string& name, const char* source, Way&& way) {
    if (!run.wants(name)) return;
    using namespace em3d;
    Version version(way);
    run.measure(how.describe(name, graph, expected, source),
                work{.prepare = [&] { mine.reset(); },
                     .body =
                         [&] {
                           for (long s = 0; s < how.steps; ++s)
                             for (const field f : {electric, magnetic}) version.half_step(f);
                         },
                     .right = [&] { return mine.agrees(expected); },
                     .value = [&](double seconds) { return how.ns_per_edge(seconds); }});
    run.job().barrier();  // before this rank's part of the version goes, all are done with it
  }
};

}  // namespace papers
