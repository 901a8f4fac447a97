// SPDX-License-Identifier: Apache-2.0
#include "bench/papers/npb/is_problem.hpp"

#include <stdexcept>
#include <string>

#include "bench/papers/npb/random.hpp"

namespace npb {
namespace {

// As published, for iteration 0.
constexpr is_problem problems[] = {
    {'S', 16, 11, {48427, 17148, 23627, 62548, 4431}, {0, 18, 346, 64917, 65463}, {1, 1, 1, -1, -1}},
    {'W', 20, 16, {357773, 934767, 875723, 898999, 404505}, {1249 - 2, 11698 - 2, 1039987, 1043896, 1048018}, {1, 1, -1, -1, -1}},
    {'A',
     23,
     19,
     {2112377, 662041, 5336171, 3642833, 4250760},
     {104 - 1, 17523 - 1, 123928 - 1, 8288932 + 1, 8388264 + 1},
     {1, 1, 1, -1, -1}},
    {'B', 25, 21, {41869, 812306, 5102857, 18232239, 26860214}, {33422937, 10244, 59149, 33135281, 99}, {-1, 1, 1, -1, 1}},
};

}  // namespace

const is_problem& is_problem::find(char name) {
  for (const is_problem& p : problems)
    if (p.name == name) return p;
  throw std::invalid_argument(std::string("IS has no class ") + name);
}

papers::json is_problem::size() const {
  return {{"class", std::string(1, name)}, {"keys", keys()}, {"operations", operations()}};
}

std::vector<sort_key> make_keys(const is_problem& p, std::uint64_t first, std::uint64_t last) {
  generator random(4 * first);
  std::vector<sort_key> keys(last - first);
  for (sort_key& key : keys) {
    std::uint64_t sum = 0;  // four numbers: keys in the middle are the likeliest
    for (int i = 0; i < 4; ++i) sum += random.next_integer();
    key = sort_key(sum >> (46 + 2 - p.key_range_log2));
  }
  return keys;
}

}  // namespace npb
