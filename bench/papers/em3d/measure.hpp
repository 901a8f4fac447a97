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

  /// Measures a version, which has half_step(field); `source`: where it stands.
  template <class Version>
  void measure(const char* name, const char* source, Version&& version) {
    using namespace em3d;
    run.measure(how.describe(name, graph, expected, source),
                work{.prepare = [&] { mine.reset(); },
                     .body =
                         [&] {
                           for (long s = 0; s < how.steps; ++s)
                             for (const field f : {electric, magnetic}) version.half_step(f);
                         },
                     .right = [&] { return mine.agrees(expected); },
                     .value = [&](double seconds) { return how.ns_per_edge(seconds); }});
  }
};

}  // namespace papers
