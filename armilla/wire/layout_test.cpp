// SPDX-License-Identifier: Apache-2.0
#include "armilla/wire/layout.hpp"

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "armilla/wire/wire_testing.hpp"

namespace armilla::detail {
namespace {

struct point {
  double x, y;
  int z;
};
struct alignas(32) wide {
  char c;
};

static_assert(packed_size<> == 0);
static_assert(packed_size<char> == 8);
static_assert(packed_size<int, int> == 8);
static_assert(packed_size<int, double> == 16, "each at its alignment");
static_assert(packed_size<char, point, char> == 40);
static_assert(packed_size<int, std::pair<char, double>> == 16, "a pair is its members, one after the other");
static_assert(packed_size<std::plus<>, int> == 8, "an empty class takes nothing");
static_assert(packed_size<wide> == 32);
static_assert(packed_size<const int&, int> == 8);
static_assert(fixed_size<int, point, std::pair<int, std::tuple<char, double>>>);
static_assert(!fixed_size<int, std::string> && !fixed_size<std::optional<int>>);
static_assert(layout<std::map<int, int>>::least == 8 && layout<std::optional<point>>::least == 1);

TEST(layout, the_size_is_what_is_written) {
  EXPECT_EQ(encoded_size(1, 2.0), 16u);
  EXPECT_EQ(encoded_size(std::string("abc")), 16u);
  EXPECT_EQ(encoded_size(std::vector<double>(20)), 8u + 160u);
  EXPECT_EQ(encoded_size('c', std::vector<std::string>{"a", "bb"}), 8u + 8u + 9u + 7u + 10u + 6u);
}

TEST(layout, a_count_is_eight_bytes_aligned_to_eight) {
  message m = message::of('c', std::string("xyz"));
  std::uint64_t count = 0;
  std::memcpy(&count, m.data() + 8, sizeof count);
  EXPECT_EQ(count, 3u);
  EXPECT_EQ(std::memcmp(m.data() + 16, "xyz", 3), 0);
}

TEST(layout, elements_that_take_nothing_take_a_byte_each) {
  EXPECT_EQ(encoded_size(std::vector<std::monostate>(100)), 8u + 104u);
}

TEST(layout, the_elements_of_a_view_lie_at_their_alignment) {
  const long double wider[2] = {1, 2};
  const view<long double> v(wider);
  EXPECT_EQ(encoded_size(v), 16u + 32u);
  EXPECT_EQ(encoded_size(view<int>(nullptr, 0)), 8u);
}

}  // namespace
}  // namespace armilla::detail
