// SPDX-License-Identifier: Apache-2.0
// CC++: objects behind global pointers, pointers to pointers, sync variables of any type.
#include <memory>
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

// The next rank's pointer to its own `mine`.
template <class P, class T>
P of_next(T& mine) {
  return am::all_gather(P(am::to_global(&mine)))[std::size_t(next())];
}

class polygon {  // no aggregate: says itself how it travels
 public:
  polygon() = default;
  explicit polygon(int corners) : corners_(std::size_t(corners), 1.5) {}
  double round() const { return 1.5 * double(corners_.size()); }
  void cut(int corners, const std::string& how) {
    if (how.empty()) throw std::invalid_argument("cut in no way");
    corners_.resize(corners_.size() + std::size_t(corners));
    name = how;
  }
  void define_type(auto& t) {
    t.local(corners_);
    t.local(name);
  }
  std::string name = "polygon";

 private:
  std::vector<double> corners_;
};

class frozen {  // has no way to be read
 public:
  void define_type(auto& t) { t.local(value_); }
  frozen() = default;
  frozen(const frozen& other) : value_(other.value_) {
    if (value_ == 13) throw std::runtime_error("not copied");
  }
  frozen(frozen&&) = default;
  frozen& operator=(const frozen&) = default;
  frozen& operator=(frozen&&) = default;
  int value_ = 0;
};

struct point {
  double x, y;
};

struct page {
  std::string text;
  int number = 0;
  struct methods : am::ccpp::methods<page> {
    field<&page::number> number{this};
  };
};

class cell {
 public:
  cell() = default;
  explicit cell(int v) : value(v) {}
  int twice() const { return 2 * value; }
  int value = 0;
  std::string label = "cell";
  object_ptr<cell> follower;
  am::global_ptr<double> weight;
  sync_var<int> once;
  sync_var<const int> seven = 7;
  struct methods : am::ccpp::methods<cell> {
    rpc<&cell::twice> twice{this};
    field<&cell::value> value{this};
    field<&cell::label> label{this};
    field<&cell::follower> follower{this};
    field<&cell::weight> weight{this};
    field<&cell::once> once{this};
    field<&cell::seven> seven{this};
  };
};

namespace cell_api {
struct cell {
  struct methods : am::ccpp::methods<cell> {};
};
inline constexpr am::method<am::remote<cell>(int)> make{"ccpp_values_test.cell.make"};
}  // namespace cell_api

static_assert(std::is_same_v<global<std::string*>, value_ptr<std::string>>);
static_assert(std::is_same_v<global<global<double*>*>, value_ptr<am::global_ptr<double>>>);
static_assert(std::is_same_v<global<global<cell*>*>, value_ptr<object_ptr<cell>>>);
static_assert(std::is_same_v<global<const sync_var<int>*>, sync_ptr<const int>>);
static_assert(std::is_same_v<global<sync_var<const int>*>, sync_ptr<const int>>);
static_assert(std::is_same_v<global<am::sync_var<int>*>, sync_ptr<int>>);
static_assert(std::is_convertible_v<global<std::string*>, global<const std::string*>>);
static_assert(!std::is_convertible_v<global<const std::string*>, global<std::string*>>);
static_assert(!std::is_assignable_v<value_ref<const std::string>, std::string>);
static_assert(std::is_convertible_v<sync_ptr<int>, sync_ptr<const int>>);
static_assert(!std::is_convertible_v<sync_ptr<const int>, sync_ptr<int>>);
static_assert(!std::is_assignable_v<sync_ref<const int>, int>);
static_assert(!std::is_assignable_v<sync_var<const int>&, int>);
static_assert(!std::is_default_constructible_v<sync_var<const int>>);
static_assert(!std::is_copy_constructible_v<sync_var<std::unique_ptr<int>>>);
static_assert(sizeof(global<std::string*>) == 16 && std::is_trivially_copyable_v<global<std::string*>>);

}  // namespace

RANK_TEST(objects_are_read_and_written_through_global_pointers) {
  std::string mine = "of " + std::to_string(am::rank());
  std::vector<int> numbers(5000, int(am::rank()));
  const auto text = of_next<global<std::string*>>(mine);
  const auto theirs = of_next<global<std::vector<int>*>>(numbers);
  const std::string read = *text;
  EXPECT_EQ(read, "of " + std::to_string(next()));
  EXPECT_EQ((*text).get() + "!", read + "!");
  EXPECT_EQ(std::vector<int>(*theirs), std::vector<int>(5000, next()));
  am::barrier();
  *text = "written by " + std::to_string(am::rank());
  *theirs = {1, 2, 3};
  am::barrier();
  EXPECT_EQ(mine, "written by " + std::to_string((am::rank() + am::ranks() - 1) % am::ranks()));
  EXPECT_EQ(numbers, (std::vector{1, 2, 3}));
  am::barrier();
}

