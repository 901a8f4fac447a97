// SPDX-License-Identifier: Apache-2.0
// Containers with keys have, when they are loaded, what the standard's had when they were saved, on any number of ranks.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <armilla/algorithms.hpp>

#include "armilla/container/image/save_testing.hpp"
#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

using namespace am::save_testing;

template <class E>
struct loose {
  using type = E;
};
template <class K, class V>
struct loose<std::pair<const K, V>> {
  using type = std::pair<K, V>;
};
template <class C>
using element = typename loose<typename C::value_type>::type;

/// All elements, on each member, in the order of members.
template <class C>
std::vector<element<C>> contents(const C& x) {
  std::vector<element<C>> mine;
  for (const auto& each : x.local()) mine.emplace_back(each);
  return x.members().all_gather_v(mine);
}
template <class E>
std::vector<E> sorted(std::vector<E> all) {
  std::sort(all.begin(), all.end());
  return all;
}

template <class C, class E>
void insert(C& x, const E& e) {
  if constexpr (requires { x.insert(e.first, e.second); })
    x.insert(e.first, e.second);
  else
    x.insert(e);
}

/// `number(i)`: element i of n.
template <class C, class F>
void expect_round_trip(int n, F number, bool in_order = false) {
  std::vector<element<C>> expected;
  for (int i = 0; i < n; ++i) expected.push_back(number(i));
  expected = sorted(std::move(expected));
  for_pairs([&](int writers, int readers) {
    const scratch_path path;
    const am::team from = first_ranks(writers), to = first_ranks(readers);
    if (is_first(writers)) {
      C x(from);
      for (int i = from.rank(); i < n; i += from.size()) insert(x, number(i));
      x.save(path.str());  // a fence
      EXPECT_EQ(x.size(), expected.size());
    }
    am::barrier();
    if (is_first(readers)) {
      C y(to);
      for (int i = 0; i < 50; ++i) insert(y, number(100'000 + i));  // which go
      y.load(path.str());
      const std::vector<element<C>> all = contents(y);
      EXPECT(sorted(all) == expected);
      EXPECT(!in_order || all == expected);
      EXPECT_EQ(y.size(), expected.size());
      if (to.rank() == 0) insert(y, number(n));
      to.fence();
      std::vector<element<C>> more = expected;
      more.push_back(number(n));
      EXPECT(sorted(contents(y)) == sorted(more));
      to.barrier();
    }
    am::barrier();
  });
}

std::string text(int i) { return std::to_string(i) + std::string(std::size_t(i) % 40, 'k'); }

}  // namespace

RANK_TEST(unordered_containers_are_loaded_on_any_other_number_of_ranks) {
  expect_round_trip<am::unordered_map<int, double>>(3000, [](int i) { return std::pair(i * 3, i + 0.5); });
  expect_round_trip<am::unordered_map<std::string, std::vector<long>>>(
      2000, [](int i) { return std::pair(text(i), std::vector<long>(std::size_t(i) % 5, i)); });
  expect_round_trip<am::unordered_multimap<std::string, long>>(2000, [](int i) { return std::pair(text(i % 100), long(i)); });
}

RANK_TEST(ordered_containers_are_loaded_on_any_other_number_of_ranks) {
  for (const int n : {3, 2000})
    expect_round_trip<am::map<int, std::string>>(n, [](int i) { return std::pair(i * 7919 % 1'000'003, text(i)); }, true);
  expect_round_trip<am::map<std::string, std::vector<std::string>>>(
      5000, [](int i) { return std::pair(text(i), std::vector<std::string>{text(i + 1), text(i / 2)}); }, true);
}

RANK_TEST(many_elements_are_loaded_from_many_pieces) {
  expect_round_trip<am::unordered_map<long, std::string>>(20'000, [](int i) { return std::pair(long(i), text(i) + text(i)); });
}

RANK_TEST(values_of_one_key_keep_their_order) {
  const scratch_path path;
  am::unordered_multimap<int, std::string> x, y;
  for (int i = 0; i < 1000; ++i) x.insert(i % 3, text(i) + std::to_string(am::rank()));
  x.save(path.str());
  y.load(path.str());
  for (const int key : {0, 1, 2}) EXPECT(x.find(key).get() == y.find(key).get());
  EXPECT(!x.find(3).get());
  am::barrier();
}

RANK_TEST(handles_stay_good_and_one_way_calls_find_what_was_loaded) {
  const scratch_path path;
  am::unordered_map<int, long> x;
  x.insert(am::rank(), 10);
  x.save(path.str());
  const auto handle = x.handle();
  for (int i = 0; i < 100; ++i) x.insert(i, 1);
  x.load(path.str());
  EXPECT_EQ(x.size(), std::size_t(am::ranks()));
  handle->update(am::rank(), 1, std::plus<>{});
  am::fence();
  EXPECT_EQ(handle->find(am::rank()).get(), std::optional<long>(11));
  am::barrier();
}

RANK_TEST(an_order_that_is_not_that_of_the_file_is_refused) {
  const scratch_path path;
  am::map<int, int> x;
  x.insert(am::rank(), 1), x.insert(am::rank() + 10, 2);
  x.save(path.str());
  am::map<int, int, std::greater<>> y;
  y.insert(5, 6);
  EXPECT_THROWS_SAYING(am::usage_error, "not in this container's order", y.load(path.str()));
  EXPECT(contents(y) == (std::vector<std::pair<int, int>>{{5, 6}}));
}
