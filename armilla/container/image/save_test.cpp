// SPDX-License-Identifier: Apache-2.0
// What is saved on some ranks is loaded on others: the elements are the same, and a file that is not whole is refused by all.

#include <array>
#include <functional>
#include <string>
#include <vector>

#include <armilla/algorithms.hpp>

#include "armilla/container/image/save_testing.hpp"
#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

using namespace am::save_testing;

/// All elements, on each member.
template <class T>
std::vector<T> all_of(const am::array<T>& x) {
  std::vector<std::pair<std::size_t, T>> mine;
  for (std::size_t k = 0; k < x.local().size(); ++k) mine.emplace_back(x.index_of_local(k), x.local()[k]);
  std::vector<T> all(x.size());
  for (const auto& [i, value] : x.members().all_gather_v(mine)) all[i] = value;
  return all;
}

template <class T>
T number_as(std::size_t i) {
  if constexpr (std::is_same_v<T, std::string>)
    return std::string(i % 50, char('a' + i % 26)) + std::to_string(i);
  else if constexpr (std::is_same_v<T, std::vector<std::string>>)
    return std::vector<std::string>(i % 4, std::to_string(i));
  else
    return T(i * 7 + 1);
}

std::vector<am::distribution> dealings(const am::team& t) {
  std::vector<std::size_t> uneven(std::size_t(t.size()), 0);
  return {am::on(t, am::blocks()), am::on(t, am::cyclic()), am::on(t, am::cyclic(7))};
}

/// Saved over the first `writers` ranks, loaded over the first `readers`, dealt in all ways; many elements in each way once.
template <class T>
void expect_round_trip(std::size_t n, int writers, int readers) {
  const scratch_path path;
  std::vector<T> expected;
  for (std::size_t i = 0; i < n; ++i) expected.push_back(number_as<T>(i));
  for (std::size_t way = 0; way < 3; ++way) {
    const am::team from = first_ranks(writers), to = first_ranks(readers);
    if (is_first(writers)) {
      am::array<T> x(n, dealings(from)[way]);
      for (std::size_t k = 0; k < x.local().size(); ++k) x.local()[k] = number_as<T>(x.index_of_local(k));
      x.save(path.str());
    }
    am::barrier();
    const bool many = n > 10'000;
    for (std::size_t k = 0; k < 3 && is_first(readers); ++k) {
      if (many && k != (way + 1) % 3) continue;
      const am::distribution d = dealings(to)[k];
      am::vector<T> y(n, d), other(3, d);
      y.load(path.str());
      EXPECT(all_of(y) == expected);
      EXPECT(y.placement() == am::placement(n, to.size(), d));
      if (!many) {
        other.load(path.str());
        EXPECT(all_of(other) == expected);
      }
      to.barrier();
    }
    am::barrier();
  }
}

}  // namespace

RANK_TEST(sequences_are_loaded_on_any_other_number_of_ranks) {
  for_pairs([](int writers, int readers) {
    expect_round_trip<double>(1000, writers, readers);
    expect_round_trip<std::string>(300, writers, readers);
  });
}

