// SPDX-License-Identifier: Apache-2.0
// Sixty types, each as argument, result, value of a collective, element, key, and in a file. Those of one group are the members
// of one tuple, so that the compiler makes the calls and containers once; what each of them is to a message stands beside it.
#include <algorithm>
#include <any>
#include <bitset>
#include <chrono>
#include <complex>
#include <coroutine>
#include <deque>
#include <filesystem>
#include <forward_list>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <memory_resource>
#include <optional>
#include <queue>
#include <random>
#include <set>
#include <source_location>
#include <stack>
#include <string>
#include <system_error>
#include <thread>
#include <tuple>
#include <typeindex>
#include <unordered_map>
#include <unordered_set>
#include <valarray>
#include <variant>
#include <vector>

#include "armilla/container/image/save_testing.hpp"
#include "armilla/unordered_map.hpp"
#include "armilla/vector.hpp"
#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

__extension__ using int128 = __int128;  // no type of the standard

using am::detail::kind;
using am::detail::refusal;

enum class color : short { red, blue };
struct labeled {
  int id = 0;
  std::string name;
  std::vector<double> data;
  bool operator==(const labeled&) const = default;
};
struct tree {
  int value = 0;
  std::vector<tree> children;
};
struct linked {
  int value = 0;
  std::unique_ptr<linked> next;
};
class point {  // trivially copyable, without a default constructor
 public:
  point(double x, double y) : x_(x), y_(y) {}
  double x() const { return x_; }

 private:
  double x_;
  [[maybe_unused]] double y_;
};
class title {  // without a default constructor
 public:
  explicit title(std::string text) : text_(std::move(text)) {}
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};
namespace foreign {
class date {  // cannot be changed
 public:
  void set(std::string text, int day) { text_ = std::move(text), day_ = day; }
  const std::string& text() const { return text_; }
  int day() const { return day_; }

 private:
  std::string text_;
  int day_ = 0;
};
struct note {
  static constexpr const char* wire_name = "foreign.note";
  std::string text;
  note() = default;
  note(note&&) = default;
  note& operator=(note&&) = default;
};
template <class T>
class small_vector : public std::vector<T> {
 public:
  using std::vector<T>::vector;
};
}  // namespace foreign
class owner {  // can only be moved, and lists its members
 public:
  static constexpr const char* wire_name = "owner";
  owner() = default;
  explicit owner(std::string s) : text_(std::make_unique<std::string>(std::move(s))) {}
  void define_type(auto& t) { t.local(text_); }
  const std::string& text() const { return *text_; }

 private:
  std::unique_ptr<std::string> text_;
};

}  // namespace

template <>
struct armilla::sendable_as_parts<title> {
  static std::string parts(const title& t) { return t.text(); }
  static title make(std::string text) { return title(std::move(text)); }
};
template <>
struct armilla::sendable_as_parts<foreign::date> {
  static std::tuple<std::string, int> parts(const foreign::date& d) { return {d.text(), d.day()}; }
  static foreign::date make(std::string text, int day) {
    foreign::date d;
    d.set(std::move(text), day);
    return d;
  }
};
template <>
struct armilla::sendable_as_parts<foreign::note> {
  static void define_type(foreign::note& n, auto& t) { t.local(n.text); }
};
template <class T>
inline constexpr bool armilla::sendable_as_container<foreign::small_vector<T>> = true;

