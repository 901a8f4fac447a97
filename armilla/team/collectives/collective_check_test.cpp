// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <string>

#include "armilla/base/core/check.hpp"
#include "armilla/collectives.hpp"
#include "armilla/error.hpp"
#include "tests/rank_test.hpp"

namespace am = armilla;

// A collective that ranks enter in different order: an error on all of them in a checked build, and then they go on.

namespace {

template <class Here, class There>
void differ(Here here, There there, const char* one, const char* other) {
  if (!am::detail::checked || am::ranks() == 1) return;
  for (const char* part : {one, other})
    rank_test::expect_throws<am::usage_error>([&] { am::rank() == 0 ? here() : there(); }, part, "two different collectives",
                                              __FILE__, __LINE__);
  am::barrier();
}

}  // namespace

RANK_TEST(barrier_against_reduce) {
  differ([] { am::barrier(); }, [] { am::all_reduce(1, std::plus<>{}); }, "barrier", "team::all_reduce");
}

RANK_TEST(fence_against_barrier) {
  differ([] { am::fence(); }, [] { am::barrier(); }, "fence", "rank 0");
}

RANK_TEST(two_roots) {
  differ([] { am::world().broadcast(1, 0); }, [] { am::world().broadcast(1, 1); }, "with root 1", "ranks entered different");
}

RANK_TEST(a_free_function_is_named_and_root_0_too) {
  differ([] { am::broadcast(1, 1); }, [] { am::broadcast(1, 0); }, "team::broadcast with root 1", "team::broadcast with root 0");
  differ([] { am::world().reduce(1, std::plus<>{}); }, [] { am::world().gather(1); }, "team::reduce with root 0",
         "team::gather with root 0");
}

RANK_TEST(forms_for_arrays_have_their_names) {
  std::vector<int> one(4), all(4 * std::size_t(am::ranks()));
  std::vector<std::size_t> counts(std::size_t(am::ranks()), 0);
  const auto sum = [&] { am::all_reduce(std::span(one), std::plus<>{}); };
  const auto gather = [&] { am::all_gather(std::span<const int>(one), std::span(all)); };
  const auto gather_v = [&] { am::all_gather_v(std::span<const int>(one), std::span(counts)); };
  differ(sum, gather, "team::all_reduce of 16 bytes", "team::all_gather of 16 bytes");
  differ(gather_v, sum, "team::all_gather_v", "team::all_reduce");
}

RANK_TEST(an_array_that_does_not_fit_is_told_by_the_name_of_its_form) {
  std::vector<int> one(4), all(3);
  EXPECT_THROWS_SAYING(am::usage_error, "team::all_gather:", am::all_gather(std::span<const int>(one), std::span(all)));
}

RANK_TEST(two_types) {
  differ([] { am::world().all_gather(1); }, [] { am::world().all_gather(1.0); }, "of 4 bytes", "of 8 bytes");
}

RANK_TEST(two_lengths) {
  const auto exchange = [](std::size_t k) {
    std::vector<int> in(std::size_t(am::ranks()) * k), out(in.size());
    am::all_to_all(std::span<const int>(in), std::span(out));
  };
  differ([&] { exchange(1); }, [&] { exchange(50); }, "all_to_all", "bytes");
}

// Where members are on different hosts, their memory is on the way when the error comes.
RANK_TEST(long_arrays) {
  std::vector<int> mine(100'000), all(mine.size() * std::size_t(am::ranks()));
  const auto broadcast = [&] { am::broadcast(std::span(mine)); };
  const auto gather = [&] { am::all_gather(std::span<const int>(mine), std::span(all)); };
  const auto sum = [&] { am::all_reduce(std::span(mine), std::plus<>{}); };
  differ(broadcast, sum, "team::broadcast with root 0 of 400000 bytes", "team::all_reduce of 400000 bytes");
  differ(gather, broadcast, "team::all_gather", "team::broadcast");
  for (int i = 0; i < 3; ++i) {
    mine.assign(mine.size(), am::rank());
    broadcast();
    EXPECT_EQ(mine.back(), 0);
  }
}

RANK_TEST(split_against_value_of_any_length) {
  differ([] { am::world().split(0); }, [] { am::world().all_gather(std::string("x")); }, "team::split", "team::all_gather");
}
