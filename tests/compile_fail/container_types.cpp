// SPDX-License-Identifier: Apache-2.0
// What containers refuse.
#include <functional>

#include <armilla/algorithms.hpp>

namespace am = armilla;

struct place {
  int row, column;
};

struct compared_in_part {
  int id, note;
  friend bool operator==(const compared_in_part& a, const compared_in_part& b) { return a.id == b.id; }
};

int main(int argc, char** argv) {
  return am::run(argc, argv, [] {
#if defined CASE_KEYS
    am::unordered_map<place, int> visits;
    visits.update(place{1, 2}, 1, std::plus<>{});
#elif defined CASE_HASH
    am::unordered_map<compared_in_part, int> without_hash;
    am::unordered_map<int, int, am::hash, bool (*)(int, int)> by_function;
#elif defined CASE_UPDATE_MAP
    const int factor = 3;
    am::unordered_map<int, int> sums;
    sums.update(1, 1, [factor](int sum, int x) { return sum + factor * x; });
#elif defined CASE_UPDATE_ARRAY
    const int factor = 3;
    am::array<int> sums(10);
    sums.update(1, 1, [factor](int sum, int x) { return sum + factor * x; });
#endif
  });
}
