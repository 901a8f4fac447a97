// SPDX-License-Identifier: Apache-2.0
// A rod whose ends are warm, served to attached clients: they let it step, look at it, and stop it.
//
//     ARMILLA_RANKS=4 ./heat --cells 1000000 &
//     armilla-top heat
//     python3 -c 'import armilla; job = armilla.attach("heat"); print(job[0].demo.solver.step(0.1),
//     job.array("temperature").sum())'
#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <armilla/algorithms.hpp>

#include "api.hpp"
#include "examples/arguments.hpp"

namespace am = armilla;
using namespace std::chrono_literals;

namespace {

am::per_rank<bool> stopped;

void stop_here() { *stopped = true; }

/// A rank's part of the rod. Neighbouring cells of other ranks are read where they lie.
class solver {
 public:
  explicit solver(am::array<double>& rod) : rod_(rod), first_(rod.local().empty() ? 0 : long(rod.index_of_local(0))) {}

  struct neighbours {
    double before, behind;  ///< the cells beside this rank's; beyond the rod it is warm
  };
  neighbours look_around() const {
    const std::size_t behind = std::size_t(first_) + rod_.local().size();
    return {first_ > 0 ? double(rod_[std::size_t(first_ - 1)]) : 1, behind < rod_.size() ? double(rod_[behind]) : 1};
  }
  double advance(double dt, neighbours n) {
    if (!(dt > 0 && dt <= 0.5))
      throw std::invalid_argument("a step of " + std::to_string(dt) + " is not stable; take one of up to 0.5");
    const std::span<double> mine = rod_.local();
    double change = 0;
    for (std::size_t i = 0; i < mine.size(); ++i) {
      const double old = mine[i], next = i + 1 < mine.size() ? mine[i + 1] : n.behind;
      mine[i] += dt * (n.before - 2 * old + next);
      change = std::max(change, std::abs(mine[i] - old));
      n.before = old;
    }
    ++steps_;
    return change;
  }
  /// Attached clients let ranks step one by one, in any order.
  double step(double dt) { return advance(dt, look_around()); }
  void set(const std::map<long, double>& cells) {
    for (const auto& [i, t] : cells) rod_[checked(i)] = t;
  }
  std::vector<double> get(const std::vector<long>& cells) const {
    std::vector<double> found;
    for (const long i : cells) found.push_back(rod_[checked(i)]);
    return found;
  }
  heat_api::part describe() const { return {first_, long(rod_.local().size()), steps_}; }

 private:
  std::size_t checked(long i) const {
    if (i < 0 || std::size_t(i) >= rod_.size())
      throw std::out_of_range("cell " + std::to_string(i) + " of a rod of " + std::to_string(rod_.size()));
    return std::size_t(i);
  }

  am::array<double>& rod_;
  long first_, steps_ = 0;
};

void stop(const std::string& why) {
  am::print_on(am::rank(), "stopped: {}\n", why);
  for (am::rank_t r = 0; r < am::ranks(); ++r) am::async<&stop_here>(r);
}

enum class serving { no, asleep, awake };

void serve(long cells, long steps, serving how) {
  am::array<double> rod{std::size_t(cells)};
  solver mine(rod);
  am::provide<heat_api::step, &solver::step>(mine);
  am::provide<heat_api::set, &solver::set>(mine);
  am::provide<heat_api::get, &solver::get>(mine);
  am::provide<heat_api::describe, &solver::describe>(mine);
  am::provide<heat_api::stop, &stop>();
  const am::exposure shown = am::expose("temperature", rod);
  for (long n = 0; n < steps; ++n) {
    const auto beside = mine.look_around();
    am::barrier();
    mine.advance(0.25, beside);
    am::barrier();
  }
  const double heat = am::reduce(rod);
  am::print_on(0, "after {} steps the rod holds {:.3f}\n", steps, heat);
  while (how == serving::asleep && !*stopped) am::sleep_for(100ms);  // an attached client's call wakes the rank
  while (how == serving::awake && !*stopped) am::poll();
  am::barrier();
}

}  // namespace

int main(int argc, char** argv) {
  long cells = 1000, steps = 0;
  bool once = false, awake = false;
  examples::arguments all("A rod whose ends are warm, served to attached clients of the job until one stops it.");
  all.take("--cells", cells, "Cells of the rod", 1L, 2'000'000'000L);
  all.take("--steps", steps, "Steps to take before it serves", 0L, 1'000'000'000L);
  all.take_flag("--once", once, "Do not serve");
  all.take_flag("--awake", awake, "Look for calls all the time, instead of sleeping until one comes");
  if (const auto code = all.read(argc, argv)) return *code;
  return am::run(argc, argv, [&] { serve(cells, steps, once ? serving::no : awake ? serving::awake : serving::asleep); });
}
