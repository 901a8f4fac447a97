// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>
#include <string>
#include <vector>

#include <armilla/armilla.hpp>
#include <armilla/dialect/ccpp.hpp>
#include <armilla/error.hpp>

#include "tests/rank_test.hpp"

namespace am = armilla;
using namespace armilla::ccpp;

namespace {

am::rank_t next() { return (am::rank() + 1) % am::ranks(); }

class shape {
 public:
  virtual ~shape() = default;
  virtual std::string name() const { return "shape"; }
  double weight = 1;
  struct methods : am::ccpp::methods<shape> {
    rpc<&shape::name> name{this};
    field<&shape::weight> weight{this};
  };
};

class square : public shape {
 public:
  square() = default;
  explicit square(double side) : side_(side) {
    if (side < 0) throw std::invalid_argument("a negative side");
  }
  std::string name() const override { return "square"; }
  double area() const noexcept { return side_ * side_; }
  double scale(double by) {
    if (by == 0) throw std::invalid_argument("nothing would be left");
    return side_ *= by;
  }
  void follow(object_ptr<square> other) { other_ = other; }
  double area_of_followed() const { return other_->area(); }
  struct methods : am::ccpp::methods<square> {
    rpc<&square::name> name{this};
    rpc<&square::area> area{this};
    rpc<&square::scale> scale{this};
    rpc<&square::follow> follow{this};
    rpc<&square::area_of_followed> area_of_followed{this};
    field<&shape::weight> weight{this};
  };

 private:
  double side_ = 1;
  object_ptr<square> other_;
};

// The same class as another program would know it: by name only.
namespace square_api {
struct square {
  struct methods;
};
inline constexpr am::method<am::remote<square>(double)> make{"ccpp_test.square.make"};
inline constexpr am::method<double()> area{"ccpp_test.square.area"};
struct square::methods : am::ccpp::methods<square> {
  named_rpc<square_api::area> area{this};
};
}  // namespace square_api

static_assert(std::is_same_v<global<double*>, am::global_ptr<double>>);
static_assert(std::is_same_v<global<square*>, object_ptr<square>>);
static_assert(std::is_same_v<global<sync_var<int>*>, sync_ptr<int>>);
static_assert(std::is_convertible_v<global<square*>, global<shape*>>);
static_assert(!std::is_convertible_v<global<shape*>, global<square*>>);
static_assert(sizeof(global<square*>) == 8);

}  // namespace

RANK_TEST(methods_take_arguments_as_cpp_converts_them_and_give_results) {
  global<square*> s = new_object<square>(next(), 2);
  EXPECT_EQ(s->area(), 4.0);
  EXPECT_EQ(s->scale(2), 4.0);  // an int for a double
  EXPECT_EQ(s->area(), 16.0);
  am::fence();
}

RANK_TEST(data_members_are_read_and_written) {
  global<square*> s = new_object<square>(next());
  s->weight = 2.5;
  const double weight = s->weight;
  EXPECT_EQ(weight, 2.5);
  am::fence();
}

RANK_TEST(pointers_to_bases_call_virtual_methods) {
  const global<shape*> s = new_object<square>(next(), 1.0);
  EXPECT_EQ(s->name(), "square");
  am::fence();
}

RANK_TEST(pointers_travel_and_stay_good) {
  const global<square*> far = new_object<square>(next(), 3.0);
  const global<square*> here = new_object<square>(am::rank());
  here->follow(far);
  EXPECT_EQ(here->area_of_followed(), 9.0);  // a method that waits for another
  const auto asked = am::call(next(), [](global<square*> s) { return s->scale(2); }, far).get();
  EXPECT_EQ(asked, 6.0);
  am::fence();
}

RANK_TEST(exceptions_come_back) {
  global<square*> s = new_object<square>(next(), 2.0);
  EXPECT_THROWS_SAYING(am::remote_error, "nothing would be left", s->scale(0));
  EXPECT_THROWS_SAYING(am::remote_error, "a negative side", new_object<square>(next(), -1.0));
  EXPECT_EQ(s->area(), 4.0);
  delete_object(s);
  EXPECT_THROWS(am::error, s->area());
  am::fence();
}

RANK_TEST(a_null_pointer_says_so) {
  const global<square*> none = nullptr;
  EXPECT_THROWS_SAYING(am::usage_error, "null", none->area());
}

RANK_TEST(sync_variables_wait_at_their_owners) {
  sync_var<int> mine;
  const std::vector<sync_ptr<int>> all = am::all_gather(global<sync_var<int>*>(am::to_global(&mine)));
  const sync_ptr<int> theirs = all[std::size_t(next())];
  int seen = 0;
  par([&] { seen = *theirs; }, [&] { *theirs = 10 * next(); });  // read before it is written
  EXPECT_EQ(seen, 10 * next());
  EXPECT_THROWS(am::error, *theirs = 1);
  am::fence();
  EXPECT_EQ(mine, 10 * am::rank());
}

RANK_TEST(sync_variables_take_what_converts_to_their_value) {
  sync_var<int> number;
  sync_var<std::string> text, letters;
  const global<sync_var<int>*> to_number = am::to_global(&number);
  const global<sync_var<std::string>*> to_text = am::to_global(&text), to_letters = am::to_global(&letters);
  const int k = 3;
  const std::string s = "a string";
  *to_number = k;
  *to_text = s;
  *to_letters = "letters";
  EXPECT_EQ(number, 3);
  EXPECT_EQ(std::string(text), "a string");
  EXPECT_EQ(std::string(letters), "letters");
}

RANK_TEST(blocks_loops_and_threads_of_control) {
  std::vector<global<square*>> all;
  for (am::rank_t r = 0; r < am::ranks(); ++r) all.push_back(new_object<square>(r, 2.0));
  double sum = 0;
  parfor(0, int(all.size()), [&](int i) { sum += all[std::size_t(i)]->area(); });
  EXPECT_EQ(sum, 4.0 * am::ranks());
  sync_var<double> done;
  spawn([&] { done = all.back()->scale(3); });
  EXPECT_EQ(done, 6.0);
  am::fence();
}

RANK_TEST(classes_of_other_programs_are_reached_by_name) {
  am::provide_class<square_api::make, square>();
  am::provide<square_api::area, &square::area>();
  am::barrier();
  const global<square_api::square*> s = new_object<square_api::make>(next(), 5.0);
  EXPECT_EQ(s->area(), 25.0);
  am::fence();
}
