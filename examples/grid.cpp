// SPDX-License-Identifier: Apache-2.0
// Ranks as a grid: each row and each column is a team, in which its members add up their numbers.
#include <functional>

#include <armilla/armilla.hpp>

namespace am = armilla;

int main(int argc, char** argv) {
  return am::run(argc, argv, [] {
    const auto start = am::clock::now();
    const auto [rows, columns] = am::grid_dims<2>(am::ranks());
    am::print_on(0, "{} ranks are {} rows of {}\n", am::ranks(), rows, columns);
    const am::team row = am::world().split(am::rank() / columns), column = am::world().split(am::rank() % columns);
    const int in_row = row.all_reduce(am::rank(), std::plus<>{}), in_column = column.all_reduce(am::rank(), std::plus<>{});
    am::barrier();
    am::print_on(am::ranks() - 1, "rank {}: its row adds up to {}, its column to {}\n", am::rank(), in_row, in_column);
    if (am::seconds_since(start) < 0) am::print_on(0, "the clock has gone back\n");
  });
}
