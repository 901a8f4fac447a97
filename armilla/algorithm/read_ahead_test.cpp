// SPDX-License-Identifier: Apache-2.0
// Elements dealt in turn that this rank cannot load: fetched many at a time, forwards, backwards and with gaps.
#include <functional>
#include <string>

#include "armilla/algorithm/ranges_test.hpp"

namespace am = armilla;
using namespace ranges_test;

namespace {

constexpr std::size_t n = 20'000;

am::vector<int> numbered(const am::distribution& d) {
  am::vector<int> x(n, d);
  am::iota(x, 0);
  am::barrier();
  return x;
}

/// How often this rank has asked another one for memory.
std::uint64_t fetches() {
  const am::statistics s = am::stats();
  return s.reads + s.gets;
}

/// That `work` needs some fetches a rank, and not one an element.
template <class F>
void expect_few_fetches(F work) {
  const std::uint64_t before = fetches();
  work();
  EXPECT(fetches() - before <= 40 * std::uint64_t(am::ranks()));
}

}  // namespace

RANK_TEST(everything_of_elements_dealt_in_turn_comes_in_few_fetches) {
  for (const std::size_t block : {1u, 7u}) {
    const am::vector<int> x = numbered(am::cyclic(block));
    expect_few_fetches([&] {
      const std::vector<int> all = am::everything(x);
      for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(all[i], int(i));
    });
    expect_few_fetches([&] {
      const std::vector<int> all = am::everything(am::views::reverse(x));
      for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(all[i], int(n - 1 - i));
    });
    expect_few_fetches([&] {
      const std::vector<int> all = am::everything(am::views::stride(x, 3));
      for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], int(3 * i));
    });
    am::barrier();
  }
}

RANK_TEST(copies_between_distributions_take_few_fetches) {
  const am::vector<int> blocks = numbered(am::blocks()), turns = numbered(am::cyclic());
  am::vector<int> to_turns(n, am::cyclic(3)), to_blocks(n);
  expect_few_fetches([&] { am::copy(blocks, to_turns); });
  expect_few_fetches([&] { am::copy(turns, to_blocks); });
  EXPECT(elements_of(to_turns) == elements_of(blocks));
  EXPECT(elements_of(to_blocks) == elements_of(blocks));
}

RANK_TEST(several_readers_of_one_part_do_not_take_each_others_elements) {
  const am::vector<int> x = numbered(am::cyclic(2));
  am::vector<int> sums(n / 2);
  expect_few_fetches([&] { am::transform(am::views::take(x, n / 2), am::views::drop(x, n / 2), sums, std::plus<>{}); });
  const std::vector<int> all = elements_of(sums);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], int(2 * i + n / 2));
  am::vector<int> differences(n - 1, am::cyclic());
  expect_few_fetches([&] { am::transform(am::views::drop(x, 1), am::views::take(x, n - 1), differences, std::minus<>{}); });
  for (const int d : elements_of(differences)) EXPECT_EQ(d, 1);
}

RANK_TEST(a_walk_to_and_fro_reads_what_is_asked_for) {
  const am::vector<int> x = numbered(am::cyclic(5));
  dice d(unsigned(am::rank()) + 1);
  am::detail::scratch fetched;
  const auto v = am::views::all(x).reading();
  for (int k = 0; k < 300; ++k) {
    const std::size_t i = d.below(3) == 0 ? d.below(n) : std::size_t(k) * 7 % n, end = v.run_at(i).end;
    std::size_t many = end - i;
    const int* const at = v.window(i, many, fetched);
    for (std::size_t j = 0; j < many; ++j) EXPECT_EQ(at[j], int(i + j));
    fetched.finish();
  }
  am::barrier();
}

RANK_TEST(texts_dealt_in_turn_come_in_few_two_way_calls) {
  am::vector<std::string> x(n / 10, am::cyclic());
  am::for_each_index(x, [](std::size_t i, std::string& s) { s = std::to_string(i); });
  am::barrier();
  const std::uint64_t before = am::stats().two_way_calls_sent;
  const std::vector<std::string> all = am::everything(x);
  EXPECT(am::stats().two_way_calls_sent - before <= 20 * std::uint64_t(am::ranks()));
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], std::to_string(i));
  am::barrier();
}
