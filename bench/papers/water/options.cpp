// SPDX-License-Identifier: Apache-2.0
#include "bench/papers/water/options.hpp"

#include <fmt/format.h>

namespace water {

void water_options::add_to(papers::command_line& line) {
  line.number("--molecules", molecules, "molecules of water, one or more numbers; cubes", 8, 32768);
  line.number("--steps", steps, "steps of a sample", 1, 100'000);
  line.number("--cutoff", cutoff, "Angstrom; 0: half the box, at most 11", 0, 11);
}

int water_options::check(const papers::command_line& line, int workers) const {
  for (const int n : molecules) {
    const int edge = int(std::lround(std::cbrt(n)));
    if (edge * edge * edge != n)
      return line.refuse(fmt::format("--molecules {}: must be a cube, such as 27, 64 or 512: they begin on a cubic lattice", n));
    if (const box x(n, 0); cutoff > x.half)
      return line.refuse(
          fmt::format("--cutoff {}: must not be more than {:.3f}, half the box of {} molecules", cutoff, x.half, n));
    if (workers > n / 2)
      return line.refuse(fmt::format("--molecules {}: too few for {} workers; at least two for each", n, workers));
  }
  return 0;
}

papers::record water_options::describe(const std::string& version, const box& x, const energies& expected,
                                       const std::string& source) const {
  const auto digits = [](double e) { return fmt::format("{:.9g}", e); };
  return {.version = version,
          .size = {{"molecules", x.molecules}, {"steps", steps}, {"cutoff", cutoff}},
          .unit = "us/step",
          .checks = {{"kinetic", digits(expected.kinetic)},
                     {"intra", digits(expected.intra)},
                     {"inter", digits(expected.inter)},
                     {"reaction", digits(expected.reaction)},
                     {"total", digits(expected.total())}},
          .source = source};
}

}  // namespace water