namespace {

using seconds_since = std::chrono::time_point<std::chrono::system_clock, std::chrono::seconds>;

/// Types that are compared and have a hash: right in all six places.
using keys = std::tuple<bool, int, double, int128, color, std::byte, std::string, std::wstring, std::u8string, std::vector<int>,
                        std::vector<std::string>, std::vector<bool>, std::deque<std::string>, std::list<std::forward_list<int>>,
                        std::set<std::string>, std::map<std::string, std::set<int>>, std::pair<int, std::string>,
                        std::array<std::string, 2>, std::optional<std::string>, std::variant<int, std::string>, std::bitset<130>,
                        seconds_since, labeled, std::unordered_set<int>, std::pmr::vector<int>>;
keys make_keys() {
  return {true,
          7,
          -0.5,
          (int128(1) << 100) + 3,
          color::blue,
          std::byte(9),
          "text",
          L"wide",
          u8"utf-8",
          {1, 2},
          {"a", "b"},
          {true, false, true},
          {"c", "d"},
          {{1, 2}, {}, {3}},
          {"e"},
          {{"f", {1, 2}}},
          {5, "g"},
          {"h", "i"},
          "j",
          "k",
          std::bitset<130>(77),
          seconds_since(std::chrono::seconds(1'000'000'000)),
          {3, "l", {1.5}},
          {4, 5},
          {6, 7}};
}

/// Types that are right in all places but as keys.
using elements =
    std::tuple<std::complex<float>, std::valarray<double>, std::valarray<std::string>, std::priority_queue<int>,
               std::queue<std::string>, std::stack<int>, tree, std::filesystem::path, std::mt19937,
               std::multimap<int, std::string>, std::unordered_map<std::string, std::pair<int, std::array<std::string, 3>>>,
               std::variant<std::monostate, std::vector<double>>, std::tuple<>, std::chrono::duration<double>, foreign::date,
               foreign::small_vector<int>, std::optional<std::vector<std::complex<float>>>>;
elements make_elements() {
  elements e;
  std::get<0>(e) = {1, 2};
  std::get<1>(e) = {1, 2, 3};
  std::get<2>(e) = {"a", "b"};
  for (const int i : {3, 9, 4}) std::get<3>(e).push(i), std::get<5>(e).push(i);
  std::get<4>(e).push("first");
  std::get<6>(e) = {1, {{2, {}}, {3, {{4, {}}}}}};
  std::get<7>(e) = "/a/b";
  std::get<8>(e).discard(1000);
  std::get<9>(e) = {{1, "x"}, {1, "y"}};
  std::get<10>(e) = {{"k", {1, {"p", "q", "r"}}}};
  std::get<11>(e) = std::vector<double>{2.5};
  std::get<13>(e) = std::chrono::duration<double>(1.5);
  std::get<14>(e).set("today", 3);
  std::get<15>(e) = {5, 6};
  std::get<16>(e) = std::vector<std::complex<float>>{{1, 2}};
  return e;
}

/// Types that can only be moved: right in all places but as keys and in files.
using moved = std::tuple<std::unique_ptr<std::string>, std::unique_ptr<int>, linked, foreign::note, owner>;
moved make_moved() {
  moved m;
  std::get<0>(m) = std::make_unique<std::string>("owned");
  std::get<2>(m) = {1, std::make_unique<linked>(linked{2, nullptr})};
  std::get<3>(m).text = "note";
  std::get<4>(m) = owner("mine");
  return m;
}

bool right(const keys& k) { return k == make_keys(); }
bool right(elements e) {
  const bool lists = std::get<0>(e) == std::complex<float>(1, 2) && std::get<1>(e)[2] == 3 && std::get<2>(e)[1] == "b" &&
                     std::get<3>(e).top() == 9 && std::get<3>(e).size() == 3 && std::get<4>(e).front() == "first" &&
                     std::get<5>(e).top() == 4 && std::get<6>(e).children.at(1).children.at(0).value == 4;
  std::mt19937 numbers;
  numbers.discard(1000);
  const bool values = std::get<7>(e) == "/a/b" && std::get<8>(e) == numbers && std::get<13>(e).count() == 1.5 &&
                      std::get<11>(e) == std::variant<std::monostate, std::vector<double>>(std::vector<double>{2.5}) &&
                      std::get<16>(e)->at(0) == std::complex<float>(1, 2);
  const bool maps = std::get<9>(e).count(1) == 2 && std::get<10>(e).at("k").second[2] == "r" && std::get<15>(e).back() == 6;
  return lists && values && maps && std::get<14>(e).day() == 3 && std::get<14>(e).text() == "today";
}
bool right(const moved& m) {
  return *std::get<0>(m) == "owned" && !std::get<1>(m) && std::get<2>(m).next->value == 2 && !std::get<2>(m).next->next &&
         std::get<3>(m).text == "note" && std::get<4>(m).text() == "mine";
}
keys echo(const keys& k) { return k; }
elements echo_elements(const elements& e) { return e; }
moved pass_on(moved m) { return m; }

am::rank_t next() { return (am::rank() + 1) % am::ranks(); }

/// Elements of a container, also those of another rank, and from a file.
template <class T>
void expect_right_elements(T (*make)()) {
  const armilla::save_testing::scratch_path path;
  const std::size_t n = std::size_t(am::ranks());
  am::vector<T> x(n);
  for (T& e : x.local()) e = make();
  am::barrier();
  const T theirs = x[std::size_t(next())];
  EXPECT(right(theirs));
  x.save(path.str());
  am::vector<T> y;
  y.load(path.str());
  for (const T& e : y.local()) EXPECT(right(e));
  am::barrier();
}

}  // namespace

RANK_TEST(types_with_a_hash_are_right_in_calls_collectives_containers_keys_and_files) {
  EXPECT(right(am::call<&echo>(next(), make_keys()).get()));
  EXPECT(right(am::all_gather(make_keys()).back()));
  EXPECT(right(am::broadcast(make_keys(), am::ranks() - 1)));
  expect_right_elements<keys>(make_keys);
  am::unordered_map<keys, int> m;
  m.update(make_keys(), 1, std::plus<>{});
  am::fence();
  EXPECT_EQ(m.size(), 1U);
  EXPECT_EQ(m.find(make_keys()).get(), std::optional<int>(am::ranks()));
  am::barrier();
}

RANK_TEST(other_types_are_right_in_calls_collectives_containers_and_files) {
  EXPECT(right(am::call<&echo_elements>(next(), make_elements()).get()));
  EXPECT(right(am::all_gather(make_elements()).back()));
  EXPECT(right(am::broadcast(make_elements(), am::ranks() - 1)));
  expect_right_elements<elements>(make_elements);
}

RANK_TEST(types_that_can_only_be_moved_are_right_in_calls_collectives_and_containers) {
  EXPECT(right(am::call<&pass_on>(next(), make_moved()).get()));
  for (const moved& m : am::all_gather(make_moved())) EXPECT(right(m));
  EXPECT(right(am::broadcast(make_moved(), am::ranks() - 1)));
  expect_right_elements<moved>(make_moved);
}

RANK_TEST(types_without_a_default_constructor_are_arguments_results_and_values) {
  using pair = std::pair<point, title>;
  const auto twice = [](const pair& p) { return pair(point(2 * p.first.x(), 0), title(p.second.text() + p.second.text())); };
  const pair back = am::call(next(), twice, pair(point(4, 0), title("ab"))).get();
  EXPECT_EQ(back.first.x(), 8.0);
  EXPECT_EQ(back.second.text(), "abab");
  EXPECT_EQ(am::all_gather(title("t")).back().text(), "t");
  EXPECT_EQ(am::broadcast(point(am::rank(), 0), am::ranks() - 1).x(), double(am::ranks() - 1));
  am::vector<std::vector<title>> x(1);
  if (!x.local().empty()) x.local()[0].emplace_back("in a vector");
  am::barrier();
  const std::vector<title> there = x[0];
  EXPECT_EQ(there.at(0).text(), "in a vector");
  am::barrier();
}

RANK_TEST(a_list_that_is_too_deep_is_refused_where_it_is_sent) {
  linked deep;
  for (int i = 0; i < 200; ++i) deep = linked{i, std::make_unique<linked>(std::move(deep))};
  EXPECT_THROWS_SAYING(am::usage_error, "nest more than 100 deep", am::async(next(), [](const linked&) {}, deep));
  am::barrier();
}

// What is refused, and why. Derived classes and look-alikes of containers would lose members.
namespace {

struct tagged : std::vector<int> {
  int tag = 0;
};
struct maybe : std::optional<std::string> {
  using std::optional<std::string>::optional;
  int tag = 0;
};
class bag {
 public:
  using value_type = int;
  std::size_t size() const { return items_.size(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }
  void push_back(int i) { items_.push_back(i); }

 private:
  std::vector<int> items_;
  std::string name_;
};
struct by {
  bool down = false;
  bool operator()(int a, int b) const { return down ? b < a : a < b; }
};
struct bits {
  unsigned a : 3, b : 5;
  std::string name;
};
struct derived : labeled {
  std::vector<double> more;
};
struct shape {
  virtual ~shape() = default;
};
struct with_view {
  int a;
  std::string_view text;
};
struct text : std::string_view {};
template <class T>
struct own_allocator : std::allocator<T> {
  int arena = 0;
};

template <refusal Why, class... T>
constexpr bool all_refused = ((am::detail::verdict_of<T>.why == Why) && ...);
static_assert(all_refused<refusal::base_class, tagged, derived>);
static_assert(all_refused<refusal::like_container, bag>);
static_assert(all_refused<refusal::unknown, maybe>);
static_assert(
    all_refused<refusal::state, std::set<int, bool (*)(int, int)>, std::map<int, int, by>,
                std::priority_queue<int, std::vector<int>, by>, std::unordered_set<int, std::hash<int>, bool (*)(int, int)>,
                std::set<int, std::function<bool(int, int)>>>);
static_assert(all_refused<refusal::allocator, std::vector<int, own_allocator<int>>>);
static_assert(all_refused<refusal::error_code, std::error_code, std::error_condition, std::vector<std::error_code>>);
static_assert(all_refused<refusal::standard, std::type_index, std::source_location, std::coroutine_handle<>, std::thread::id,
                          std::initializer_list<int>, std::exception_ptr, std::pair<int, std::thread::id>>);
static_assert(all_refused<refusal::any_content, std::function<int(int)>, std::any, std::optional<std::any>>);
static_assert(all_refused<refusal::smart_pointer, std::shared_ptr<shape>, std::weak_ptr<int>>);
static_assert(all_refused<refusal::owner_of_base, std::unique_ptr<shape>> &&
              all_refused<refusal::owner_of_array, std::unique_ptr<int[]>>);
static_assert(all_refused<refusal::deleter, std::unique_ptr<int, void (*)(int*)>>);
static_assert(all_refused<refusal::bit_fields, bits>);
static_assert(all_refused<refusal::borrowing, std::string_view, std::span<int>, with_view, text, std::map<int, with_view>>);
static_assert(am::detail::holds_address<std::string_view> && am::detail::holds_address<with_view> &&
              am::detail::holds_address<std::error_code> && !am::detail::holds_address<std::atomic<int>>);

// What travels as its bytes still does.
static_assert((am::trivially_sendable<point> && am::trivially_sendable<std::bitset<130>> &&
               am::trivially_sendable<std::mt19937> && am::trivially_sendable<seconds_since> &&
               am::trivially_sendable<std::plus<>> && am::trivially_sendable<int128>));

}  // namespace
