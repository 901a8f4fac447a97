// SPDX-License-Identifier: Apache-2.0
// EM3D in three versions, each in two spellings. Prints nanoseconds an edge, and checks that all values are those of a
// sequential evaluation to the last bit: on every fabric, with every number of ranks.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <armilla/armilla.hpp>

#include "examples/arguments.hpp"
#include "examples/em3d/base_by_calls.hpp"
#include "examples/em3d/base_by_fibers.hpp"
#include "examples/em3d/base_by_futures.hpp"
#include "examples/em3d/base_by_pointers.hpp"
#include "examples/em3d/bulk_by_calls.hpp"
#include "examples/em3d/bulk_by_pointers.hpp"
#include "examples/em3d/ghost_by_calls.hpp"
#include "examples/em3d/ghost_by_pointers.hpp"
#include "examples/em3d/ghost_by_two_way_calls.hpp"

namespace {

namespace am = armilla;
using namespace em3d;

struct settings {
  shape graph{.blocks = 0};  ///< 0: as many as ranks
  std::vector<int> remote{10, 40, 70, 100};
  long steps = 100;
};

/// Nanoseconds an edge: the time that a rank takes, by the edges of an equal part. `way`: how the version reaches others' values.
template <class Version, class Way>
double time_of(const std::string& name, region& mine, Way&& way, long steps, const values& expected) {
  mine.reset();
  Version version(way);
  am::barrier();
  const auto start = std::chrono::steady_clock::now();
  for (long s = 0; s < steps; ++s)
    for (const field f : {electric, magnetic}) version.half_step(f);
  am::barrier();
  const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
  if (!mine.agrees(expected))
    throw std::runtime_error("em3d " + name + ": the values differ from those of a sequential evaluation");
  am::fence();
  return time.count() / double(steps) / (2.0 * mine.graph().edges_of_field() / am::ranks());
}

/// Base by calls asks a two-way call for every far value, slow by design: as many steps as take a fifth of a second, at most a
/// tenth.
double time_of_calls(region& mine, const peers& way, long steps) {
  const shape& s = mine.graph();
  const double one = time_of<base_by_calls<>>("base by calls", mine, way, 1, evaluate(s, 1));
  const double ns_of_step = one * 2.0 * s.edges_of_field() / am::ranks();
  const long few = am::broadcast(std::min(steps / 10, long(0.2e9 / ns_of_step)));  // rank 0's watch decides
  return few <= 1 ? one : time_of<base_by_calls<>>("base by calls", mine, way, few, evaluate(s, few));
}

/// All versions on one graph.
void run_versions(const shape& s, long steps) {
  am::distributed<region> d(s);
  region& mine = *d;
  const peers others(d);
  const values expected = evaluate(s, steps);
  const double base = time_of<base_by_pointers>("base by pointers", mine, mine, steps, expected);
  const double base_calls = time_of_calls(mine, others, steps);
  const double base_futures = time_of<base_by_futures<>>("base by futures", mine, others, steps, expected);
  const double base_fibers = time_of<base_by_fibers<>>("base by fibers", mine, others, steps, expected);
  const double ghost = time_of<ghost_by_pointers>("ghost by pointers", mine, mine, steps, expected);
  const double ghost_fetch = time_of<ghost_by_two_way_calls<>>("ghost by two-way calls", mine, others, steps, expected);
  const double ghost_calls = time_of<ghost_by_calls<>>("ghost by calls", mine, others, steps, expected);
  const double bulk = time_of<bulk_by_pointers>("bulk by pointers", mine, mine, steps, expected);
  const double bulk_calls = time_of<bulk_by_calls<>>("bulk by calls", mine, others, steps, expected);
  if (am::rank() == 0)
    std::printf("%5d %% %10.2f %8.1f %8.1f %8.1f %10.2f %8.2f %8.2f %10.2f %8.2f   right: %016llx\n", s.remote, base, base_calls,
                base_futures, base_fibers, ghost, ghost_fetch, ghost_calls, bulk, bulk_calls,
                static_cast<unsigned long long>(fingerprint(expected)));
}

void run(settings how) {
  if (how.graph.blocks == 0) how.graph.blocks = am::ranks();
  if (am::rank() == 0)
    std::printf(
        "EM3D: %d nodes of degree %d on %d ranks, %ld steps; nanoseconds an edge\n"
        "remote    base: ptr    calls  futures   fibers ghost: ptr    fetch    calls  bulk: ptr    calls   values\n",
        how.graph.blocks * how.graph.nodes, how.graph.degree, am::ranks(), how.steps);
  for (const int remote : how.remote) {
    how.graph.remote = remote;
    run_versions(how.graph, how.steps);
  }
}

}  // namespace

int main(int argc, char** argv) {
  examples::arguments arguments(
      "EM3D, electromagnetic waves on an irregular grid: base, ghost and bulk, by global pointers and by calls.");
  settings how;
  bool quick = false;
  arguments.take("--nodes", how.graph.nodes, "nodes of a block, both fields together; even", 2, 1'000'000);
  arguments.take("--degree", how.graph.degree, "edges of a node", 1, 1000);
  arguments.take("--blocks", how.graph.blocks, "blocks of the graph; an edge is remote if it leaves its block; 0: one a rank", 0,
                 4096);
  arguments.take("--remote", how.remote, "per cent of remote edges, one or more", 0, 100);
  arguments.take("--steps", how.steps, "steps; base by calls does fewer", 1L, 1'000'000L);
  arguments.take("--seed", how.graph.seed, "another graph");
  arguments.take_flag("--quick", quick, "20 steps, 10 % and 100 % remote");
  if (const auto ended = arguments.read(argc, argv)) return *ended;
  if (quick) how.steps = 20, how.remote = {10, 100};
  if (how.graph.nodes % 2 != 0)
    return std::fprintf(stderr, "em3d: --nodes %d: must be even, half of them for each field\n", how.graph.nodes), 2;
  if (std::int64_t(std::max(1, how.graph.blocks)) * how.graph.nodes * how.graph.degree > 1'000'000'000)
    return std::fprintf(stderr, "em3d: more than 1,000,000,000 edges; take fewer --nodes, --degree or --blocks\n"), 2;
  return am::run(argc, argv, [how] { run(how); });
}