RANK_TEST(classes_of_the_user_are_copied_as_they_say) {
  polygon mine(3 + int(am::rank()));
  const auto theirs = of_next<global<polygon*>>(mine);
  const polygon read = *theirs;
  EXPECT_EQ(read.round(), 1.5 * (3 + next()));
  const std::string name = theirs->*&polygon::name;
  EXPECT_EQ(name, "polygon");
  am::barrier();
  const global<const polygon*> own = am::to_global(&mine);
  *theirs = polygon(10);
  am::barrier();
  EXPECT_EQ(polygon(*own).round(), 15.0);  // on this rank without a message
  theirs->*& polygon::name = "triangle";
  am::barrier();
  EXPECT_EQ(mine.name, "triangle");
}

RANK_TEST(methods_of_objects_of_any_class_run_where_these_lie) {
  polygon mine(4);
  std::string text = "rank " + std::to_string(am::rank());
  const auto there = of_next<global<polygon*>>(mine);
  const auto words = of_next<global<const std::string*>>(std::as_const(text));
  (there->*&polygon::cut)(2, "cut");
  EXPECT_EQ((there->*&polygon::round)(), 9.0);
  EXPECT_EQ((words->*&std::string::size)(), text.size());
  EXPECT_THROWS_SAYING(am::remote_error, "cut in no way", (there->*&polygon::cut)(1, ""));
  const global<polygon*> none = nullptr;
  EXPECT_THROWS_SAYING(am::usage_error, "null", (none->*&polygon::round)());
  am::barrier();
  EXPECT_EQ(mine.name, "cut");
  am::barrier();
}

RANK_TEST(arrays_of_objects_are_walked_through) {
  std::string row[3] = {"a", "b", "c"};
  const auto there = of_next<global<std::string*>>(row[0]);
  EXPECT_EQ(std::string(there[2]), "c");
  global<std::string*> p = there + 1;
  EXPECT_EQ(std::string(*p++), "b");
  EXPECT_EQ(p - there, 2);
  am::barrier();
  *there = *p;  // copies from that rank to that rank
  am::barrier();
  EXPECT_EQ(row[0], "c");
  am::barrier();
}

RANK_TEST(what_a_copy_throws_comes_back) {
  frozen mine;
  mine.value_ = 13;
  const auto theirs = of_next<global<frozen*>>(mine);
  if (am::ranks() > 1) EXPECT_THROWS_SAYING(am::remote_error, "not copied", (void)(*theirs).get());
  const global<std::string*> none;
  EXPECT_THROWS_SAYING(am::usage_error, "null", (void)(*none).get());
  EXPECT_THROWS_SAYING(am::usage_error, "null", *none = "text");
  am::barrier();
}

RANK_TEST(pointers_to_pointers_are_followed) {
  double number = 1.5 + am::rank();
  point place{1, 2.0 + am::rank()};
  std::string text = "text";
  global<double*> to_number = am::to_global(&number);
  global<point*> to_place = am::to_global(&place);
  global<std::string*> to_text = am::to_global(&text);
  const auto gg = of_next<global<global<double*>*>>(to_number);
  const auto gp = of_next<global<global<point*>*>>(to_place);
  const auto gt = of_next<global<global<std::string*>*>>(to_text);
  EXPECT_EQ(double(**gg), 1.5 + next());
  EXPECT_EQ(double(gg[0][0]), 1.5 + next());
  EXPECT_EQ(double((*gp)->*&point::y), 2.0 + next());
  EXPECT_EQ(std::string(**gt), "text");
  am::barrier();
  **gg = 7;
  (*gp)->*& point::x = 8;
  **gt = "other";
  am::barrier();
  EXPECT_EQ(number, 7.0);
  EXPECT_EQ(place.x, 8.0);
  EXPECT_EQ(text, "other");
  am::barrier();
  *gg = global<double*>(&(to_place->*&point::x));  // the pointer itself
  am::barrier();
  EXPECT_EQ(double(*to_number), 8.0);
  am::barrier();
}

