// SPDX-License-Identifier: Apache-2.0
#include "armilla/wire/member_names.hpp"

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace somewhere {
template <class T>
struct pair_of {
  T first_one;
  T second_;
};
}  // namespace somewhere

namespace armilla {
namespace {

using detail::member_names;
using namespace std::literals;

struct empty {};
struct row {
  std::string name;
  double x1 = 0;
  std::optional<std::map<int, std::string>> Maybe;
  int list[3];
  std::vector<row> rows;
  const char* p = nullptr;
  somewhere::pair_of<int> nested;
};
class no_default {
 public:
  explicit no_default(int) {}
};
struct holder {
  int a;
  no_default value;
};

TEST(member_names, are_those_of_the_declaration) {
  EXPECT_EQ(member_names<row>, (std::array{"name"sv, "x1"sv, "Maybe"sv, "list"sv, "rows"sv, "p"sv, "nested"sv}));
  EXPECT_EQ(member_names<somewhere::pair_of<std::string>>, (std::array{"first_one"sv, "second_"sv}));
  EXPECT_EQ(member_names<holder>, (std::array{"a"sv, "value"sv}));
  EXPECT_EQ(member_names<empty>.size(), 0U);
}

TEST(member_names, of_a_type_inside_a_function) {
  struct local {
    int q;
    somewhere::pair_of<std::string> both;
  };
  EXPECT_EQ(member_names<local>, (std::array{"q"sv, "both"sv}));
}

}  // namespace
}  // namespace armilla
