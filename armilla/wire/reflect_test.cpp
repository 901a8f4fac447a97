// SPDX-License-Identifier: Apache-2.0
#include "armilla/wire/reflect.hpp"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace armilla::detail {
namespace {

struct none {};
struct one {
  int a;
};
struct nested {
  one a;
  one b[2];
  int c;
};
struct arrays {
  int a[3];
  char b[300];
  double c[2][2];
  int d;
};
struct strict {
  explicit strict(int) {}
};
struct made_by_copy {
  int a;
  strict b;
  int c;
};
struct with_default {
  int a[2];
  strict b = strict(3);
  int c;
};
struct owning {
  std::string a;
  std::unique_ptr<int> b;
  std::vector<one> c;
};
struct twenty_four {
  int a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x;
};
struct twenty_five {
  twenty_four a;
  int b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y;
};
struct derived : one {
  int b;
};

static_assert(member_count<none> == 0);
static_assert(member_count<one> == 1);
static_assert(member_count<nested> == 3);
static_assert(member_count<arrays> == 4, "an array is one member however many elements it has");
static_assert(member_count<made_by_copy> == 3, "members that {} cannot make");
static_assert(member_count<with_default> == 3);
static_assert(member_count<owning> == 3, "members that cannot be copied");
static_assert(member_count<twenty_four> == 24 && reflectable<twenty_four>);
static_assert(member_count<twenty_five> == 25 && !reflectable<twenty_five>);
static_assert(!reflectable<derived> && !reflectable<std::string> && !reflectable<int>);
static_assert(std::is_same_v<member_types<nested>, type_list<one, one[2], int>>);

TEST(reflect, visits_every_member_in_order) {
  twenty_four x{};
  visit_members(x, [n = 0](auto&... member) mutable { ((member = ++n), ...); });
  EXPECT_EQ(x.a, 1);
  EXPECT_EQ(x.m, 13);
  EXPECT_EQ(x.x, 24);
}

TEST(reflect, members_of_a_constant_are_constant) {
  const one x{7};
  EXPECT_EQ(visit_members(x, [](const int& a) { return a; }), 7);
}

}  // namespace
}  // namespace armilla::detail
