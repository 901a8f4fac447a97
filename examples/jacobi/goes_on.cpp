// SPDX-License-Identifier: Apache-2.0
// The plate of main.cpp, by ranks of which some may die: those that are left go on from what they keep in memory, to the same
// bits. Started with ARMILLA_ON_LOSS=continue; without that the job ends with the first rank that is lost.
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>

#include <armilla/algorithms.hpp>

namespace am = armilla;

namespace {

using plate = am::matrix<double>;

struct solution {
  int steps = 0;
  double error = 1;
  std::uint64_t bits = 0;
};

/// From step `step` on; `t` is kept every `every` steps.
solution relax(plate& t, int step, int most_steps, int every, bool& kept) {
  const std::size_t n = t.extent(0);
  const auto exact = [n](const auto& cell) {
    const double y = double(cell[0] + 1) / double(n + 1), x = double(cell[1] + 1) / double(n + 1);
    return x * x - y * y;
  };
  plate u = t.like();
  t.set_border(exact);
  u.set_border(exact);
  const auto difference = [](double a, double b) { return std::abs(a - b); };
  for (double change = 1; step < most_steps && change > 1e-12;) {
    if (step % every == 0) {
      t.checkpoint(std::uint64_t(step));
      kept = true;
    }
    am::stencil(t, u, [](auto at) { return (at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1)) / 4; });
    if (++step % 100 == 0) change = am::max(am::views::zip_transform(difference, t, u));
    am::swap(t, u);  // the cells, not what is kept
  }
  std::uint64_t bits = 0;  // a sum that does not ask for the order of the cells
  am::for_each_index(t, [&](std::size_t i, double& e) { bits += std::bit_cast<std::uint64_t>(e) * (2 * i + 1); });
  am::for_each_index(u, [&](std::size_t i, double& e) { e = exact(u.cell_of(i)); });
  const double error = am::max(am::views::zip_transform(difference, t, u));
  return {step, error, t.members().all_reduce(bits, std::plus<>{})};
}

bool solve(std::size_t n, int most_steps, int every) {
  am::team team = am::world();
  plate t;
  bool kept = false;  // a checkpoint of t has ended well here
  solution found;
  for (bool whole = true;; whole = false) {
    try {
      int step = 0;
      if (!whole && team.all_reduce(kept, std::logical_or<>{})) {
        auto back = t.recover(team);
        t = std::move(back.container);
        if (back.gone.empty()) step = int(back.mark);
        if (!back.gone.empty()) am::fill(t, 0.0);  // both ranks that had some of it died: from the beginning
        am::print_on(team.world_rank(0), "{} ranks go on from step {}\n", team.size(), step);
      } else {
        t = plate({n, n}, am::on(team, am::grid()), am::halo(1));
        t.keep(1);
        am::print_on(team.world_rank(0), "{} ranks begin\n", team.size());
      }
      found = relax(t, step, most_steps, every, kept);
      am::print_on(team.world_rank(0), "{} steps, error {}, bits {:016x}: {}\n", found.steps, found.error, found.bits,
                   found.error < 1e-6 ? "right" : "WRONG");
      team.barrier();  // a rank that dies before that may not have printed: the others do it again
    } catch (const am::rank_lost&) {}
    const am::team left = team.survivors();
    if (left.size() == team.size()) break;  // all had come to that barrier
    team = left;
  }
  return found.error < 1e-6;
}

}  // namespace

int main(int argc, char** argv) { return am::run(argc, argv, "N STEPS EVERY", solve); }
