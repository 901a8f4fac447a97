// SPDX-License-Identifier: Apache-2.0
#include "armilla/rpc/method_table.hpp"

#include <string>

#include <gtest/gtest.h>

#include "armilla/error.hpp"

namespace {

using namespace armilla::detail;

constexpr method_runners run{}, refuse{};
constexpr method_description step{"demo.step", "float64(float64)", 1}, step_of_int{"demo.step", "float64(int32)", 2},
    stop{"demo.stop", "void()", 3}, other{"quite.another.thing", "void()", 3};

template <class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const armilla::usage_error& e) { return e.what(); }
  return "no error";
}

bool says(const std::string& text, const char* part) { return text.find(part) != text.npos; }

TEST(method_table, finds_what_is_provided) {
  method_table t;
  t.provide(step, run, refuse, nullptr);
  int object = 0;
  t.provide(stop, run, refuse, &object);
  EXPECT_EQ(t.look_up(step, 0), 0u);
  EXPECT_EQ(t.look_up(stop, 0), 1u);
  EXPECT_EQ(t.object(1), &object);
  EXPECT_NE(t.find(1), nullptr);
  EXPECT_EQ(t.find(2), nullptr);
  EXPECT_EQ(t.find(~std::uint64_t(0)), nullptr);
}

TEST(method_table, says_what_there_is_instead) {
  method_table t;
  const std::string empty = error_of([&] { (void)t.look_up(step, 7); });
  EXPECT_TRUE(says(empty, "rank 7 called 'demo.step' float64(float64)")) << empty;
  EXPECT_TRUE(says(empty, "nothing is provided here")) << empty;
  t.provide(other, run, refuse, nullptr);
  t.provide(stop, run, refuse, nullptr);
  const std::string near = error_of([&] { (void)t.look_up(step, 7); });
  EXPECT_TRUE(says(near, "provided here: 'demo.stop' void(), 'quite.another.thing' void()")) << near;
}

TEST(method_table, names_both_signatures) {
  method_table t;
  t.provide(step, run, refuse, nullptr);
  const std::string text = error_of([&] { (void)t.look_up(step_of_int, 2); });
  EXPECT_TRUE(says(text, "as float64(int32), but here it is float64(float64)")) << text;
}

TEST(method_table, provides_a_name_once) {
  method_table t;
  t.provide(step, run, refuse, nullptr);
  EXPECT_TRUE(says(error_of([&] { t.provide(step_of_int, run, refuse, nullptr); }), "already provides 'demo.step'"));
}

TEST(method_table, an_index_never_changes_its_meaning) {
  method_table t;
  t.provide(step, run, refuse, nullptr);
  t.withdraw(step);
  EXPECT_TRUE(says(error_of([&] { (void)t.look_up(step, 0); }), "does not provide"));
  EXPECT_TRUE(says(error_of([&] { t.throw_withdrawn(0); }), "'demo.step' float64(float64) was withdrawn; nothing"));
  t.provide(step_of_int, run, refuse, nullptr);
  EXPECT_EQ(t.look_up(step_of_int, 0), 1u);
  EXPECT_TRUE(says(error_of([&] { t.throw_withdrawn(0); }), "is provided as float64(int32) now"));
  t.withdraw(step_of_int);
  t.provide(step, run, refuse, nullptr);
  EXPECT_EQ(t.look_up(step, 0), 0u);
}

TEST(method_table, withdraws_only_what_it_has) {
  method_table t;
  EXPECT_TRUE(says(error_of([&] { t.withdraw(step); }), "does not provide 'demo.step'"));
  t.provide(step, run, refuse, nullptr);
  EXPECT_TRUE(says(error_of([&] { t.withdraw(step_of_int); }), "does not provide 'demo.step' float64(int32)"));
}

TEST(stub_cache, remembers_by_method_and_rank) {
  stub_cache stubs(3);
  method_number a, b;
  EXPECT_EQ(stubs.find(b, 2), stub_cache::unknown);
  stubs.set(b.value, 2, 5);
  EXPECT_EQ(stubs.find(b, 2), 5u);
  EXPECT_EQ(stubs.find(b, 1), stub_cache::unknown);
  EXPECT_EQ(stubs.find(a, 2), stub_cache::unknown);
  EXPECT_TRUE(stubs.has(b.value));
  EXPECT_FALSE(stubs.has(b.value + 1));
}

TEST(stub_cache, forgets_one_rank) {
  stub_cache stubs(3);
  method_number a, b;
  for (const method_number* const m : {&a, &b})
    for (armilla::rank_t r = 0; r < 3; ++r) stubs.set(m->value, r, 7);
  stubs.forget(1);
  for (const method_number* const m : {&a, &b}) {
    EXPECT_EQ(stubs.find(*m, 0), 7u);
    EXPECT_EQ(stubs.find(*m, 1), stub_cache::unknown);
    EXPECT_EQ(stubs.find(*m, 2), 7u);
  }
}

}  // namespace
