// SPDX-License-Identifier: Apache-2.0
#include "armilla/wire/signature.hpp"

#include <array>
#include <chrono>
#include <complex>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "armilla/view.hpp"

namespace one {
enum class colour : std::int16_t { red };
struct point {
  double x, y;
};
struct item {
  int number;
  std::string name;
  std::vector<point> path;
};
struct first_long {
  long a;
  int b;
};
struct packed {
  alignas(16) int a;
  int b;
};
class closed {
 public:
  static constexpr const char* wire_name = "test.closed";

 private:
  [[maybe_unused]] int a_ = 0;
};
class listed {
 public:
  static constexpr const char* wire_name = "test.listed";
  void define_type(auto& t) { t.local(a_); }

 private:
  int a_ = 0;
};
template <class T>
class box {
 private:
  [[maybe_unused]] T a_ = {};
};
}  // namespace one
namespace two {
struct place {
  double east, north;
};
struct thing {
  int id;
  std::string label;
  std::deque<place> way;
};
struct first_int {
  int a;
  long b;
};
class sealed {
 public:
  static constexpr const char* wire_name = "test.closed";

 private:
  [[maybe_unused]] int a_ = 0, b_ = 0;
};
struct plain {
  int a, b;
};
}  // namespace two

template <class T>
inline constexpr const char* armilla::wire_name<one::box<T>> = "test.box";

namespace {

using armilla::detail::signature;

template <class S>
std::string text() {
  return signature<S>::text;
}
template <class S>
constexpr std::uint64_t hash = signature<S>::hash;

TEST(signature, says_what_travels) {
  EXPECT_EQ(text<void()>(), "void()");
  EXPECT_EQ(text<double(int)>(), "float64(int32)");
  EXPECT_EQ(text<bool(char, unsigned char, std::byte, char32_t)>(), "bool(char, uint8, enum uint8, char32)");
  EXPECT_EQ(text<std::string(std::vector<float>)>(), "string(list<float32>)");
  EXPECT_EQ(text<void(one::colour)>(), "void(enum int16)");
  EXPECT_EQ(text<void(one::item)>(), "void({int32, string, list<{float64, float64}>})");
  EXPECT_EQ(text<void(std::array<int, 4>)>(), "void(int32[4])");
  EXPECT_EQ((text<void(std::pair<int, std::tuple<long, bool>>)>()), "void((int32, (int64, bool)))");
  EXPECT_EQ((text<void(std::map<std::string, std::set<int>>)>()), "void(map<string, set<int32>>)");
  EXPECT_EQ((text<void(std::unordered_map<int, int>)>()), "void(map<int32, int32>)");
  EXPECT_EQ((text<void(std::optional<int>, std::variant<int, std::string>)>()), "void(optional<int32>, variant<int32, string>)");
  EXPECT_EQ(text<void(armilla::view<double>)>(), "void(view<float64>)");
  EXPECT_EQ(text<void(std::complex<float>)>(), "void(complex<float32>)");
  EXPECT_EQ(text<void(std::chrono::milliseconds)>(), "void(duration<int64> 1/1000)");
}

TEST(signature, takes_parameters_by_value) {
  EXPECT_EQ(hash<void(const std::string&)>, hash<void(std::string)>);
  EXPECT_EQ(hash<const int&(std::string&&)>, hash<int(std::string)>);
}

TEST(signature, does_not_ask_for_names_of_types) {
  EXPECT_EQ(hash<void(one::point)>, hash<void(two::place)>);
  EXPECT_EQ(hash<void(one::item)>, hash<void(two::thing)>);
  EXPECT_EQ(hash<void(long)>, hash<void(long long)>);
}

TEST(signature, tells_structures_apart) {
  EXPECT_NE(hash<void(int)>, hash<void(unsigned)>);
  EXPECT_NE(hash<void(int)>, hash<void(long)>);
  EXPECT_NE(hash<void(int)>, hash<void(float)>);
  EXPECT_NE(hash<void(int)>, hash<int()>);
  EXPECT_NE(hash<void(int, int)>, hash<void(two::plain)>);
  EXPECT_NE((hash<void(int, long)>), (hash<void(long, int)>));
  EXPECT_NE(hash<void(one::first_long)>, hash<void(two::first_int)>);
  EXPECT_NE(hash<void(one::packed)>, hash<void(two::plain)>);
  EXPECT_NE(hash<void(std::vector<int>)>, hash<void(std::set<int>)>);
}

TEST(signature, asks_closed_classes_for_a_name_size_and_alignment) {
  EXPECT_EQ(text<void(one::closed)>(), "void(test.closed size 4 align 4)");
  EXPECT_NE(hash<void(one::closed)>, hash<void(two::sealed)>);
  EXPECT_EQ(text<void(one::listed)>(), "void(test.listed size 4 align 4)");
  EXPECT_EQ(text<void(one::box<short>)>(), "void(test.box<int16> size 2 align 2)");
}

// The same numbers from every compiler: programs of different compilers meet.
TEST(signature, is_the_same_everywhere) {
  EXPECT_EQ(hash<double(double)>, 0x9e52fdb38221b738u);
  EXPECT_EQ(hash<void(one::item)>, 0x4d1a80a90e1ca274u);
}

}  // namespace
