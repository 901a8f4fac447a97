// SPDX-License-Identifier: Apache-2.0
// Static variables, of which ranks as threads have one together: what to_global gives, and what it refuses there.
#include <dlfcn.h>

#include <string>

#include <armilla/error.hpp>
#include <armilla/fabric/host_map.hpp>

#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

int initialised = 1;
int zero;
am::counter arrived;
const int constant = 7;
const char* const names[] = {"constant once it is relocated", "too"};
thread_local int of_this_thread = 8;
am::per_rank<int> of_each_rank;

bool threads() { return am::detail::current->host->threads; }

// Given where each rank has its own, refused where they have it together.
template <class T>
void expect_own(T* variable) {
  if (threads())
    EXPECT_THROWS_SAYING(am::usage_error, "per_rank", am::to_global(variable));
  else
    EXPECT(am::to_global(variable).local() == variable);
}

template <class T>
T* in_late_image(const char* name) {
  void* const image = dlopen(LATE_IMAGE, RTLD_NOW);
  return image == nullptr ? nullptr : static_cast<T*>(dlsym(image, name));
}

}  // namespace

RANK_TEST(a_static_is_refused_where_ranks_share_it) {
  static int inside = 3;
  expect_own(&initialised);
  expect_own(&zero);
  expect_own(&arrived);
  expect_own(&inside);
}

RANK_TEST(the_error_says_whose_static_it_is) {
  if (!threads()) return;
  EXPECT_THROWS_SAYING(am::usage_error, "a static variable of the program", am::to_global(&zero));
}

RANK_TEST(a_static_of_a_library_that_comes_later_is_refused_too) {
  int* const late = in_late_image<int>("late_variable");
  if (!EXPECT(late != nullptr)) return;
  expect_own(late);
  if (threads()) EXPECT_THROWS_SAYING(am::usage_error, "late_image", am::to_global(late));
  EXPECT_EQ(*am::to_global(in_late_image<const int>("late_constant")), 6);
}

RANK_TEST(constants_and_what_each_rank_has_are_given) {
  EXPECT_EQ(*am::to_global(&constant), 7);
  EXPECT(std::string(*am::to_global(&names[1])) == "too");
  EXPECT_EQ(*am::to_global(&of_this_thread), 8);
  int on_stack = 9;
  EXPECT_EQ(*am::to_global(&on_stack), 9);
  const auto on_heap = std::make_unique<int>(10);
  EXPECT_EQ(*am::to_global(on_heap.get()), 10);
  of_each_rank.local() = am::rank();
  EXPECT(am::to_global(&of_each_rank.local()) == of_each_rank.on(am::rank()));
}

RANK_TEST(a_result_may_come_into_a_static_buffer) {
  static double buffer[4];
  if (am::rank() != 0) return;
  EXPECT_EQ(am::call_into(am::ranks() - 1, std::span<double>(buffer), [] { return std::vector<double>(3, 2.5); }).get().size(),
            3u);
  EXPECT_EQ(buffer[2], 2.5);
}
