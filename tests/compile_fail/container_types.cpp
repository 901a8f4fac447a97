// SPDX-License-Identifier: Apache-2.0
// What containers refuse.
#include <functional>

#include <armilla/algorithms.hpp>

namespace am = armilla;

struct place {
  int row, column;
};

int main(int argc, char** argv) {
  return am::run(argc, argv, [] {
    am::unordered_map<place, int> visits;
    visits.update(place{1, 2}, 1, std::plus<>{});
  });
}
