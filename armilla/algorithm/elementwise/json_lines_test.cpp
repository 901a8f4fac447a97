// SPDX-License-Identifier: Apache-2.0
// JSON lines into values of any shape and back; or refused with line and field.
#include "armilla/json_lines.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "armilla/array.hpp"
#include "armilla/container/files/files_testing.hpp"
#include "armilla/vector.hpp"

namespace am = armilla;
using files_testing::text_file;
using namespace std::literals;

namespace {

struct point {
  double x = 0, y = 0;
  bool operator==(const point&) const = default;
};
struct town {
  std::string name;
  std::optional<double> area;
  std::int64_t people = 0;
  bool port = false;
  std::vector<point> outline;
  std::map<std::string, std::vector<int>> years;
  std::tuple<int, std::string> code;
  std::chrono::sys_time<std::chrono::milliseconds> since;
  bool operator==(const town&) const = default;
};

/// Without the plug-in, all ranks get an error that says how to have it; then there is nothing else to test.
bool is_available() {
  const text_file file("1\n");
  try {
    am::read_json_lines<int>(file.path());
    return true;
  } catch (const am::usage_error& e) {
    EXPECT(std::string(e.what()).find("libsimdjson-dev") != std::string::npos);
    return false;
  }
}

template <class T>
std::vector<T> values_of(const std::string& text, am::file_options how = {}) {
  const text_file file(text);
  how.members = am::world().split(am::rank());
  std::vector<T> all;
  for (const T& value : am::read_json_lines<T>(file.path(), how).local()) all.push_back(value);
  return all;
}
template <class T>
std::string error_of(const std::string& text, const am::file_options& how = {}) {
  try {
    values_of<T>(text, how);
  } catch (const am::usage_error& e) { return e.what(); }
  return "";
}
bool says(const std::string& whole, const char* part) {
  if (whole.find(part) == whole.npos) std::fprintf(stderr, "'%s' lacks '%s'\n", whole.c_str(), part);
  return whole.find(part) != whole.npos;
}

}  // namespace

RANK_TEST(values_of_every_kind) {
  if (!is_available()) return;
  const std::vector<town> two = values_of<town>(
      R"({"name":"B\u00e9\n\"\\","area":1.5,"people":9007199254740993,"port":true,"outline":[{"x":1,"y":-2.5e3},{"y":0,"x":7}],)"
      R"("years":{"a b":[1,2],"":[]},"code":[5,"x"],"since":"2026-11-30T12:00:00.250Z","more":{"deep":[1,[2,{"x":3}]]}})"
      "\n\n \t\r\n"
      R"({ "since" : "1970-01-01", "code":[-1,""], "years":{}, "outline":[], "port":false, "people":5.0, "name":"" })");
  const auto noon = std::chrono::sys_days(std::chrono::year(2026) / 11 / 30) + 12h + 250ms;
  const std::vector<town> expected = {
      {"B\xC3\xA9\n\"\\", 1.5, 9007199254740993, true, {{1, -2500}, {7, 0}}, {{"a b", {1, 2}}, {"", {}}}, {5, "x"}, noon},
      {"", {}, 5, false, {}, {}, {-1, ""}, {}}};
  EXPECT(two == expected);
  EXPECT((values_of<std::vector<std::optional<int>>>("[1,null,3]\n[]\n") ==
          std::vector<std::vector<std::optional<int>>>{{1, {}, 3}, {}}));
  EXPECT((values_of<std::array<bool, 2>>("[true,false]") == std::vector<std::array<bool, 2>>{{true, false}}));
  EXPECT((values_of<std::uint64_t>("18446744073709551615\n0\n1e3\n") == std::vector<std::uint64_t>{~0ULL, 0, 1000}));
  EXPECT(
      (values_of<double>("123456789012345678901234567890\n-0.0\n") == std::vector<double>{123456789012345678901234567890.0, 0}));
  const std::vector<double> none = values_of<double>("null\n");
  EXPECT(none.size() == 1 && none[0] != none[0]);
  EXPECT((values_of<std::string_view>("\"a\"").size() == 1));
  EXPECT((values_of<point>(R"({"a b":1,"y":3,"y-1":2,"x":9})", {.columns = {"a b", "y-1"}}) == std::vector<point>{{1, 2}}));
  EXPECT((values_of<point>(R"({"x":1,"y":3,"x":2})") == std::vector<point>{{2, 3}}));
  EXPECT((values_of<point>("x\n{\"x\":1,\"y\":2}\n{\"x\":1}\n", {.skip_bad = true}) == std::vector<point>{{1, 2}}));
}

RANK_TEST(maps_of_the_standard_and_binary_files) {
  if (!is_available()) return;
  using map = std::map<std::string, int>;
  EXPECT((values_of<map>(R"({"a":1,"b":2,"a":3})") == std::vector<map>{{{"a", 3}, {"b", 2}}}));
  static_assert(am::detail::json_map<std::unordered_map<std::string, int>>);
  static_assert(!am::detail::json_map<std::multimap<std::string, int>>, "of which no key has one value");
  EXPECT_THROWS_SAYING(am::usage_error, "byte 2 is NUL", values_of<int>(std::string("1\n\0", 3)));
}

