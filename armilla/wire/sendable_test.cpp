// SPDX-License-Identifier: Apache-2.0
#include "armilla/sendable.hpp"

#include <atomic>
#include <bitset>
#include <chrono>
#include <complex>
#include <deque>
#include <forward_list>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "armilla/view.hpp"

// All of this is decided by the compiler; the sentences for what is refused are held by tests/compile_fail.
namespace armilla {
namespace {

struct point {
  double x, y, z;
};
struct record {
  int a[3];
  char name[256];
  point p;
  std::array<int, 4> q;
};
struct bits {
  unsigned a : 3;
  unsigned b : 5;
};
struct base {
  int a;
};
struct derived : base {
  int b;
};
struct empty {};
enum class color { red };
union word {
  int i;
  float f;
};
class hidden {
 public:
  explicit hidden(int v) : v_(v) {}

 private:
  [[maybe_unused]] int v_;
};
struct around_hidden {
  int a;
  hidden b;
};

template <class... T>
constexpr bool all_as_bytes = (trivially_sendable<T> && ...) && (sendable_value<T> && ...);
static_assert(
    all_as_bytes<int, bool, double, std::byte, color, word, point, record, bits, empty, hidden, around_hidden, derived>);
static_assert(
    all_as_bytes<int[3][2], std::array<int, 3>, std::complex<double>, std::bitset<99>, std::chrono::seconds, std::plus<>>);

struct text_and_more {
  std::string s;
  std::vector<int> v;
  int a[2];
  std::string t[2];
};
struct listed {
  int n;
  double* p;
  void define_type(auto& t) {
    t.local(n);
    t.dynamic(p, n);
  }
};

template <class... T>
constexpr bool all_by_parts = (sendable_value<T> && ...) && !(trivially_sendable<T> || ...);
static_assert(all_by_parts<text_and_more, listed, std::string, std::wstring, std::pair<int, int>, std::tuple<int, std::string>>);
static_assert(
    all_by_parts<std::vector<int>, std::vector<bool>, std::vector<std::string>, std::deque<text_and_more>, std::list<point>>);
static_assert(all_by_parts<std::map<int, std::string>, std::multimap<int, int>, std::set<std::vector<int>>, std::tuple<>>);
static_assert(all_by_parts<std::unordered_map<std::string, int>, std::unordered_multiset<int>, std::array<std::string, 2>>);
static_assert(all_by_parts<std::optional<int>, std::variant<int, std::string, std::monostate>>);

// What carries an address, also inside something else.

struct with_pointer {
  int a;
  int* p;
};
struct deep {
  point p;
  std::vector<with_pointer> v;
};
struct with_reference {
  int a;
  int& r;
};
struct with_const {
  const int a;
};

using detail::refusal;
template <refusal Why, class... T>
constexpr bool all_refused = ((detail::verdict_of<T>.why == Why && !sendable<T>) && ...);
static_assert(all_refused<refusal::pointer, int*, const char*, void (*)(), int base::*, std::nullptr_t, int* [2]>);
static_assert(all_refused<refusal::pointer, with_pointer, deep, std::vector<int*>, std::optional<int*>, std::variant<int, int*>,
                          std::map<int, const char*>, std::array<int*, 2>, std::pair<int*, int>>);
static_assert(all_refused<refusal::reference, int&, const int&, int&&, std::tuple<int, int&>, std::pair<const int&, int>>);
static_assert(all_refused<refusal::fixed_members, with_reference, with_const>);
static_assert(
    all_refused<refusal::borrowing, std::span<int>, std::span<int, 3>, std::string_view, std::vector<std::string_view>>);
static_assert(all_refused<refusal::reference_wrapper, std::reference_wrapper<int>, std::reference_wrapper<void()>>);
static_assert(all_refused<refusal::smart_pointer, std::shared_ptr<int>, std::weak_ptr<int>>);
static_assert(all_refused<refusal::iterator, std::vector<int>::iterator, std::list<int>::iterator>);
static_assert(all_refused<refusal::immovable, std::atomic<int>>);
static_assert(all_refused<refusal::unknown, void, int()>);

// A view is an argument and nothing else.
static_assert(sendable<view<int>> && !sendable_value<view<int>>);
static_assert(all_refused<refusal::view_inside, std::vector<view<int>>, std::pair<view<int>, int>, std::optional<view<int>>>);

// Its author vouches for it.
struct place {
  using element_type = int;
  int* get() const;
};
struct remote_pointer {
  using element_type = int;
  int* get() const;
};

// Bodies.
constexpr auto plain = [](int i) { return i; };
static_assert(sendable_closure<decltype(plain)> && sendable_closure<std::plus<>>);
static_assert(!sendable_closure<void (*)()> && !sendable_closure<std::function<void()>>);

}  // namespace

template <>
inline constexpr bool sendable_as_bytes<remote_pointer> = true;
static_assert(trivially_sendable<remote_pointer> && !sendable<place>);

namespace {

TEST(sendable, captures_of_values_only) {
  const std::string text;
  const auto good = [number = 1] { return number; };
  const auto bad = [text] { return text.size(); };
  EXPECT_TRUE(sendable_closure<decltype(good)>);
  EXPECT_FALSE(sendable_closure<decltype(bad)>);
}

}  // namespace
}  // namespace armilla
