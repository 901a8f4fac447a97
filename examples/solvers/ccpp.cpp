// SPDX-License-Identifier: Apache-2.0
// The program in main.cpp as one of CC++: idle ranks load the processor objects that it creates.
//
//     ARMILLA_LIBRARIES=bin/plugins armilla-run -n 1 ./solvers_ccpp : -n 3 armilla-host
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include <armilla/armilla.hpp>
#include <armilla/dialect/ccpp.hpp>
#include <armilla/error.hpp>
using namespace armilla::ccpp;

namespace {

// What the program knows of the classes in the library: names and signatures.
struct solver {
  static constexpr const char* wire_name = "example.solver";
  struct methods;
};
constexpr armilla::method<armilla::remote<solver>(std::vector<double>)> heat{"example.solver.heat"};
constexpr armilla::method<armilla::remote<solver>()> decay{"example.solver.decay"};
constexpr armilla::method<double(double)> step_of_solver{"example.solver.step"};
constexpr armilla::method<double()> energy_of_solver{"example.solver.energy"};
struct solver::methods : armilla::ccpp::methods<solver> {
  named_rpc<step_of_solver> step{this};
  named_rpc<energy_of_solver> energy{this};
};

void expect(bool holds, const char* what) {
  if (!holds) throw std::runtime_error(std::string("not as expected: ") + what);
}

template <class F>
void expect_error(F f, const char* part) {
  try {
    f();
  } catch (const armilla::error& e) {
    if (std::string(e.what()).find(part) != std::string::npos) return;
    throw;
  }
  throw std::runtime_error(std::string("no error that says: ") + part);
}

void cc_main() {
  if (armilla::ranks() < 2) throw std::runtime_error("start it as: armilla-run -n 1 ./solvers_ccpp : -n 3 armilla-host");
  std::vector<global<solver*>> solvers;
  for (armilla::rank_t r = 1; r < armilla::ranks(); ++r) {
    const proc_t placement("libsolver_plugin.so", r);
    solvers.push_back(new_object<heat>(placement, std::vector<double>{0, 0, 9, 0, 0}));  // loads the library
    solvers.push_back(new_object<decay>(placement));
  }
  std::vector<double> energies(solvers.size());
  parfor(0, int(solvers.size()), [&](int i) {
    const global<solver*> s = solvers[std::size_t(i)];
    s->step(0.1);
    energies[std::size_t(i)] = s->energy();
  });
  double sum = 0;
  for (const double e : energies) sum += e;
  expect(std::abs(sum - double(solvers.size()) / 2 * (9 + std::exp(-0.1))) < 1e-9, "the energy of all");

  const armilla::rank_t last = armilla::ranks() - 1;
  expect_error([&] { (void)new_object<decay>(proc_t("libnone.so", last)); }, "in none of the folders");
  expect_error([&] { (void)new_object<heat>(proc_t("libsolver_plugin.so", last), std::vector<double>{1}); }, "three points");
  delete_object(solvers[0]);
  expect_error([&] { (void)solvers[0]->energy(); }, "has been destroyed");
  std::printf("solvers: %zu objects on %d ranks\n", solvers.size(), int(armilla::ranks() - 1));
}

}  // namespace

int main(int argc, char** argv) { return armilla::run(argc, argv, cc_main); }
