// SPDX-License-Identifier: Apache-2.0
// A loop that survives several deaths: start it with ARMILLA_ON_LOSS=continue. Here two ranks kill themselves.
#include <algorithm>
#include <csignal>
#include <functional>
#include <optional>

#include <armilla/algorithms.hpp>

namespace am = armilla;

static void step_of(am::array<double>& x, long step) {
  if ((am::rank() == 1 && step == 130) || (am::rank() == 2 && step == 170)) std::raise(SIGKILL);
  am::for_each(x, [](double& e) { e += 1; });
}

static bool survive(long steps) {
  am::team t = am::world();
  std::optional<am::array<double>> x;
  for (bool kept = false, again = false;; again = true) {
    try {
      long step = 0;
      if (again) kept = t.all_reduce(kept, std::logical_or<>{});
      if (!kept) {
        x.emplace(1000, am::on(t));
        x->keep(1);  // a copy of each rank's elements on the next rank
      } else if (again) {
        auto recovered = x->recover(t);  // the elements of the last checkpoint
        x = std::move(recovered.container);
        step = long(recovered.mark);
      }
      for (; step < steps; ++step) {
        if (step % 50 == 0) {
          x->checkpoint(std::uint64_t(step));
          kept = true;
        }
        step_of(*x, step);
      }
      t.barrier();
    } catch (const am::rank_lost&) {}  // any rank, at any time
    const am::team left = t.survivors();
    if (left.size() == t.size()) break;  // all have done the last step
    t = left;
  }
  const bool right = am::reduce(*x) == 1000.0 * double(steps);
  am::print_on(0, "{} of {} ranks did {} steps: {}\n", t.size(), am::ranks(), steps, right ? "right" : "WRONG");
  return right;
}

int main(int argc, char** argv) { return am::run(argc, argv, "STEPS", survive); }
