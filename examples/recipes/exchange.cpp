// SPDX-License-Identifier: Apache-2.0
// Each rank sends a different number of values to each other rank, in two ways.
#include <cstddef>
#include <functional>
#include <vector>

#include <armilla/armilla.hpp>

namespace am = armilla;

struct inbox {
  std::vector<int> values;
  void add(const std::vector<int>& more) { values.insert(values.end(), more.begin(), more.end()); }
};

static bool exchange(int most) {
  std::vector<std::vector<int>> to;  // to[r] is for rank r
  for (int r = 0; r < am::ranks(); ++r) to.emplace_back((am::rank() + r) % most, r);

  const std::vector<std::vector<int>> from = am::all_to_all_v(to);  // collective; from[r] came from rank r

  am::distributed<inbox> received;  // each rank sends when it has something
  for (int r = 0; const std::vector<int>& values : to) am::async<&inbox::add>(received.on(r++), values);
  am::fence();  // all that all ranks sent is there

  std::size_t sum = 0;
  bool right = true;
  for (const std::vector<int>& part : from) sum += part.size();
  for (const int x : received->values) right = right && x == am::rank();
  right = am::all_reduce(right && sum == received->values.size(), std::logical_and<>{});
  am::print_on(0, "{} values for rank 0: {}\n", sum, right ? "right" : "WRONG");
  return right;
}

int main(int argc, char** argv) { return am::run(argc, argv, "MOST", exchange); }
