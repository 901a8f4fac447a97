// SPDX-License-Identifier: Apache-2.0
// Each rank is an attached client of its own job.
#include "armilla/expose_container.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <optional>

#include "armilla/array.hpp"
#include "armilla/base/core/context.hpp"
#include "armilla/base/core/options.hpp"
#include "armilla/boot/visitors/exposed_record.hpp"
#include "armilla/exposed.hpp"
#include "armilla/exposed_map.hpp"
#include "armilla/spread_array.hpp"
#include "armilla/vector.hpp"
#include "tests/large_pages.hpp"
#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

am::client my_job() { return am::attach(std::to_string(getpid())); }

struct particle {
  float x, y;
  int kind;
};

// Element i of an array holds i: all of them are seen, each once, where its index says.
void expect_numbers(const am::client& job, std::string_view name, std::size_t n) {
  std::vector<int> seen(n);
  for (const am::exposed_part& part : am::exposed(job, name)) {
    EXPECT_EQ(part.shape[0], n);
    const auto all = part.span<const long>();
    for (std::size_t k = 0; k < all.size(); ++k) {
      EXPECT_EQ(all[k], long(part.index_of(k)));
      ++seen[part.index_of(k)];
    }
  }
  EXPECT(std::all_of(seen.begin(), seen.end(), [](int times) { return times == 1; }));
}

}  // namespace

// The first: pages of which something was touched before would stay small.
RANK_TEST(large_arrays_lie_in_large_pages_and_clients_map_these) {
  constexpr std::size_t mib = 1 << 20;
  const bool wanted = armilla::detail::current->settings->large_pages;
  if (wanted ? !large_pages_test::kernel_has_them() : !large_pages_test::kernel_waits_to_be_asked()) {
    if (am::rank() == 0) std::puts("skipped: this kernel does not leave it to programs which pages shared memory has");
    return;
  }
  const am::array<char> x(std::size_t(am::ranks()) * 16 * mib);  // seven whole large pages, wherever it begins
  const am::spread_array<char> y(std::size_t(am::ranks()) * 16 * mib);
  const am::exposure shown = am::expose("x", x);
  am::barrier();
  const std::size_t mine = large_pages_test::bytes_around(x.local().data());
  EXPECT_EQ(large_pages_test::bytes_around(y.local().data()), mine);  // segments are one mapping
  for (const am::exposed_part& part : am::exposed(my_job(), "x")) {
    EXPECT_EQ(std::ranges::count(part.span<const char>(), 0), std::ptrdiff_t(16 * mib));
    const std::size_t seen = large_pages_test::bytes_around(part.data);
    EXPECT(wanted ? mine >= 28 * mib && seen >= 14 * mib : mine == 0 && seen == 0);
  }
  am::barrier();
}

