// SPDX-License-Identifier: Apache-2.0
// The most memory that a rank has while a container is made, grows or is sorted, as a multiple of what its elements take. Over a
// network, where a rank has its own elements in its memory and no others.
#include <cstdint>
#include <fstream>
#include <functional>
#include <ranges>
#include <stdexcept>
#include <string>

#include "armilla/algorithm/ranges_test.hpp"

namespace am = armilla;

namespace {

constexpr std::size_t mib = 1 << 20;
constexpr std::size_t bytes = 32 * mib;  // of elements on each rank

std::size_t status(const std::string& name) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(name)) return std::stoul(line.substr(name.size())) * 1024;
  throw std::runtime_error("/proc/self/status does not tell " + name);
}

/// What this rank has at most while `work` runs, beyond what it had before, by `bytes`; the largest of all ranks.
template <class F>
double peak_of(F work) {
  am::fence();
  if (!(std::ofstream("/proc/self/clear_refs") << 5 << std::flush))
    throw std::runtime_error("/proc/self/clear_refs cannot be written");
  const std::size_t before = status("VmRSS:");
  work();
  am::fence();
  const std::size_t most = status("VmHWM:");
  const double mine = double(most - std::min(most, before)) / double(bytes);
  return am::all_reduce(mine, [](double a, double b) { return std::max(a, b); });
}

std::uint64_t mixed(std::uint64_t i) {
  i = (i + 1) * 0x9e3779b97f4a7c15ULL;
  return (i ^ (i >> 29)) * 0xbf58476d1ce4e5b9ULL;
}

template <class T>
std::size_t elements() {
  return bytes / sizeof(T);
}

void expect_at_most(double most, double peak, const char* what) {
  if (am::rank() == 0) std::fprintf(stderr, "%s: %.2f times the elements\n", what, peak);
  EXPECT(peak <= most);
}

}  // namespace

RANK_TEST(of_an_array_no_more_than_its_elements) {
  expect_at_most(1.2, peak_of([] { am::array<double>(elements<double>() * std::size_t(am::ranks()), 1.0); }), "array");
}

RANK_TEST(of_vector_that_grows) {
  // The block before lies beside the one that grows, and is kept for what comes.
  expect_at_most(2.6, peak_of([] {
                   am::vector<std::uint64_t> x(0);
                   for (std::size_t i = 0; i < elements<std::uint64_t>(); ++i) {
                     x.push_back(i);
                     if (i % 100'000 == 0) am::fence();
                   }
                   am::fence();
                   EXPECT_EQ(x.local().size(), elements<std::uint64_t>());
                 }),
                 "vector by push_back");
}

RANK_TEST(of_sort_whatever_the_keys) {
  for (const bool skewed : {false, true})
    expect_at_most(2.2, peak_of([skewed] {
                     am::vector<std::uint64_t> x(elements<std::uint64_t>() * std::size_t(am::ranks()));
                     am::for_each_index(
                         x, [skewed](std::size_t i, std::uint64_t& e) { e = skewed && mixed(i) % 2 == 0 ? 17 : mixed(i); });
                     am::sort(x);
                     EXPECT(am::is_sorted(x));
                   }),
                   skewed ? "sort, half of the keys alike" : "sort");
}

RANK_TEST(of_hash_map_that_grows) {
  constexpr std::size_t pair = 16;
  // Seven of eight slots were in use when the table was doubled, and both are there while keys go over.
  expect_at_most(3.5, peak_of([] {
                   am::unordered_map<std::uint64_t, std::uint64_t> x;
                   const std::size_t n = bytes / pair;
                   for (std::size_t i = 0; i < n; ++i) x.update(mixed(std::size_t(am::rank()) * n + i), 1, std::plus<>{});
                   am::fence();
                   EXPECT_EQ(x.size(), n * std::size_t(am::ranks()));
                 }),
                 "unordered_map by update");
}

RANK_TEST(of_map_that_grows) {
  constexpr std::size_t pair = 16;
  expect_at_most(2.2, peak_of([] {
                   am::map<std::uint64_t, std::uint64_t> x;
                   const std::size_t n = bytes / pair;
                   const auto key = [](std::size_t i) { return mixed(std::size_t(am::rank()) * n + i); };
                   x.rebalance_like(std::views::iota(0, 1000) | std::views::transform(key));
                   for (std::size_t i = 0; i < n; ++i) x.insert_or_assign(key(i), 1);
                   am::fence();
                   EXPECT_EQ(x.size(), n * std::size_t(am::ranks()));
                 }),
                 "map by insert_or_assign");
}
