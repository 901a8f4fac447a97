// SPDX-License-Identifier: Apache-2.0
#include "armilla/wire/define_type.hpp"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "armilla/wire/wire_testing.hpp"

namespace armilla::detail {
namespace {

/// Owns an array of anything, as the paper's classes do.
template <class T>
class owner {
 public:
  owner() = default;
  owner(std::string name, std::vector<T> elements) : name_(std::move(name)), n_(static_cast<int>(elements.size())) {
    elements_ = n_ == 0 ? nullptr : new T[elements.size()];
    std::move(elements.begin(), elements.end(), elements_);
  }
  owner(owner&& other) noexcept { swap(other); }
  owner& operator=(owner&& other) noexcept {
    swap(other);
    return *this;
  }
  ~owner() { delete[] elements_; }

  void define_type(auto& t) {
    t.local(name_);
    t.local(n_);
    t.dynamic(elements_, n_);
  }

  const std::string& name() const { return name_; }
  int size() const { return n_; }
  const T* begin() const { return elements_; }
  const T* end() const { return elements_ + n_; }
  T& operator[](int i) { return elements_[i]; }

 private:
  void swap(owner& other) {
    std::swap(name_, other.name_);
    std::swap(n_, other.n_);
    std::swap(elements_, other.elements_);
  }

  std::string name_;
  int n_ = 0;
  T* elements_ = nullptr;
};

static_assert(sendable_value<owner<int>> && sendable_value<std::map<int, owner<std::string>>>);

template <class T>
void expect_same(const owner<T>& a, const owner<T>& b) {
  EXPECT_EQ(a.name(), b.name());
  EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end()));
}

TEST(define_type, locals_and_owned_heap_data_arrive_in_fresh_memory) {
  const owner<double> sent("numbers", {1, 2, 3});
  const owner<double> got = through(sent);
  expect_same(got, sent);
  EXPECT_NE(got.begin(), sent.begin());
}

TEST(define_type, elements_may_be_of_any_sendable_type) {
  const owner<std::string> sent("words", {"a", "", "ccc"});
  expect_same(through(sent), sent);
  expect_same(through(owner<bool>("bits", {true, false})), owner<bool>("bits", {true, false}));
}

TEST(define_type, nothing_owned_is_null) { EXPECT_EQ(through(owner<int>("none", {})).begin(), nullptr); }

TEST(define_type, nests_in_containers_and_in_itself) {
  std::map<int, owner<owner<int>>> sent;
  std::vector<owner<int>> parts;
  parts.emplace_back("a", std::vector<int>{1, 2});
  parts.emplace_back("b", std::vector<int>{});
  sent.emplace(7, owner<owner<int>>("whole", std::move(parts)));
  auto got = through(sent);
  ASSERT_EQ(got.size(), 1u);
  ASSERT_EQ(got[7].size(), 2);
  EXPECT_EQ(got[7][0].name(), "a");
  EXPECT_EQ(got[7][0][1], 2);
  EXPECT_EQ(got[7][1].size(), 0);
}

TEST(define_type, every_prefix_is_refused_without_a_leak) {
  const owner<std::string> sent("words", {"a", "bb", "ccc"});
  message whole = message::of(sent);
  sizer used;
  write_value(used, sent);
  for (std::size_t n = 0; n < used.size(); ++n) EXPECT_THROW(whole.cut(n).reader().get<owner<std::string>>(), decode_error) << n;
}

TEST(define_type, the_count_of_the_elements_wins_over_a_local_that_differs) {
  message m = message::of(owner<int>("", {1, 2, 3})).with(1, 1'000'000);  // words: length of the name, n_, count, elements
  EXPECT_EQ(m.reader().get<owner<int>>().size(), 3);
}

struct small_count {
  std::unique_ptr<char[]> keep;  // not listed: stays here
  char* p = nullptr;
  unsigned char n = 0;
  void define_type(auto& t) { t.dynamic(p, n); }
  small_count() = default;
  small_count(small_count&& o) noexcept : p(std::exchange(o.p, nullptr)), n(o.n) {}
  ~small_count() { delete[] p; }
};

TEST(define_type, a_count_that_does_not_fit_its_variable_is_refused) {
  message m(8 + 256);
  EXPECT_THROW(m.with(0, 256).reader().get<small_count>(), decode_error);
  EXPECT_EQ(m.with(0, 255).reader().get<small_count>().n, 255);
}

struct fixed_count {
  int* p = nullptr;
  void define_type(auto& t) { t.dynamic(p, 3); }
  fixed_count() = default;
  fixed_count(fixed_count&& o) noexcept : p(std::exchange(o.p, nullptr)) {}
  ~fixed_count() { delete[] p; }
};

TEST(define_type, a_count_that_the_type_fixes_must_be_the_one_that_comes) {
  fixed_count sent;
  sent.p = new int[3]{1, 2, 3};
  message m = message::of(sent);
  EXPECT_EQ(m.reader().get<fixed_count>().p[2], 3);
  EXPECT_THROW(m.with(0, 2).reader().get<fixed_count>(), decode_error);
}

TEST(define_type, a_null_pointer_with_a_count_cannot_be_sent) { EXPECT_THROW(message::of(fixed_count()), usage_error); }

/// A tree by way of itself.
struct tree {
  int value = 0;
  std::vector<tree> children;
  void define_type(auto& t) {
    t.local(value);
    t.local(children);
  }
};

tree line(int length) {
  return length == 0 ? tree{} : [&] {
    tree t{length, {}};
    t.children.push_back(line(length - 1));
    return t;
  }();
}

TEST(define_type, recursive_types_nest_to_a_bound) {
  EXPECT_EQ(through(line(50)).children[0].children[0].value, 48);
  EXPECT_NO_THROW(through(line(max_nesting - 1)));
  EXPECT_THROW(through(line(max_nesting)), usage_error);
  message deeper(65536);
  encode(deeper.data(), line(max_nesting));
  EXPECT_THROW(deeper.reader().get<tree>(), decode_error);
}

}  // namespace
}  // namespace armilla::detail
