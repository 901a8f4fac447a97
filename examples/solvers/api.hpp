// SPDX-License-Identifier: Apache-2.0
#pragma once
// All that the program and the library share: names and signatures.
#include <vector>

#include <armilla/armilla.hpp>

namespace solver_api {

struct solver {  // what references refer to; no class derives from it
  static constexpr const char* wire_name = "example.solver";
};
inline constexpr armilla::method<armilla::remote<solver>(std::vector<double>)> heat{"example.solver.heat"};
inline constexpr armilla::method<armilla::remote<solver>()> decay{"example.solver.decay"};
inline constexpr armilla::method<double(double)> step{"example.solver.step"};
/// Adds what another solver, on whatever rank, holds to one's own.
inline constexpr armilla::method<void(armilla::remote<solver>)> couple{"example.solver.couple"};
inline constexpr armilla::method<double()> energy{"example.solver.energy"};

}  // namespace solver_api
