// SPDX-License-Identifier: Apache-2.0
#include <complex>
#include <deque>
#include <list>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "armilla/wire/wire_testing.hpp"

namespace armilla::detail {
namespace {

struct inner {
  int id;
  std::string name;
  bool operator==(const inner&) const = default;
};
struct outer {
  std::vector<inner> parts;
  double matrix[2][2];
  inner pair_of[2];
  std::optional<inner> maybe;
  bool operator==(const outer&) const = default;
};
class stubborn {  // no default constructor
 public:
  explicit stubborn(int v) : v_(v) {}
  bool operator==(const stubborn&) const = default;

 private:
  int v_;
};
struct with_stubborn {
  stubborn a;
  std::string b;
  bool operator==(const with_stubborn&) const = default;
};
struct empty {
  bool operator==(const empty&) const = default;
};

// One random value of any type; sizes shrink with depth.
std::mt19937_64 random_bits(1);

std::size_t some_size() { return random_bits() % 5; }

template <class T>
T make();

template <class T, std::size_t... I>
T make_variant(std::index_sequence<I...>) {
  const std::size_t which = random_bits() % sizeof...(I);
  T value;
  static_cast<void>(((which == I && (value.template emplace<I>(make<std::variant_alternative_t<I, T>>()), true)) || ...));
  return value;
}

template <class T, std::size_t... I>
T make_tuple_of(std::index_sequence<I...>) {
  return T{make<std::remove_cv_t<std::tuple_element_t<I, T>>>()...};
}

template <class T>
T make_container() {
  T c;
  for (std::size_t n = some_size(); n != 0; --n) {
    if constexpr (map_like<T>)
      c.emplace_hint(c.end(), make<typename T::key_type>(), make<typename T::mapped_type>());
    else if constexpr (associative<T>)
      c.insert(c.end(), make<typename T::value_type>());
    else
      c.push_back(make<typename T::value_type>());
  }
  return c;
}

template <class T>
void make_into(T& target) {
  if constexpr (std::is_array_v<T>)
    for (auto& element : target) make_into(element);
  else
    target = make<T>();
}

template <class T>
T make() {
  if constexpr (std::is_same_v<T, bool>)
    return random_bits() % 2 != 0;
  else if constexpr (std::is_arithmetic_v<T>)
    return static_cast<T>(random_bits() % 1000);
  else if constexpr (std::is_same_v<T, stubborn>)
    return stubborn(static_cast<int>(random_bits()));
  else if constexpr (std::is_same_v<T, with_stubborn>)
    return {make<stubborn>(), make<std::string>()};
  else if constexpr ((kind_of<T> == kind::optional))
    return random_bits() % 2 != 0 ? T(make<typename T::value_type>()) : T();
  else if constexpr ((kind_of<T> == kind::variant))
    return make_variant<T>(std::make_index_sequence<std::variant_size_v<T>>{});
  else if constexpr (container<T> && !is_std_array<T>)
    return make_container<T>();
  else if constexpr (tuple_like<T> && !is_std_array<T>)
    return make_tuple_of<T>(std::make_index_sequence<std::tuple_size_v<T>>{});
  else {
    T value{};
    if constexpr (is_std_array<T>)
      for (auto& element : value) make_into(element);
    else
      visit_members(value, [](auto&... member) { (make_into(member), ...); });
    return value;
  }
}

template <class T>
class round_trip : public testing::Test {};

using types = testing::Types<
    int, bool, double, std::complex<float>, std::array<short, 3>, std::array<std::string, 3>, std::string, std::u16string,
    std::vector<char>, std::vector<bool>, std::vector<inner>, std::vector<std::vector<std::string>>, std::deque<int>,
    std::list<outer>, std::map<std::string, std::vector<inner>>, std::multimap<int, bool>, std::set<std::pair<int, std::string>>,
    std::multiset<char>, std::unordered_map<int, std::map<int, std::string>>, std::unordered_set<std::string>,
    std::unordered_multimap<std::string, double>, std::optional<std::optional<std::string>>, std::optional<bool>,
    std::variant<std::monostate, int, std::string, std::vector<std::variant<char, std::string>>>, std::pair<char, double>,
    std::tuple<>, std::tuple<int, std::string, std::tuple<char, std::vector<long>>>, inner, outer, with_stubborn,
    std::vector<stubborn>, std::map<int, empty>, std::vector<empty>, std::vector<std::tuple<>>, empty>;
TYPED_TEST_SUITE(round_trip, types);

TYPED_TEST(round_trip, what_arrives_equals_what_was_sent) {
  for (int i = 0; i < 50; ++i) {
    const auto sent = make<TypeParam>();
    EXPECT_TRUE(through(sent) == sent);
  }
}

// Small values are copied in words.
template <class T, std::size_t N>
struct lump {
  T parts[N];
  bool operator==(const lump&) const = default;
};

template <class T, std::size_t N>
void expect_bytes_of_a_lump() {
  lump<T, N> sent;
  for (T& part : sent.parts) part = T(random_bits());
  message m = message::of('x', sent);
  EXPECT_EQ(std::memcmp(m.data() + alignof(T), &sent, sizeof sent), 0) << sizeof(T) << " x " << N;
  decoder in = m.reader();
  EXPECT_EQ(in.get<char>(), 'x');
  EXPECT_TRUE((in.get<lump<T, N>>() == sent)) << sizeof(T) << " x " << N;
}

TEST(small_value, of_any_size_and_alignment_lies_byte_by_byte_as_in_memory) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (expect_bytes_of_a_lump<std::uint8_t, I + 1>(), ...);
    (expect_bytes_of_a_lump<std::uint16_t, I + 1>(), ...);
    (expect_bytes_of_a_lump<std::uint32_t, I + 1>(), ...);
    (expect_bytes_of_a_lump<std::uint64_t, I + 1>(), ...);
  }(std::make_index_sequence<12>{});
}

TYPED_TEST(round_trip, the_encoder_writes_what_the_sizer_counts) {
  for (int i = 0; i < 20; ++i) {
    const auto sent = make<TypeParam>();
    message m(encoded_size('x', sent, 1));
    encoder out(m.data());
    out.put('x');
    out.put(sent);
    out.put(1);
    EXPECT_EQ(align_up(out.size(), arguments_align), m.size());
  }
}

TEST(round_trip_of_arguments, each_comes_in_its_order) {
  const auto sent = make<outer>();
  message m = message::of('a', sent, 2.5, std::string("end"));
  decoder in = m.reader();
  EXPECT_EQ(in.get<char>(), 'a');
  EXPECT_TRUE(in.get<outer>() == sent);
  EXPECT_EQ(in.get<double>(), 2.5);
  EXPECT_EQ(in.get<std::string>(), "end");
  EXPECT_LT(in.remaining(), 8u);
}

TEST(round_trip_of_arguments, elements_of_large_alignment_arrive_aligned) {
  const std::vector<long double> sent = {1.5L, 2.5L, 3.5L};
  message m = message::of('a', sent);
  decoder in = m.reader();
  in.get<char>();
  EXPECT_EQ(in.get<std::vector<long double>>(), sent);
}

struct fragile {
  std::string text;
  fragile() = default;
  explicit fragile(int) { throw 1; }
  void define_type(auto& t) { t.local(text); }
};

TEST(round_trip_of_arguments, a_variant_without_a_value_cannot_be_sent) {
  std::variant<int, fragile> v;
  EXPECT_THROW(v.emplace<1>(1), int);
  ASSERT_TRUE(v.valueless_by_exception());
  EXPECT_THROW(message::of(v), usage_error);
}

}  // namespace
}  // namespace armilla::detail
