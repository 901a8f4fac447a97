// SPDX-License-Identifier: Apache-2.0
#include "armilla/team/core/known_types.hpp"

#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "armilla/team/core/intention.hpp"

using namespace armilla::detail;

namespace {

struct celsius {
  double degrees;
};
struct fahrenheit {
  double degrees;
};
class closed {
 public:
  int get() const { return n_; }

 private:
  int n_ = 0;
};

template <class... T>
void expect_different_signs() {
  std::set<std::uint32_t> signs;
  for (const type_mark mark : {mark_of<T>()...})
    for (const type_form form : {type_form::value, type_form::array, type_form::list}) {
      const std::uint32_t both = mark.in(form).signs;
      EXPECT_EQ(both >> 16, both & 0xffff);
      EXPECT_TRUE(signs.insert(both % 2048).second);
    }
}

}  // namespace

TEST(known_types, numbers_of_other_kinds_never_look_alike) {
  expect_different_signs<bool, char, signed char, unsigned char, short, unsigned short, int, unsigned, long, unsigned long, float,
                         double, long double>();
}

TEST(known_types, classes_of_one_structure_differ_by_their_names) {
  EXPECT_EQ(mark_of<celsius>().signs & 0xffff, mark_of<fahrenheit>().signs & 0xffff);
  EXPECT_NE(mark_of<celsius>().signs >> 16, mark_of<fahrenheit>().signs >> 16);
  EXPECT_EQ(sign_of_type<celsius>.by_structure, sign_of_type<fahrenheit>.by_structure);
  EXPECT_NE(sign_of_type<celsius>.by_structure, sign_of_type<double>.by_structure);
  EXPECT_NE(sign_of_type<celsius>.by_name, sign_of_type<fahrenheit>.by_name);
}

TEST(known_types, a_type_that_is_used_is_known_by_its_number) {
  EXPECT_EQ(type_known_as(mark_of<celsius>().id()), "celsius");
  EXPECT_EQ(type_known_as(mark_of<double>().in(type_form::array).id()), "double array");
  EXPECT_EQ(type_known_as(mark_of<closed>().id()), "closed");
  EXPECT_EQ(type_known_as(mark_of<std::string>().id()), "std::string");
  EXPECT_EQ(readable_type("std::vector<std::__cxx11::basic_string<char> >").substr(0, 23), "std::vector<std::string");
}

TEST(known_types, a_word_keeps_what_errors_say) {
  const intention one{collective::reduce, 3, 4096, mark_of<celsius>()}, back = intention::from(one.word());
  EXPECT_EQ(back.kind, one.kind);
  EXPECT_EQ(back.root, 3);
  EXPECT_EQ(back.bytes, 4096U);
  EXPECT_EQ(back.type.id(), one.type.id());
  EXPECT_EQ(intention::from(intention{collective::reduce, 65535, std::uint64_t{1} << 40, {}}.word()).bytes,
            intention::most_bytes);
}
