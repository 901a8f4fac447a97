// SPDX-License-Identifier: Apache-2.0
// The other program of master.cpp; it may be built by another compiler.
#include <cmath>
#include <stdexcept>

#include <armilla/armilla.hpp>

#include "examples/tour/area_api.hpp"
namespace am = armilla;

namespace {

long measured = 0;

double curve(double x) { return 2 * x * std::sin(x * x); }

double simpson(double from, double to) { return (to - from) / 6 * (curve(from) + 4 * curve((from + to) / 2) + curve(to)); }

double measure(area::piece p) {
  ++measured;
  const double middle = (p.from + p.to) / 2;
  const double rough = simpson(p.from, p.to), fine = simpson(p.from, middle) + simpson(middle, p.to);
  if (p.halved >= 4 && (p.halved >= 20 || std::abs(fine - rough) < 1e-9)) return fine;
  double left = 0, right = 0;
  am::par([&] { left = am::call<area::delegate>(0, area::piece{p.from, middle, p.halved + 1}).get(); },
          [&] { right = am::call<area::delegate>(0, area::piece{middle, p.to, p.halved + 1}).get(); });
  return left + right;
}

}  // namespace

int main(int argc, char** argv) {
  return am::run(argc, argv, [] {
    if (am::rank() == 0 || am::program_count() != 2)
      throw std::runtime_error("start it as: armilla-run -n 1 ./master : -n 3 ./worker");
    const auto pieces = am::broadcast(am::global_ptr<long>(), 0);
    am::provide<area::measure, &measure>();
    am::barrier();  // the master begins
    am::barrier();  // it has what it wants; until then this rank answers
    pieces[am::rank()] = measured;
    am::barrier();
  });
}