RANK_TEST(lines_that_do_not_fit_are_errors_with_line_and_field) {
  if (!is_available()) return;
  const std::string good = "{\"x\":1,\"y\":2}\n\n";
  EXPECT(says(error_of<point>(good + "{\"x\":1}"), "line 3: field 'y': it is missing; only a std::optional may be missing"));
  EXPECT(
      says(error_of<point>(good + "{\"x\":\"a\",\"y\":1}"), "line 3: field 'x': it is the string 'a', and should be a number"));
  EXPECT(says(error_of<point>(good + "[1,2]"), "line 3: it is an array of 2, and should be an object"));
  EXPECT(says(error_of<point>(good + "{\"x\":1,\"y\":2"), "line 3: it is not a value in JSON: "));
  EXPECT(says(error_of<point>("[\n{\"x\":1,\"y\":2}\n]\n"), "jq -c '.[]'"));
  EXPECT(
      says(error_of<std::vector<std::vector<int>>>("[[1],[2,3.5]]"), "field '[1][1]': it is 3.5, and should be a whole number"));
  const std::string outline =
      R"({"name":"","area":1,"people":1,"port":true,"years":{},"code":[1,""],"since":"2026-01-01","outline":[{"x":1,"y":null},{"x":1,"y":true}]})";
  EXPECT(says(error_of<town>(outline), "field 'outline[1].y': it is true, and should be a number"));
  EXPECT(says(error_of<int>("null"), "it is null, and should be a whole number that its type holds; only std::optional"));
  EXPECT(says(error_of<std::int8_t>("128.0"), "it is 128.0"));
  EXPECT(says(error_of<std::uint8_t>("-1"), "it is -1"));
  EXPECT(says(error_of<float>("1e39"), "it is 1e39"));
  EXPECT(says(error_of<std::pair<int, int>>("[1]"), "it is an array of 1, and should have 2 elements"));
  EXPECT(says(error_of<std::chrono::sys_days>("\"2026-13-01\""), "should be a date or time in a string"));
  EXPECT(says(error_of<std::map<std::string, int>>("{\"a\":[]}"), "field 'a': it is an array of 0"));
  EXPECT(says(error_of<std::vector<int>>(std::string(100, '[') + std::string(100, ']')), "64 levels"));
  for (const char* bad :
       {"{\"x\":1 \"y\":2}", "nul", "\"a", "\"\xff\"", "{} {}", "1 2", "[1,]", "{,}", "01", "1.", "+1", "NaN", "\"\x01\"", "}"})
    EXPECT(says(error_of<int>(bad), "line 1: "));
  EXPECT_THROWS_SAYING(am::usage_error, "1 names of columns for 2 fields",
                       am::read_json_lines<point>("/dev/null", {.columns = {"x"}}));
  EXPECT_THROWS_SAYING(am::usage_error, "No such file", am::read_json_lines<point>("/no/such/file"));
}

RANK_TEST(what_is_written_is_read_on_any_number_of_ranks) {
  const text_file base("");
  std::vector<town> all;
  for (int i = 0; i < 500; ++i) {
    town t;
    t.name = "t" + std::to_string(i) + (i % 7 == 0 ? "\x01\t\n\"\\\xE2\x82\xAC" : "");
    t.people = i * 1'000'000'007LL;
    if (i % 3 != 0) t.area = i / 3.0;
    t.port = i % 2 == 0;
    for (int k = 0; k < i % 4; ++k) t.outline.push_back({k + 0.1, -1.0 / (i + 1)});
    if (i % 5 == 0) t.years = {{"x", {i}}, {"\n", {}}};
    t.code = {i, ""};
    t.since += std::chrono::milliseconds(i * 86'399'999LL);
    all.push_back(t);
  }
  const std::size_t ranks = std::size_t(am::ranks()), rank = std::size_t(am::rank());
  const std::size_t first = all.size() * rank / ranks, end = all.size() * (rank + 1) / ranks;
  for (const char* name : {"", ".gz", ".zst"}) {
    const std::string path = base.path() + ".jsonl" + name;
    am::write_json_lines(path, std::vector<town>(all.begin() + long(first), all.begin() + long(end)));
    if (is_available()) {
      std::size_t mine = 0, good = 0;
      for (const town& t : am::read_json_lines<town>(path).local()) {
        ++mine;
        const std::size_t i = std::size_t(std::get<0>(t.code));
        good += i < all.size() && t == all[i] ? 1 : 0;
      }
      EXPECT_EQ(good, mine);
      EXPECT_EQ(am::all_reduce(mine, std::plus<>{}), all.size());
    }
    am::barrier();
    if (am::rank() == 0) std::remove(path.c_str());
    am::barrier();
  }
}

RANK_TEST(containers_are_written_in_their_order) {
  const text_file file("");
  am::array<double> x(5, am::cyclic());
  for (std::size_t k = 0; k < x.local().size(); ++k) x.local()[k] = double(x.index_of_local(k)) / 2;
  am::fence();
  am::write_json_lines(file.path(), x);
  std::string text;
  for (const std::string_view line : am::read_lines(file.path(), {.members = am::world().split(am::rank())}).local())
    (text += line) += " ";
  EXPECT_EQ(text, "0 0.5 1 1.5 2 ");
  am::barrier();
  am::write_json_lines(file.path(),
                       am::rank() == 0 ? std::vector<point>{{1, std::numeric_limits<double>::quiet_NaN()}} : std::vector<point>(),
                       {.columns = {"a b", "\""}});
  text = "";
  for (const std::string_view line : am::read_lines(file.path(), {.members = am::world().split(am::rank())}).local())
    text += line;
  EXPECT_EQ(text, R"({"a b":1,"\"":null})");
  am::barrier();
  EXPECT_THROWS_SAYING(am::remote_error, "no infinite numbers", am::write_json_lines(file.path(), std::vector<double>{1 / 0.0}));
  EXPECT_THROWS_SAYING(am::remote_error, "is not UTF-8", am::write_json_lines(file.path(), std::vector<std::string>{"\xC3"}));
  for (const char* bad : {"\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\x80"})
    EXPECT_THROWS_SAYING(am::remote_error, "is not UTF-8", am::write_json_lines(file.path(), std::vector<std::string>{bad}));
}