RANK_TEST(members_are_reached_through_two_levels) {
  double weight = 2.5;
  {
    global<cell*> mine = new_object<cell>(am::rank(), 3);
    const auto gg = of_next<global<global<cell*>*>>(mine);
    EXPECT_EQ((*gg)->twice(), 6);
    EXPECT_EQ(int((*gg)->value), 3);
    am::barrier();
    (*gg)->value = 4;
    (*gg)->label = "renamed";
    (*gg)->follower = new_object<cell>(next(), 5);
    (*gg)->weight = am::to_global(&weight);
    am::barrier();
    EXPECT_EQ(mine->twice(), 8);
    EXPECT_EQ(std::string(mine->label), "renamed");
    EXPECT_EQ((*gg)->follower->twice(), 10);
    am::barrier();
    mine->follower->value = 6;
    EXPECT_EQ(int(mine->follower->value), 6);
    EXPECT_EQ(double(*mine->weight), 2.5);
    am::barrier();
  }
  am::fence();
}

RANK_TEST(processor_objects_are_copied_and_assigned_to) {
  const global<page*> there = new_object<page>(next()), here = new_object<page>(am::rank());
  *there = {"a text", 3};
  *here = *there;
  EXPECT_EQ(page(*here).text, "a text");
  EXPECT_EQ((*there).get().number + here->number, 6);
  delete_object(there);
  EXPECT_THROWS(am::remote_error, (void)(*there).get());
  am::fence();
}

RANK_TEST(sync_variables_are_copied_when_they_have_a_value) {
  sync_var<std::vector<int>> first;
  spawn([&] { first = {1, 2, 3}; });
  const sync_var<std::vector<int>> second = first;  // waits
  EXPECT_EQ(second.get(), (std::vector{1, 2, 3}));
  sync_var<int> a, b;
  spawn([&] { a = 5; });
  b = a;
  EXPECT_EQ(b, 5);
  EXPECT_THROWS(am::usage_error, b = a);
  const auto twice = [](sync_var<int> v) { return 2 * v; };
  EXPECT_EQ(twice(b) + twice(3), 16);
  const sync_var<const int> k = 3, same = k;
  EXPECT_EQ(k + same, 6);
  sync_var<std::unique_ptr<int>> moved;
  moved = std::make_unique<int>(9);
  EXPECT_EQ(*moved.get(), 9);
  sync_var<polygon> shape;
  shape = polygon(4);
  EXPECT_EQ(shape.get().round(), 6.0);
  sync_var<void> over;
  spawn([&] { over.write(); });
  over.read();
}

RANK_TEST(sync_variables_of_other_ranks_are_copied_too) {
  sync_var<std::string> row[2];
  const auto theirs = of_next<global<sync_var<std::string>*>>(row[0]);
  const global<const sync_var<std::string>*> to_read = theirs;
  sync_var<std::string> here;
  par([&] { here = *to_read; }, [&] { *theirs = "of " + std::to_string(next()); });
  EXPECT_EQ(here.get(), "of " + std::to_string(next()));
  theirs[1] = *theirs;
  am::fence();
  EXPECT_EQ(row[1].get(), row[0].get());
}

RANK_TEST(sync_members_of_processor_objects_wait_at_their_owner) {
  const global<cell*> there = new_object<cell>(next(), 1);
  int seen = 0;
  par([&] { seen = there->once; }, [&] { there->once = 11; });
  EXPECT_EQ(seen, 11);
  EXPECT_EQ(int(there->seven), 7);
  EXPECT_THROWS(am::remote_error, there->once = 12);
  am::fence();
}

RANK_TEST(a_placement_whose_library_cannot_be_loaded_says_why) {
  EXPECT_THROWS_SAYING(am::remote_error, "ARMILLA_LIBRARIES names no folder",
                       (void)new_object<cell_api::make>(proc_t("libm.so", next()), 1));
  am::provide_class<cell_api::make, cell>();
  am::barrier();
  const global<cell_api::cell*> there = new_object<cell_api::make>(proc_t("", next()), 4);  // the program there has it
  EXPECT_EQ(there.rank(), next());
  EXPECT_THROWS_SAYING(am::remote_error, "ARMILLA_LIBRARIES names no folder",
                       (void)new_object<cell_api::make>(proc_t("libm.so", next()), 1));
  am::fence();
}