RANK_TEST(sequences_of_all_sizes_come_back) {
  for (const std::size_t n : {0, 1, 5, 140'000}) expect_round_trip<double>(n, am::ranks(), 1);
  for (const std::size_t n : {0, 1, 30'000}) expect_round_trip<std::string>(n, 1, am::ranks());
  expect_round_trip<std::vector<std::string>>(500, am::ranks(), am::ranks());
  expect_round_trip<bool>(77, am::ranks(), 1);
}

RANK_TEST(sequences_that_were_made_without_elements_load_over_all_ranks) {
  const scratch_path path;
  am::vector<int> x(10, 3);
  if (am::rank() == am::ranks() - 1) x.push_back(4);
  x.save(path.str());  // a fence: what was staged is in it
  am::vector<int> y;
  y.load(path.str());
  EXPECT_EQ(y.size(), 11U);
  EXPECT_EQ(am::reduce(y), 34);
  y.push_back(1);
  am::fence();
  EXPECT_EQ(y.size(), 11U + std::size_t(am::ranks()));
  am::bag<int> b;
  b.load(path.str());
  EXPECT_EQ(am::reduce(b), 34);
  b.push(1);
  b.save(path.str());
  am::array<int> z;
  z.load(path.str());
  EXPECT_EQ(am::reduce(z), 34 + am::ranks());
  am::array<int> none;
  EXPECT_THROWS_SAYING(am::usage_error, "moved from", none.save(path.str()));
}

namespace {

template <std::size_t N>
double cell_value(const std::array<std::size_t, N>& cell) {
  double all = 1;
  for (const std::size_t c : cell) all = all * 1000 + double(c);
  return all;
}

/// Each own cell of each member.
template <std::size_t N, class F>
void each_cell(am::matrix<double, N>& m, F f) {
  am::detail::each_row(m.plan().mine.cells, [&](const std::array<std::size_t, N>& row) {
    auto cell = row;
    for (; cell[N - 1] < m.plan().mine.cells.end[N - 1]; ++cell[N - 1]) f(cell, m.first()[m.plan().mine.offset_of_cell(cell)]);
  });
}

template <std::size_t N>
void expect_matrix(const std::array<std::size_t, N>& extents, const am::halo& around) {
  for_pairs([&](int writers, int readers) {
    const scratch_path path;
    const am::team from = first_ranks(writers), to = first_ranks(readers);
    if (is_first(writers)) {
      am::matrix<double, N> m(extents, am::on(from, am::grid()), around);
      each_cell(m, [](const auto& cell, double& value) { value = cell_value(cell); });
      m.save(path.str());
    }
    am::barrier();
    if (is_first(readers)) {
      std::vector<am::rank_t> columns(N, 1);
      columns[N - 1] = to.size();
      for (const am::grid& g : {am::grid(), am::grid(columns)}) {
        am::matrix<double, N> other({}, am::on(to, g), am::halo(2)), same(extents, am::on(to, g));
        for (auto* m : {&other, &same}) {
          m->load(path.str());
          std::size_t wrong = 0, cells = 0;
          each_cell(*m, [&](const auto& cell, double value) { wrong += value != cell_value(cell), ++cells; });
          EXPECT_EQ(wrong, 0U);
          EXPECT_EQ(to.all_reduce(cells, std::plus<>{}), m->size());
          EXPECT(m->extent(0) == extents[0] && m->extent(N - 1) == extents[N - 1]);
        }
      }
    }
    am::barrier();
  });
}

}  // namespace

RANK_TEST(matrices_are_loaded_in_any_other_grid) {
  for (const am::halo& around : {am::halo(), am::halo(1).sides(0, 2, 0)}) {
    expect_matrix<1>({1000}, around);
    expect_matrix<2>({37, 53}, around);
    expect_matrix<2>({700, 300}, around);
    expect_matrix<2>({0, 53}, around);
    expect_matrix<3>({11, 7, 13}, around);
  }
}

RANK_TEST(sequences_load_each_others_files) {
  const scratch_path path;
  am::list<std::string> x;
  for (int i = 0; i < 100 * am::rank(); ++i) x.push_local(std::to_string(am::rank()) + " " + std::to_string(i));
  const std::vector<std::string> all = am::all_gather_v(std::vector<std::string>(x.local().begin(), x.local().end()));
  x.save(path.str());
  am::array<std::string> z;
  z.load(path.str());
  EXPECT(all_of(z) == all);
  am::queue<std::string> q;
  q.load(path.str());
  EXPECT_EQ(q.size(), all.size());
  if (am::rank() == 0) EXPECT(q.pop_some(all.size()).get() == all);
  am::barrier();
  am::work_queue<std::string> w;
  w.load(path.str());
  EXPECT_EQ(w.size(), all.size());
  am::array<double> numbers(1000);
  for (std::size_t k = 0; k < numbers.local().size(); ++k) numbers.local()[k] = double(numbers.index_of_local(k));
  numbers.save(path.str());
  am::list<double> n;
  n.load(path.str());
  EXPECT(am::all_gather_v(std::vector<double>(n.local().begin(), n.local().end())) == all_of(numbers));
}
