// SPDX-License-Identifier: Apache-2.0
// EM3D whose ranks know each other's methods by name only. Twice compiled, into two programs: as one of them alone it is SPMD, as
// a job of both MPMD.
//
//     ARMILLA_RANKS=2 paper_em3d_named
//     armilla-run -n 1 paper_em3d_named : -n 1 paper_em3d_peer
#include "bench/papers/common/armilla_job.hpp"
#include "bench/papers/em3d/measure.hpp"
#include "bench/papers/em3d/named_peers.hpp"
#include "examples/em3d/base_by_calls.hpp"
#include "examples/em3d/base_by_futures.hpp"
#include "examples/em3d/bulk_by_calls.hpp"
#include "examples/em3d/ghost_by_calls.hpp"
#include "examples/em3d/ghost_by_two_way_calls.hpp"

namespace papers {
namespace {

using namespace em3d;

/// While one lives, others can call this rank's part of the graph. All ranks make and end theirs together.
struct provided {
  explicit provided(region& mine) {
    am::provide<api::value, &region::value>(mine);
    am::provide<api::set, &region::set>(mine);
    am::provide<api::all_set, &region::all_set>(mine);
    am::provide<api::take, &region::take>(mine);
    am::barrier();
  }
  ~provided() {
    am::barrier();
    am::withdraw<api::value>();
    am::withdraw<api::set>();
    am::withdraw<api::all_set>();
    am::withdraw<api::take>();
  }
  provided(const provided&) = delete;
  provided& operator=(const provided&) = delete;
};

void run_all(const command_line& line, const em3d_options& how) {
  runner<armilla_job> run(line);
  const auto name = [](const char* version) { return std::string(version) + (am::program_count() == 1 ? "/spmd" : "/mpmd"); };
  for (const int remote : how.remote) {
    const shape graph = how.shape(remote, am::ranks());
    region mine(graph);
    const provided methods(mine);
    const named_peers others(mine);
    em3d_problem p(run, how, graph, mine);
    p.measure<base_by_calls<named_peers>>(name("base"), "examples/em3d/base_by_calls.hpp", others);
    p.measure<base_by_futures<named_peers>>(name("base/overlap-futures"), "examples/em3d/base_by_futures.hpp", others);
    p.measure<ghost_by_calls<named_peers>>(name("ghost"), "examples/em3d/ghost_by_calls.hpp", others);
    p.measure<ghost_by_two_way_calls<named_peers>>(name("ghost/fetch"), "examples/em3d/ghost_by_two_way_calls.hpp", others);
    p.measure<bulk_by_calls<named_peers>>(name("bulk"), "examples/em3d/bulk_by_calls.hpp", others);
  }
}

}  // namespace
}  // namespace papers

int main(int argc, char** argv) {
  papers::command_line line("em3d", "EM3D by calls of methods by name, in a job of one program (spmd) or two (mpmd).",
                            {"base/spmd", "base/overlap-futures/spmd", "ghost/spmd", "ghost/fetch/spmd", "bulk/spmd", "base/mpmd",
                             "base/overlap-futures/mpmd", "ghost/mpmd", "ghost/fetch/mpmd", "bulk/mpmd"});
  papers::em3d_options how;
  how.add_to(line);
  if (const auto code = line.read(argc, argv)) return *code;
  if (const int code = how.check(line); code != 0) return code;
  return armilla::run(argc, argv, [&line, &how] { papers::run_all(line, how); });
}
