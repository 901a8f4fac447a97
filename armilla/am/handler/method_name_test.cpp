// SPDX-License-Identifier: Apache-2.0
#include "armilla/am/handler/method_name.hpp"

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "armilla/armilla.hpp"

namespace sample {

struct histogram {
  void add(int) {}
  long total() const { return sum; }
  long sum = 0;
};
double twice(const std::vector<double>& v) { return 2 * double(v.size()); }
template <class T>
void generic(const T&) {}
void ping(armilla::sender, long) {}

template <class F>
std::string name_inside(F) {
  const auto body = [](int) {};
  return armilla::detail::method_name(typeid(armilla::detail::one_way_call<decltype(body), int>).name());
}

}  // namespace sample

namespace armilla::detail {
namespace {

void hidden(int) {}

template <class Handler>
std::string name() {
  return method_name(typeid(Handler).name());
}

TEST(method_name, says_what_is_called_and_with_what) {
  EXPECT_EQ((name<one_way_call<constant_function<&sample::twice>, std::vector<double>>>()),
            "async sample::twice(vector<double>)");
  EXPECT_EQ((name<two_way_call<constant_function<&sample::twice>, std::vector<double>>>()), "call sample::twice(vector<double>)");
  EXPECT_EQ((name<active_message<&sample::ping>>()), "message sample::ping");
  EXPECT_EQ((name<reply<double>>()), "reply double");
  EXPECT_EQ((name<reply<void>>()), "reply void");
}

TEST(method_name, leaves_out_what_only_compilers_need) {
  EXPECT_EQ((name<reply<std::map<std::string, std::vector<int>>>>()), "reply map<string, vector<int>>");
}

TEST(method_name, names_members) {
  EXPECT_EQ((name<one_way_call<bound_member<&sample::histogram::add, sample::histogram>, int>>()),
            "async sample::histogram::add(int)");
  EXPECT_EQ((name<two_way_call<bound_member<&sample::histogram::total, sample::histogram>>>()),
            "call sample::histogram::total()");
  EXPECT_EQ((name<two_way_call<member_of_object<&sample::histogram::total, sample::histogram>>>()),
            "call sample::histogram::total()");
  EXPECT_EQ((name<one_way_call<member_of_creation<&sample::histogram::add, sample::histogram>, int>>()),
            "async sample::histogram::add(int)");
}

TEST(method_name, names_instances_of_templates) {
  EXPECT_EQ((name<one_way_call<constant_function<&sample::generic<std::string>>, std::string>>()),
            "async sample::generic<string>(string)");
}

TEST(method_name, names_functions_of_one_file) {
  EXPECT_EQ((name<one_way_call<constant_function<&hidden>, int>>()), "async hidden(int)");
}

TEST(method_name, a_function_pointer_is_its_type) {
  EXPECT_EQ((name<one_way_call<portable_function<void(int)>, int>>()), "async function pointer void (int)(int)");
}

TEST(method_name, names_lambdas_by_where_they_stand) {
  const std::string found = sample::name_inside([] {});
  EXPECT_TRUE(found.starts_with("async ") && found.ends_with("(int)")) << found;
  EXPECT_NE(found.find("sample::name_inside<"), found.npos) << found;
  EXPECT_NE(found.find("lambda"), found.npos) << found;
}

TEST(method_name, plain_text_stays_as_it_is) { EXPECT_EQ(method_name("memory request"), "memory request"); }

TEST(method_name, any_text_is_survived) {
  for (const char* text : {"", "(", ">", "armilla::detail::one_way_call<", "armilla::detail::reply<)", "{lambda(",
                           "armilla::detail::two_way_call<&(f"})
    static_cast<void>(shorten_method(text));
}

}  // namespace
}  // namespace armilla::detail
