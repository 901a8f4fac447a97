// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <vector>

#include <armilla/armilla.hpp>
#include <armilla/error.hpp>

#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

struct shape {
  virtual ~shape() = default;
  virtual double area() const = 0;
};
struct named {
  std::string name;
};
struct square : named, shape {  // the base is not the first
  square() = default;
  explicit square(double s) : side(s) { name = "square"; }
  double area() const override { return side * side; }
  void define_type(auto& t) {
    t.local(name);
    t.local(side);
  }
  double side = 0;
};
struct polygon : shape {
  double area() const override { return double(corners.size()); }
  void define_type(auto& t) { t.local(corners); }
  std::vector<int> corners;
};
struct secret : shape {
  double area() const override { return 0; }
  void define_type(auto&) {}
};

am::rank_t next() { return (am::rank() + 1) % am::ranks(); }
double area_of(const am::polymorphic<shape>& s) { return s->area(); }

}  // namespace

RANK_TEST(a_derived_value_travels_as_its_base) {
  am::register_type<shape, square>("test.square");
  am::register_type<shape, polygon>("test.polygon");
  am::barrier();
  polygon p;
  p.corners = {1, 2, 3};
  EXPECT_EQ(am::call<&area_of>(next(), am::polymorphic<shape>(square(3))).get(), 9.0);
  EXPECT_EQ(am::call<&area_of>(next(), am::polymorphic<shape>(p)).get(), 3.0);
  std::vector<am::polymorphic<shape>> both{square(2), p};
  const auto back = am::call(next(), [](std::vector<am::polymorphic<shape>> v) { return std::vector{v[1], v[0]}; }, both).get();
  EXPECT_EQ(back[1]->area(), 4.0);
  EXPECT_EQ(dynamic_cast<square&>(*back[1]).name, std::string("square"));
  EXPECT_EQ(am::world().broadcast(both[0], 0)->area(), 4.0);
  EXPECT_EQ(am::call(next(), [](am::polymorphic<shape> s) { return bool(s); }, am::polymorphic<shape>()).get(), false);
}

RANK_TEST(an_unknown_name_is_an_error_at_the_caller) {
  EXPECT_THROWS_SAYING(am::usage_error, "register_type", (void)am::call<&area_of>(next(), am::polymorphic<shape>(secret())));
  am::barrier();
  if (am::rank() == 0) am::register_type<shape, secret>("test.secret");
  am::barrier();
  if (am::rank() == 0 && am::ranks() > 1) {
    auto f = am::call(1, [](const am::polymorphic<shape>&, int) { return 1; }, am::polymorphic<shape>(secret()), 7);
    EXPECT_THROWS_SAYING(am::remote_error, "there are 'test.square', 'test.polygon'", f.get());
    EXPECT_EQ(am::call<&area_of>(1, am::polymorphic<shape>(square(3))).get(), 9.0);  // it goes on
  }
  am::fence();
}

RANK_TEST(names_are_given_once) {
  am::register_type<shape, square>("test.square");
  EXPECT_THROWS_SAYING(am::usage_error, "each class has one name", am::register_type<shape, square>("test.rectangle"));
  EXPECT_THROWS_SAYING(am::usage_error, "each class has one name", am::register_type<shape, secret>("test.square"));
  EXPECT_THROWS_SAYING(am::usage_error, "without a value", am::polymorphic<shape>()->area());
}
