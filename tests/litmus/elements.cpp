// SPDX-License-Identifier: Apache-2.0
// In which order verbs about an element run: docs/spec/order.md, "Elements of arrays".
#include <array>
#include <string>
#include <vector>

#include <armilla/array.hpp>
#include <armilla/vector.hpp>

#include "tests/litmus/litmus.hpp"

using namespace litmus;

namespace {

struct block {
  std::array<long, 40> all;
};
// An aggregate of members of different types.
struct two_members {
  double weight;
  long n;
};

template <class T>
T value(long n);
template <>
char value<char>(long n) {
  return char(n);
}
template <>
long value<long>(long n) {
  return n;
}
template <>
block value<block>(long n) {
  block b;
  b.all.fill(n);
  return b;
}
template <>
two_members value<two_members>(long n) {
  return {0, n};
}
template <>
std::string value<std::string>(long n) {
  return std::string(30, char('a' + n));
}
template <>
std::vector<int> value<std::vector<int>>(long n) {
  return std::vector<int>(10, int(n));
}

template <class T>
long number(const T& x) {
  for (long n = 0; n < 10; ++n) {
    if constexpr (std::is_same_v<T, block>) {
      if (x.all.front() == n && x.all.back() == n) return n;
    } else if constexpr (std::is_same_v<T, two_members>) {
      if (x.n == n) return n;
    } else {
      if (x == value<T>(n)) return n;
    }
  }
  return -1;
}

template <class T, class Elements>
void expect_order(const char* type, Elements&& x) {
  const auto expect = [type](const char* what, long seen, long wanted) {
    if (seen != wanted)
      rank_test::fail(__FILE__, __LINE__,
                      std::string(type) + ", " + what + ": " + std::to_string(seen) + ", not " + std::to_string(wanted));
  };
  const auto mine = [&](std::size_t i) {
    return x.rank_of(i) % am::ranks() == (am::rank() + 1) % am::ranks();
  };  // one rank speaks of each
  const auto in_any = [](T& e) { return number(e); };
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!mine(i)) continue;
    x.visit(i, [](T& e) { e = value<T>(1); });
    x.set(i, value<T>(2));
    expect("call behind set", x.call(i, in_any).get(), 2);
    x.set(i, value<T>(3));
    x.visit(i, [](T& e) { e = value<T>(number(e) == 3 ? 4 : 9); });
    x.set(i, value<T>(5));
    x.set(i, value<T>(6));
    x.visit(i, [](T& e) { e = value<T>(number(e) == 6 ? 7 : 9); });
  }
  am::fence();
  for (const T& e : x.local()) expect("behind the fence", number(e), 7);
  am::barrier();
  for (std::size_t i = 0; i < x.size(); ++i)
    if (mine(i)) x.store(i, value<T>(8));
  am::fence();
  for (const T& e : x.local()) expect("store, behind the fence", number(e), 8);
  am::barrier();
}

template <class T>
void expect_order_of(const char* type) {
  const auto n = 2 * std::size_t(am::ranks());
  expect_order<T>(type, am::array<T>(n, value<T>(0)));
  expect_order<T>(type, am::vector<T>(n, value<T>(0), am::cyclic(1)));
}

}  // namespace

RANK_TEST(verbs_of_one_rank_about_an_element_keep_their_order) {
  expect_order_of<char>("char");
  expect_order_of<long>("long");
  expect_order_of<block>("block");
  expect_order_of<two_members>("two_members");
  expect_order_of<std::string>("text");
  expect_order_of<std::vector<int>>("vector");
}
