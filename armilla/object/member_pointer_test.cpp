// SPDX-License-Identifier: Apache-2.0
// Calls to members that a pointer names.
#include <array>
#include <string>

#include <armilla/armilla.hpp>
#include <armilla/error.hpp>

#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

am::rank_t next() { return (am::rank() + 1) % am::ranks(); }

struct named {
  std::string name = "nobody";
  std::string greet(std::string word) const { return word + " " + name; }
};
struct counted {
  virtual ~counted() = default;
  virtual int step() const { return 1; }
  void set(int n) { count = n; }
  int count = 0;
};
struct pair : named, counted {  // so that `counted` does not lie at its beginning
  int step() const override { return 10; }
  void add(int n) { count += n; }
  void add_often(int n, int times) { count += n * times; }
  void hold() {
    const int before = count;
    am::yield();
    count = before + 1;
  }
  static constexpr am::atomic_list<&pair::hold> atomic_methods{};
};

struct high : std::array<char, 1 << 17>, named {};

}  // namespace

RANK_TEST(a_method_of_a_part_is_named_by_a_pointer) {
  am::distributed<pair> p;
  void (pair::* const method)(int) = &pair::add;
  am::async(p.on(next()), method, 7);
  am::async(p.on(next()), &pair::add_often, 2, 3);
  am::fence();
  EXPECT_EQ(p->count, 13);
  EXPECT_EQ(am::call(p.on(next()), &pair::greet, std::string("hello")).get(), "hello nobody");
  am::fence();
}

RANK_TEST(a_virtual_method_is_named_by_a_pointer) {
  am::distributed<pair> p;
  int (counted::* const step)() const = &counted::step;
  EXPECT_EQ(am::call(p.on(next()), step).get(), 10);
  am::fence();
  const am::remote<counted> plain = am::create<counted>(next()).get(), derived = am::create<pair>(next()).get();
  EXPECT_EQ(am::call(plain, step).get(), 1);
  EXPECT_EQ(am::call(derived, step).get(), 10);
  am::fence();
}

RANK_TEST(a_method_of_a_base_inside_of_the_object_is_named_by_a_pointer) {
  am::distributed<pair> p;
  int (pair::* const virtual_one)() const = &counted::step;
  void (pair::* const plain)(int) = static_cast<void (pair::*)(int)>(&counted::set);
  EXPECT_EQ(am::call(p.on(next()), virtual_one).get(), 10);
  am::async(p.on(next()), plain, 3);
  am::fence();
  EXPECT_EQ(p->count, 3);
  am::fence();
}

RANK_TEST(a_base_too_remote_inside_of_the_object_is_refused) {
  am::distributed<high> p;
  std::string (high::* const greet)(std::string) const = &named::greet;
  EXPECT_THROWS_SAYING(am::usage_error, "name the method at compile time", am::call(p.on(next()), greet, std::string("hello")));
  EXPECT_EQ(am::call<&named::greet>(p.on(next()), std::string("hello")).get(), "hello nobody");
  am::fence();
}

RANK_TEST(a_data_member_is_named_by_a_pointer) {
  am::distributed<pair> p;
  int counted::* const count = &counted::count;
  am::async(p.on(next()), count, 5);
  am::async(p.on(next()), &pair::name, std::string("somebody"));
  am::fence();
  EXPECT_EQ(p->count, 5);
  EXPECT_EQ(am::call(p.on(next()), &pair::name).get(), "somebody");
  am::fence();
}

RANK_TEST(a_method_of_a_processor_object_is_named_by_a_pointer) {
  const auto p = am::create<pair>(next()).get();
  am::async(p, &pair::add, 4);
  EXPECT_EQ(am::call(p, &pair::count).get(), 4);
  am::fence();
}

RANK_TEST(all_parts_are_reached_by_a_pointer) {
  am::distributed<pair> p;
  am::async_all(p, &pair::add, 2);
  am::fence();
  EXPECT_EQ(p->count, 2 * am::ranks());
  am::fence();
}

RANK_TEST(atomic_methods_exclude_each_other_also_by_pointer) {
  am::distributed<pair> p;
  for (int i = 0; i < 20; ++i) am::async(p.on(next()), &pair::hold);
  for (int i = 0; i < 20; ++i) am::async<&pair::hold>(p.on(next()));
  am::fence();
  EXPECT_EQ(p->count, 40);
  am::fence();
}

RANK_TEST(a_null_pointer_to_a_member_is_refused) {
  am::distributed<pair> p;
  void (pair::* const none)(int) = nullptr;
  int pair::* const no_data = nullptr;
  EXPECT_THROWS_SAYING(am::usage_error, "pointer to a member is null", am::async(p.on(0), none, 1));
  EXPECT_THROWS_SAYING(am::usage_error, "pointer to a member is null", am::async(p.on(0), no_data, 1));
  am::fence();
}

RANK_TEST(places_that_name_no_member_are_refused) {
  using namespace am::detail;
  const member_place slot = place_of_method(std::bit_cast<method_words>(&counted::step), "test");
  EXPECT_THROWS(am::decode_error, method_at(member_place::at(slot.image(), 0, slot.offset() + 1), sizeof(counted)));
  EXPECT_THROWS(am::decode_error, method_at(member_place::at(slot.image(), 0, 1 << 20), sizeof(counted)));
  EXPECT_THROWS(am::decode_error, method_at(member_place::at(slot.image(), 4096, slot.offset()), sizeof(counted)));
  EXPECT_THROWS(am::decode_error, method_at(member_place::at(0, 0, std::uint64_t(1) << 37), sizeof(counted)));
  EXPECT_THROWS(am::decode_error,
                data_at(member_place::at(member_place::in_object, 0, sizeof(counted)), sizeof(counted), sizeof(int)));
  EXPECT_THROWS(am::decode_error, data_at(slot, sizeof(counted), sizeof(int)));
}
