// SPDX-License-Identifier: Apache-2.0
// Containers whose memory the host cannot give. ARMILLA_SEGMENT leaves room for more than any host has.
#include <fstream>
#include <limits>
#include <string>

#include "armilla/algorithm/algorithm.hpp"
#include "armilla/container/container.hpp"
#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

/// More bytes than this host has, swap and all.
std::size_t too_many() {
  std::ifstream file("/proc/meminfo");
  std::size_t all = std::size_t{1} << 20, n = 0;  // KiB
  for (std::string name, unit; file >> name >> n; std::getline(file, unit))
    if (name == "MemTotal:" || name == "SwapTotal:") all += n;
  return all << 10;
}

struct page_of_values {
  char of[4096];
};
constexpr std::size_t mib = 1 << 20, pages_of_80_mib = 80 * mib / sizeof(page_of_values);

}  // namespace

RANK_TEST(arrays_for_which_the_host_has_not_the_memory_are_refused) {
  const std::size_t n = too_many();
  EXPECT_THROWS_SAYING(am::limit_error, "MiB of memory that are left there", am::array<char>(n));
  EXPECT_THROWS_SAYING(am::limit_error, "MiB of memory that are left there", am::vector<double>(n / 8, 1.0, am::cyclic(64)));
  EXPECT_THROWS_SAYING(am::limit_error, "MiB of memory that are left there", am::array<std::string>(n / sizeof(std::string)));
  std::vector<std::size_t> all_on_the_last(std::size_t(am::ranks()), 0);
  all_on_the_last.back() = n;
  EXPECT_THROWS_SAYING(am::limit_error, "MiB of memory that are left there", am::array<char>(n, am::blocks(all_on_the_last)));
  am::vector<int> x(1000, 7);
  EXPECT_THROWS_SAYING(am::limit_error, "MiB of memory that are left there", x.resize(n / sizeof(int)));
  EXPECT_EQ(am::count(x, 7), 1000U);
}

RANK_TEST(other_containers_for_which_the_host_has_not_the_memory_are_refused) {
  const std::size_t n = too_many();
  EXPECT_THROWS_SAYING(am::limit_error, "MiB of memory that are left there", am::matrix<char>({n >> 10, 1 << 10}));
  EXPECT_THROWS_SAYING(am::limit_error, "MiB of memory that are left there", am::spread_array<char>(n));
  EXPECT_THROWS_SAYING(am::limit_error, "MiB of memory that are left there", am::bitmap(8 * n));
  EXPECT_THROWS_SAYING(am::limit_error, "MiB of memory that are left there", am::disjoint_set(n / 8));
  EXPECT_THROWS_SAYING(am::limit_error, "MiB of memory that are left there",
                       am::sparse_matrix<double>(n / 8, n / 8, std::vector<am::matrix_entry<double>>()));
  const std::vector<am::edge> none;
  EXPECT_THROWS_SAYING(am::limit_error, "MiB of memory that are left there", am::graph<page_of_values>(n / 4096, none));
  constexpr std::size_t most_vertices = std::numeric_limits<am::vertex_id>::max() - 1;
  if (n < 12 * most_vertices)
    EXPECT_THROWS_SAYING(am::limit_error, "MiB of memory that are left there", am::graph<>(most_vertices, none));
}

RANK_TEST(what_does_not_fit_leaves_room_for_what_fits) {
  const std::size_t n = too_many(), large = std::size_t(am::ranks()) * pages_of_80_mib;
  EXPECT_THROWS(am::limit_error, am::array<char>(n));
  EXPECT_THROWS(am::limit_error, am::spread_array<char>(n));
  const am::array<page_of_values> x(large);
  const am::matrix<page_of_values> y({large, 1}, am::grid({am::ranks(), 1}));
  const am::spread_array<page_of_values> z(large);
  const auto is_zero = [](const page_of_values& p) { return p.of[0] == 0 && p.of[4095] == 0; };
  EXPECT(am::all_of(x, is_zero) && std::ranges::all_of(z.local(), is_zero));
  EXPECT(is_zero(y(0, 0).get()) && is_zero(y(large - 1, 0).get()));
}

RANK_TEST(a_large_vector_grows) {
  const std::size_t large = std::size_t(am::ranks()) * pages_of_80_mib;
  am::vector<page_of_values> x(large, page_of_values{"a"});
  if (am::rank() == 0) x.append(std::vector<page_of_values>(10, page_of_values{"b"}));
  am::fence();
  const auto begins_with = [](char c) { return [c](const page_of_values& p) { return p.of[0] == c; }; };
  EXPECT_EQ(am::count_if(x, begins_with('a')), large);
  EXPECT_EQ(am::count_if(x, begins_with('b')), 10U);
}

RANK_TEST(members_that_make_large_and_small_containers_are_told) {
  if (am::ranks() == 1) return;
  const std::size_t n = am::rank() == 0 ? std::size_t(am::ranks()) * pages_of_80_mib : 10;
  EXPECT_THROWS_SAYING(am::usage_error, "members make different containers here", am::array<page_of_values>(n));
  EXPECT_THROWS_SAYING(am::usage_error, "members make different containers here", am::array<std::string>(100 * n));
}
