// SPDX-License-Identifier: Apache-2.0
// What tools/costs counts in: its compilation takes about as long on one machine as on another one of the same speed.
#include <algorithm>
#include <functional>
#include <map>
#include <ranges>
#include <regex>
#include <string>
#include <vector>

namespace {

template <int N>
int sum_of_sorted(std::vector<int> numbers) {
  std::ranges::sort(numbers, [](int a, int b) { return a % N < b % N; });
  std::map<int, std::string> names;
  for (const int n : numbers | std::views::filter([](int n) { return n % N != 0; })) names[n] += std::to_string(n);
  return int(names.size());
}

}  // namespace

int reference(const std::string& text) {
  const bool matches = std::regex_search(text, std::regex("a+b*"));
  return int(matches) + sum_of_sorted<2>({1, 2}) + sum_of_sorted<3>({2, 3}) + sum_of_sorted<4>({3, 4});
}
