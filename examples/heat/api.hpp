// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>
#include <vector>

#include <armilla/method.hpp>

// What each rank of the program heat provides to attached clients and to other programs.
namespace heat_api {
/// Lets the rank's part of the rod take a step in time; the largest change of a cell.
inline constexpr armilla::method<double(double)> step{"demo.solver.step"};
/// Sets cells of the rod, by index.
inline constexpr armilla::method<void(std::map<long, double>)> set{"demo.solver.set"};
/// Some cells of the rod, by index.
inline constexpr armilla::method<std::vector<double>(std::vector<long>)> get{"demo.solver.get"};
/// What the part is: first cell, cells, steps taken.
struct part {
  long first, cells, steps;
};
inline constexpr armilla::method<part()> describe{"demo.solver.part"};
/// Ends the program on all ranks.
inline constexpr armilla::method<void(std::string)> stop{"demo.stop"};
}  // namespace heat_api
