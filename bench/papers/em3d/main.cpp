// SPDX-License-Identifier: Apache-2.0
// EM3D in the MRPC paper's three versions, in Split-C and in CC++, and in the library's own words by global pointers and by
// calls. All values are compared with those of a sequential evaluation to the last bit.
#include "bench/papers/common/armilla_job.hpp"
#include "bench/papers/em3d/base_in_ccpp.hpp"
#include "bench/papers/em3d/base_in_splitc.hpp"  // last: Split-C has macros
#include "bench/papers/em3d/bulk_in_ccpp.hpp"
#include "bench/papers/em3d/bulk_in_splitc.hpp"
#include "bench/papers/em3d/ghost_in_ccpp.hpp"
#include "bench/papers/em3d/ghost_in_splitc.hpp"
#include "bench/papers/em3d/measure.hpp"
#include "examples/em3d/base_by_calls.hpp"
#include "examples/em3d/base_by_fibers.hpp"
#include "examples/em3d/base_by_futures.hpp"
#include "examples/em3d/base_by_pointers.hpp"
#include "examples/em3d/bulk_by_calls.hpp"
#include "examples/em3d/bulk_by_pointers.hpp"
#include "examples/em3d/ghost_by_calls.hpp"
#include "examples/em3d/ghost_by_pointers.hpp"
#include "examples/em3d/ghost_by_two_way_calls.hpp"

namespace papers {
namespace {

using namespace em3d;

void run_all(const command_line& line, const em3d_options& how) {
  runner<armilla_job> run(line);
  for (const int remote : how.remote) {
    const shape graph = how.shape(remote, am::ranks());
    am::distributed<region> parts(graph);
    region& mine = *parts;
    const peers others(parts);
    em3d_problem p(run, how, graph, mine);
    p.measure<in_splitc::base>("base/splitc", "bench/papers/em3d/base_in_splitc.hpp", mine);
    p.measure<in_ccpp::base>("base/ccpp", "bench/papers/em3d/base_in_ccpp.hpp", mine);
    p.measure<base_by_pointers>("base/pointers", "examples/em3d/base_by_pointers.hpp", mine);
    p.measure<base_by_calls<>>("base/calls", "examples/em3d/base_by_calls.hpp", others);
    p.measure<base_by_futures<>>("base/overlap-futures", "examples/em3d/base_by_futures.hpp", others);
    p.measure<base_by_fibers<>>("base/overlap-fibers", "examples/em3d/base_by_fibers.hpp", others);
    p.measure<in_splitc::ghost>("ghost/splitc", "bench/papers/em3d/ghost_in_splitc.hpp", mine);
    p.measure<in_ccpp::ghost>("ghost/ccpp", "bench/papers/em3d/ghost_in_ccpp.hpp", mine);
    p.measure<ghost_by_pointers>("ghost/pointers", "examples/em3d/ghost_by_pointers.hpp", mine);
    p.measure<ghost_by_calls<>>("ghost/calls", "examples/em3d/ghost_by_calls.hpp", others);
    p.measure<ghost_by_two_way_calls<>>("ghost/fetch-calls", "examples/em3d/ghost_by_two_way_calls.hpp", others);
    p.measure<in_splitc::bulk>("bulk/splitc", "bench/papers/em3d/bulk_in_splitc.hpp", mine);
    p.measure<in_ccpp::bulk>("bulk/ccpp", "bench/papers/em3d/bulk_in_ccpp.hpp", mine);
    p.measure<bulk_by_pointers>("bulk/pointers", "examples/em3d/bulk_by_pointers.hpp", mine);
    p.measure<bulk_by_calls<>>("bulk/calls", "examples/em3d/bulk_by_calls.hpp", others);
  }
}

}  // namespace
}  // namespace papers

int main(int argc, char** argv) {
  papers::command_line line("em3d",
                            "EM3D, electromagnetic waves on an irregular grid: base, ghost and bulk, in Split-C and CC++, by "
                            "global pointers and by calls.",
                            {"base/splitc", "base/ccpp", "base/pointers", "base/calls", "base/overlap-futures",
                             "base/overlap-fibers", "ghost/splitc", "ghost/ccpp", "ghost/pointers", "ghost/calls",
                             "ghost/fetch-calls", "bulk/splitc", "bulk/ccpp", "bulk/pointers", "bulk/calls"});
  papers::em3d_options how;
  bool by_message = false;
  how.add_to(line);
  line.flag("--by-message", by_message, "pointers are carried by messages, too: memory that is shared is not used");
  if (const auto code = line.read(argc, argv)) return *code;
  if (const int code = how.check(line); code != 0) return code;
  if (by_message) papers::cut_short_cut();
  return armilla::run(argc, argv, [&line, &how] { papers::run_all(line, how); });
}
