// SPDX-License-Identifier: Apache-2.0
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "armilla/wire/wire_testing.hpp"

// Bytes as no rank of this build would send them.
namespace armilla::detail {
namespace {

struct record {
  std::string name;
  std::vector<int> numbers;
  std::optional<std::string> more;
};

template <class T>
std::string complaint(message m) {
  try {
    m.reader().get<T>();
  } catch (const decode_error& e) { return e.what(); }
  return "no complaint";
}

template <class T>
void every_prefix_is_refused(const T& value) {
  message whole = message::of(value);
  sizer used;
  write_value(used, value);
  for (std::size_t n = 0; n < used.size(); ++n) EXPECT_THROW(whole.cut(n).reader().template get<T>(), decode_error) << n;
  EXPECT_NO_THROW(whole.cut(used.size()).reader().template get<T>());
}

TEST(hostile, every_prefix_of_a_message_is_refused) {
  every_prefix_is_refused(42);
  every_prefix_is_refused(std::string("hello"));
  every_prefix_is_refused(std::vector<int>{1, 2, 3});
  every_prefix_is_refused(std::map<int, std::string>{{1, "a"}, {2, "bb"}});
  every_prefix_is_refused(std::variant<int, std::string>("abc"));
  every_prefix_is_refused(std::list<std::tuple<char, double>>{{'a', 1.0}, {'b', 2.0}});
  every_prefix_is_refused(record{"name", {1, 2}, "more"});
}

TEST(hostile, an_error_names_the_sender_and_the_numbers) {
  EXPECT_EQ(
      complaint<int>(message(2)),
      "armilla: decode: bytes from rank 5: a value of 4 bytes at offset 0 does not fit into a message of 2 bytes; both ranks "
      "must run the same build");
  EXPECT_NE(complaint<std::string>(message::of(std::string("abc")).with(0, 1000)).find("a count of 1000 elements"),
            std::string::npos);
}

// Counts that overflow when multiplied by the size of an element, or that would fill the memory if believed.
template <class T>
void no_count_is_believed(const T& value) {
  for (const std::uint64_t count :
       {~std::uint64_t{0}, std::uint64_t{1} << 63, (std::uint64_t{1} << 61) + 1, std::uint64_t{1} << 40})
    EXPECT_THROW(message::of(value).with(0, count).reader().template get<T>(), decode_error);
}

TEST(hostile, no_count_is_believed) {
  no_count_is_believed(std::string("abc"));
  no_count_is_believed(std::vector<double>{1, 2});
  no_count_is_believed(std::vector<std::string>{"a"});
  no_count_is_believed(std::vector<bool>{true});
  no_count_is_believed(std::vector<std::monostate>(3));
  no_count_is_believed(std::vector<long double>{1});
  no_count_is_believed(std::set<int>{1});
  no_count_is_believed(std::map<int, std::monostate>{{1, {}}});
  no_count_is_believed(std::unordered_map<int, std::string>{{1, "x"}});
}

TEST(hostile, no_count_of_a_view_is_believed) {
  const std::vector<int> numbers = {1, 2, 3};
  for (const std::uint64_t count : {~std::uint64_t{0}, (std::uint64_t{1} << 62) + 1, std::uint64_t{100}})
    EXPECT_THROW(message::of(view(numbers)).with(0, count).reader().get<view<int>>(), decode_error);
}

TEST(hostile, an_optional_is_there_or_not) {
  EXPECT_NE(complaint<std::optional<int>>(message::of(std::optional<int>(1)).with(0, 2)).find("neither there nor not"),
            std::string::npos);
}

TEST(hostile, a_variant_has_one_of_its_alternatives) {
  using type = std::variant<int, std::string>;
  EXPECT_NE(complaint<type>(message::of(type(1)).with(0, 2)).find("an alternative that its type has not"), std::string::npos);
}

TEST(hostile, a_bool_is_true_or_false_whatever_its_byte_says) {
  message m = message::of(true).with(0, 0x42);
  const bool value = m.reader().get<bool>();
  EXPECT_EQ(static_cast<int>(value), 1);
}

TEST(hostile, a_small_element_on_the_wire_reserves_no_large_block) {
  using large = std::optional<std::array<char, 4096>>;
  const std::vector<large> value(1000);
  message m = message::of(value);
  const auto got = m.reader().get<std::vector<large>>();
  EXPECT_EQ(got.size(), 1000u);
  std::vector<large> room;
  reserve(room, 1'000'000, m.size());
  EXPECT_LE(room.capacity() * sizeof(large), m.size() + 16 * sizeof(large));
}

}  // namespace
}  // namespace armilla::detail
