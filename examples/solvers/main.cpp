// SPDX-License-Identifier: Apache-2.0
// One program drives objects of classes that it does not have, on ranks that knew nothing of them when the job began:
//
//     ARMILLA_LIBRARIES=bin/plugins armilla-run -n 1 ./solvers : -n 3 armilla-host
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>

#include <armilla/error.hpp>

#include "examples/solvers/api.hpp"
namespace am = armilla;

namespace {

void expect(bool holds, const char* what) {
  if (!holds) throw std::runtime_error(std::string("not as expected: ") + what);
}

template <class F>
void expect_error(F f, const char* part) {
  try {
    f();
  } catch (const am::error& e) {
    if (std::string(e.what()).find(part) != std::string::npos) return;
    throw;
  }
  throw std::runtime_error(std::string("no error that says: ") + part);
}

void drive() {
  if (am::ranks() < 2) throw std::runtime_error("start it as: armilla-run -n 1 ./solvers : -n 3 armilla-host");
  const am::rank_t last = am::ranks() - 1;
  expect_error([&] { am::load_library(last, "../plugins/libsolver_plugin.so/../../solvers").get(); }, "ARMILLA_LIBRARIES");
  expect_error([&] { am::load_library(last, "/etc/passwd").get(); }, "absolute");
  expect_error([&] { am::load_library(last, "libnone.so").get(); }, "in none of the folders");
  expect_error([&] { am::create<solver_api::decay>(last).get(); }, "does not provide");

  std::vector<am::remote<solver_api::solver>> solvers;
  for (am::rank_t r = 1; r < am::ranks(); ++r) {
    auto loaded = am::load_library(r, "libsolver_plugin.so");  // what follows goes behind it
    solvers.push_back(am::create<solver_api::heat>(r, std::vector<double>{0, 0, 9, 0, 0}).get());
    solvers.push_back(am::create<solver_api::decay>(r).get());
    loaded.get();
    am::load_library(r, "libsolver_plugin.so").get();  // again: nothing
  }
  expect_error([&] { am::create<solver_api::heat>(last, std::vector<double>{1}).get(); }, "three points");

  for (auto& s : solvers) am::async<solver_api::step>(s, 0.1);
  double sum = 0;
  for (auto& s : solvers) sum += am::call<solver_api::energy>(s).get();
  expect(std::abs(sum - double(solvers.size()) / 2 * (9 + std::exp(-0.1))) < 1e-9, "the energy of all");

  auto waiting = am::create<solver_api::decay>(last);  // a call need not wait for the reference
  expect(am::call<solver_api::step>(waiting, 0.0).get() == 1, "a step of nothing");
  expect_error([&] { am::call<solver_api::couple>(solvers[0], solvers[1]).get(); }, "couple");
  const auto gone = solvers[0];
  am::destroy(gone);
  expect_error([&] { (void)am::call<solver_api::energy>(gone).get(); }, "has been destroyed");
  std::printf("solvers: %zu objects on %d ranks\n", solvers.size(), int(am::ranks() - 1));
}

}  // namespace

int main(int argc, char** argv) { return am::run(argc, argv, drive); }
