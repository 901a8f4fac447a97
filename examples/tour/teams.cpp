// SPDX-License-Identifier: Apache-2.0
// Teams and collectives: what ranks do together.
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include <armilla/armilla.hpp>

#include "examples/tour/expect.hpp"
namespace am = armilla;

int main(int argc, char** argv) {
  return am::run(argc, argv, [] {
    const int me = am::rank(), all = am::ranks();
    expect(am::all_reduce(1.0, std::plus<>{}) == all, "the same sum everywhere, to the bit");
    expect(am::broadcast("from " + std::to_string(me), all - 1) == "from " + std::to_string(all - 1),
           "values of any sendable type");
    expect(am::world().exclusive_scan(me, 0, std::plus<>{}) == me * (me - 1) / 2, "scan");
    expect(am::all_gather(me * me).back() == (all - 1) * (all - 1), "gather");

    std::vector<std::vector<int>> parts(static_cast<std::size_t>(all));
    for (int r = 0; r < all; ++r) parts[std::size_t(r)].assign(std::size_t(me), r);
    const std::vector<std::vector<int>> came = am::all_to_all_v(parts);
    for (int r = 0; r < all; ++r)
      expect(came[std::size_t(r)] == std::vector<int>(std::size_t(r), me), "all to all, of any length");

    const am::team half = am::world().split(me % 2);  // the even ranks and the odd ones
    expect(half.world_rank(half.rank()) == me, "numbers in a team");
    expect(half.all_reduce(1, std::plus<>{}) == (all + 1 - me % 2) / 2, "a collective of a team");
    half.barrier();

    am::barrier();
    if (me == 0) std::printf("teams: all as expected\n");
  });
}
