// SPDX-License-Identifier: Apache-2.0
// Two programs in one job: armilla-run -n 1 ./master : -n 3 ./worker. They share ranks, barriers and global memory, and call
// each other by name: the master lets workers measure the area under a curve that only they know, and they ask the master for
// more hands where it is rough. All these calls wait for each other, in both programs.
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>

#include <armilla/armilla.hpp>

#include "examples/arguments.hpp"
#include "examples/tour/area_api.hpp"
namespace am = armilla;

namespace {

long delegated = 0;

double delegate(area::piece p) {
  const auto workers = am::ranks() - 1;
  const auto worker = am::rank_t(1 + delegated++ % workers);
  return am::call<area::measure>(worker, p).get();  // other calls of workers are answered meanwhile
}

void lead(double end) {
  if (am::rank() != 0 || am::ranks() < 2 || am::program_count() != 2)
    throw std::runtime_error("start it as: armilla-run -n 1 ./master : -n 3 ./worker");
  am::provide<area::delegate, &delegate>();
  const auto pieces = am::allocate<long>(std::size_t(am::ranks()));
  am::broadcast(pieces, 0);  // the workers now know where to write what they did

  am::barrier();  // and provide
  const double found = delegate({0, end, 0});
  am::barrier();                                    // that was all
  am::barrier();                                    // they have written
  const double expected = 1 - std::cos(end * end);  // the integral of 2 x sin(x * x)
  if (std::abs(found - expected) > 1e-6)
    throw std::runtime_error("area " + std::to_string(found) + ", expected " + std::to_string(expected));
  long done = 0;
  for (am::rank_t r = 1; r < am::ranks(); ++r) done += pieces[r];
  if (done != delegated) throw std::runtime_error("a worker's pieces are missing");
  std::printf("master: %d workers of %s have measured %ld pieces: %.6f, right\n", am::ranks() - 1, am::program_name(1).data(),
              done, found);
  am::deallocate(pieces);
}

}  // namespace

int main(int argc, char** argv) {
  examples::arguments arguments("Lets workers measure the area under a curve: armilla-run -n 1 ./master : -n 3 ./worker");
  double end = 5;
  arguments.take("--end", end, "where on the x axis the area ends", 0.1, 10.0);
  if (const auto ended = arguments.read(argc, argv)) return *ended;
  return am::run(argc, argv, [=] { lead(end); });
}