RANK_TEST(arrays_are_seen_however_they_are_dealt) {
  const am::client job = my_job();
  for (const std::size_t n : {0u, 1u, 5u, 1000u, 100'003u})
    for (const am::distribution& d : {am::blocks(), am::cyclic(), am::cyclic(7)}) {
      am::array<long> x(n, d);
      for (std::size_t k = 0; k < x.local().size(); ++k) x.local()[k] = long(x.index_of_local(k));
      const am::exposure shown = am::expose("numbers", x);
      am::barrier();
      expect_numbers(job, "numbers", n);
      am::barrier();
    }
}

RANK_TEST(what_a_client_writes_is_in_the_array) {
  am::array<double> x(100, 1.0);
  const am::exposure shown = am::expose("x", x);
  am::barrier();
  if (am::rank() == 0)
    for (am::exposed_part& part : am::exposed(my_job(), "x"))
      for (double& e : part.span<double>()) e = part.rank + 2;
  am::barrier();
  for (const double e : x.local()) EXPECT_EQ(e, am::rank() + 2.0);
  am::barrier();
}

RANK_TEST(a_client_leaves_out_parts_whose_records_are_damaged) {
  const am::array<int> x(std::size_t(am::ranks()) * 4);
  am::exposure shown = am::expose("x", x);
  auto& stride = am::detail::exposure_access::record(shown).stride[0];
  for (const std::int64_t damaged : {std::int64_t(0), std::int64_t(-1), std::int64_t(1) << 62}) {
    if (am::rank() == 0) stride = damaged;
    am::barrier();
    for (const am::exposed_part& part : am::exposed(my_job())) EXPECT_NE(part.rank, 0);
    am::barrier();
  }
  stride = 1;
  am::barrier();
  EXPECT_EQ(am::exposed(my_job(), "x").size(), std::size_t(am::ranks()));
  am::barrier();
}

RANK_TEST(a_matrix_is_seen_without_its_halo) {
  am::matrix<int, 2> m({30, 17}, {}, am::halo(1));
  auto mine = m.local();
  for (std::ptrdiff_t i = 0; i < std::ptrdiff_t(mine.extent(0)); ++i)
    for (std::ptrdiff_t j = 0; j < std::ptrdiff_t(mine.extent(1)); ++j)
      mine(i, j) = int((mine.origin(0) + std::size_t(i)) * 100 + mine.origin(1) + std::size_t(j));
  const am::exposure shown = am::expose("m", m);
  am::barrier();
  std::size_t cells = 0;
  for (const am::exposed_part& part : am::exposed(my_job(), "m")) {
    EXPECT(part.shape == (std::vector<std::size_t>{30, 17}));
    for (std::size_t i = 0; i < part.extent[0]; ++i)
      for (std::size_t j = 0; j < part.extent[1]; ++j, ++cells)
        EXPECT_EQ(
            reinterpret_cast<const int*>(part.data)[std::ptrdiff_t(i) * part.stride[0] + std::ptrdiff_t(j) * part.stride[1]],
            int((part.origin[0] + i) * 100 + part.origin[1] + j));
  }
  EXPECT_EQ(cells, 30u * 17u);
  am::barrier();
}

RANK_TEST(a_name_is_seen_while_its_exposure_lives) {
  const am::client job = my_job();
  const auto block = am::allocate<particle>(10);
  std::optional<am::exposure> shown = am::expose("particles", std::span<particle>(block.local(), 10));
  EXPECT_THROWS_SAYING(am::usage_error, "exposes 'particles' already",
                       (void)am::expose("particles", std::span<particle>(block.local(), 5)));
  am::exposure more = am::expose("more", std::span<particle>(block.local() + 2, 3));
  am::barrier();
  EXPECT_EQ(am::exposed(job).size(), 2 * std::size_t(am::ranks()));
  const auto parts = am::exposed(job, "particles");
  EXPECT_EQ(parts.size(), std::size_t(am::ranks()));
  EXPECT_EQ(parts[0].type, "{float32, float32, int32}");
  EXPECT_THROWS_SAYING(am::usage_error, "the elements of 'particles' are {float32, float32, int32}, not float64",
                       (void)parts[0].span<double>());
  am::barrier();
  shown.reset();
  am::barrier();
  EXPECT_THROWS_SAYING(am::usage_error, "nothing is exposed as 'particles'; it exposes more",
                       (void)am::exposed(job, "particles"));
  EXPECT_EQ(am::exposed(job, "more").size(), std::size_t(am::ranks()));
  am::barrier();
  more = {};
  am::barrier();
  EXPECT_EQ(am::exposed(job).size(), 0u);
  am::barrier();
  am::deallocate(block);
}

RANK_TEST(what_cannot_be_seen_is_refused) {
  int local = 0;
  EXPECT_THROWS_SAYING(am::usage_error, "'local' (4 bytes at", (void)am::expose("local", std::span<int>(&local, 1)));
  EXPECT_THROWS_SAYING(am::usage_error, "1 to 127 letters", (void)am::expose("", std::span<int>()));
  EXPECT_THROWS_SAYING(am::usage_error, "1 to 127 letters", (void)am::expose(std::string(128, 'x'), std::span<int>()));
}

RANK_TEST(lists_that_change_are_read_meanwhile) {
  const am::client job = my_job();
  am::array<long> x(1000);
  std::iota(x.local().begin(), x.local().end(), x.local().empty() ? 0 : long(x.index_of_local(0)));
  const am::exposure always = am::expose("always", x);
  am::barrier();
  for (int i = 0; i < 100; ++i) {
    const am::exposure now = am::expose("now and then", x);
    for (const am::exposed_part& part : am::exposed(job)) EXPECT(part.name == "always" || part.name == "now and then");
  }
  am::barrier();
  expect_numbers(job, "always", 1000);
  am::barrier();
}

RANK_TEST(a_container_is_exposed_under_its_own_name) {
  am::vector<long> x(10, am::named("its own"));
  am::unordered_map<int, int> m(am::named("a map"));
  am::matrix<long> unnamed({2, 2});
  const am::exposure shown = am::expose(x), also = am::expose(m);
  for (std::size_t k = 0; k < x.local().size(); ++k) x.local()[k] = long(x.index_of_local(k));
  am::barrier();
  const am::client job = my_job();
  expect_numbers(job, "its own", 10);
  const am::exposed_map<int, int> seen(job, "a map");  // throws if there is none
  EXPECT_THROWS_SAYING(am::usage_error, "it has no name; construct it with am::named", am::expose(unnamed));
  am::barrier();
}
