// SPDX-License-Identifier: Apache-2.0
// Records as aggregates, columns by name, values of fields, and the same written.
#include <array>
#include <chrono>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "armilla/array.hpp"
#include "armilla/container/files/files_testing.hpp"
#include "armilla/files.hpp"

namespace am = armilla;
using namespace files_testing;
using namespace std::chrono_literals;
using namespace std::string_literals;

namespace {

struct sale {
  std::string town;
  std::optional<double> price;
  bool paid = false;
  std::chrono::sys_days day;
  friend bool operator==(const sale&, const sale&) = default;
};

/// All items of all ranks.
template <class Item, class Range>
std::vector<Item> all_of(const Range& read) {
  std::vector<Item> mine;
  for (const auto& item : read.local()) mine.push_back(item);
  return am::all_gather_v(mine);
}
std::string contents(const std::string& path) {
  std::string all;
  for (const std::string& line : joined(am::read_lines(path).local())) all += line + "\n";
  return all;
}
/// The same on all ranks: the error of the first rank that has one.
template <class F>
std::string error_of(F f) {
  std::string what;
  try {
    f();
  } catch (const am::error& e) { what = e.what(); }
  for (const std::string& of_one : am::all_gather_v(std::vector<std::string>{what}))
    if (!of_one.empty()) return of_one;
  return {};
}
bool says(const std::string& text, const std::string& part) {
  if (text.find(part) != text.npos) return true;
  EXPECT_EQ(text, part);
  return false;
}
/// The error of opening it, or of a rank's loop.
template <class... T>
std::string error_of_reading(const std::string& text, const am::file_options& how = {}) {
  const text_file file(text);
  return error_of([&] {
    for (const auto& row : am::read_csv<T...>(file.path(), how).local()) static_cast<void>(row);
  });
}
template <class T>
std::vector<T> values_of(const std::string& text, am::file_options how = {}) {
  const text_file file(text);
  std::vector<T> all;
  for (const auto& [value] : all_of<std::tuple<T>>(am::read_csv<T>(file.path(), how))) all.push_back(value);
  return all;
}

}  // namespace

RANK_TEST(an_aggregate_is_read_by_the_names_of_its_members) {
  const text_file file(
      "day,extra,price,town,paid\n2024-02-29,x,1.5,\"Paris, TX\",true\n1969-12-31,,,Rome,No\n0001-01-01,,-2,\"\",1\n");
  using std::chrono::sys_days, std::chrono::year;
  const std::vector<sale> expected = {{"Paris, TX", 1.5, true, sys_days(year(2024) / 2 / 29)},
                                      {"Rome", {}, false, sys_days(year(1969) / 12 / 31)},
                                      {"", -2, true, sys_days(year(1) / 1 / 1)}};
  EXPECT(all_of<sale>(am::read_csv<sale>(file.path(), {.header = true})) == expected);
  EXPECT(all_of<sale>(am::read_csv<sale>(file.path(), {.columns = {"town", "price", "paid", "day"}})) == expected);
}

RANK_TEST(columns_are_chosen_for_tuples_and_for_fields_without_types) {
  const text_file file("\xEF\xBB\xBF\"a,1\";b;c\r\n1;2;3\r\n\r\n4;5;6\r\n");
  const am::file_options how{.separator = ';', .columns = {"c", "a,1"}};
  EXPECT((all_of<std::tuple<int, int>>(am::read_csv<int, int>(file.path(), how)) ==
          std::vector<std::tuple<int, int>>{{3, 1}, {6, 4}}));
  std::vector<std::string> mine;
  for (const auto& fields : am::read_csv(file.path(), how).local())
    mine.push_back(std::string(fields.at(0)) + "/" + std::string(fields.at(1)));
  EXPECT_EQ(am::all_gather_v(mine), (std::vector<std::string>{"3/1", "6/4"}));
}

RANK_TEST(an_aggregate_without_names_has_the_fields_in_order) {
  const text_file file("Rome,1,0,2020-01-01\n");
  const std::vector<sale> all = all_of<sale>(am::read_csv<sale>(file.path()));
  EXPECT(all.size() == 1 && all[0].town == "Rome" && all[0].price == 1 && !all[0].paid);
}

RANK_TEST(columns_that_are_not_there_are_an_error_of_all_ranks) {
  struct two {
    int a, x;
  };
  const text_file file("a,b,b\n1,2,3\n");
  EXPECT_THROWS_SAYING(am::usage_error, "it has no column 'x'; its first record is: a, b, b",
                       am::read_csv<two>(file.path(), {.header = true}));
  EXPECT_THROWS_SAYING(am::usage_error, "two of its columns are called 'b'", am::read_csv<int>(file.path(), {.columns = {"b"}}));
  EXPECT_THROWS_SAYING(am::usage_error, "1 names of columns for 2 fields", am::read_csv<two>(file.path(), {.columns = {"b"}}));
  const text_file empty("# nothing\n\n");
  EXPECT_THROWS_SAYING(am::usage_error, "it is empty", am::read_csv<two>(empty.path(), {.header = true, .comment = '#'}));
}

RANK_TEST(a_record_with_another_number_of_fields_is_shown) {
  struct two {
    int a, b;
  };
  EXPECT(says(error_of_reading<int, int>("b,a\n1,2\n\n3,4,\"x\ty\"\r\n", {.columns = {"a", "b"}}),
              "line 4: 3 fields where there should be 2: '3,4,\"x\\ty\"'"));
  const text_file file("b,a\n1,2\n\n3,4,\"x\ty\"\r\n");
  const auto lenient = am::read_csv<two>(file.path(), {.skip_bad = true, .header = true});
  int sum = 0;
  for (const two& e : lenient.local()) sum += 10 * e.a + e.b;
  EXPECT_EQ(am::all_reduce(sum, std::plus<>{}), 21);
  EXPECT_EQ(am::all_reduce(lenient.skipped(), std::plus<>{}), 1U);
}

RANK_TEST(a_bad_field_is_named_with_its_column) {
  const auto error = [](const std::string& text, am::file_options how = {.header = true}) {
    return error_of_reading<sale>(text, how);
  };
  const std::string first = "paid,day,price,town\n";
  EXPECT(says(error(first + "maybe,2020-01-01,1,x\n"), "line 2: 'maybe' in field 1 (column 'paid') is not a bool"));
  EXPECT(says(error(first + "yes,2020-02-30,1,x\n"), "'2020-02-30' in field 2 (column 'day') is not a date"));
  EXPECT(says(error(first + "yes,2020-01-01,NA,x\n"),
              "'NA' in field 3 (column 'price') is not a double; file_options::missing lists"));
  EXPECT(says(error(first + "yes,,1,x\n"), "field 2 (column 'day') is empty"));
  EXPECT_EQ(error(first + "yes,2020-01-01,NA,NA\n", {.header = true, .missing = {"NA", "nan"}}), "");
}

RANK_TEST(texts_that_are_missing_values_are_those_of_the_options) {
  using value = std::optional<double>;
  EXPECT(
      (values_of<value>("x\n1\n NA \n-\n\"\"\n", {.header = true, .missing = {"NA", "-"}}) == std::vector<value>{1, {}, {}, {}}));
  const std::vector<value> numbers = values_of<value>("nan\n5\n");
  EXPECT(numbers.size() == 2 && *numbers[0] != *numbers[0]);
  using text = std::optional<std::string>;
  EXPECT((values_of<text>("NA\nx\n", {.missing = {"NA"}}) == std::vector<text>{{}, "x"}));
  EXPECT((values_of<text>("NA\n") == std::vector<text>{"NA"}));
}

RANK_TEST(optional_strings_in_quotes_are_values) {
  struct row {
    std::optional<std::string> a, b;
    bool operator==(const row&) const = default;
  };
  const std::vector<row> expected = {{"NA", {}}, {{}, ""}, {"", "NA"}, {" NA", "a\"NA"}, {{}, {}}};
  const text_file file("");
  const am::file_options how{.missing = {"NA"}};
  am::write_csv(file.path(), am::rank() == 0 ? expected : std::vector<row>(), how);
  EXPECT_EQ(contents(file.path()), "\"NA\",NA\nNA,\"\"\n\"\",\"NA\"\n\" NA\",\"a\"\"NA\"\nNA,NA\n");
  EXPECT(all_of<row>(am::read_csv<row>(file.path(), how)) == expected);
  am::write_csv(file.path(), am::rank() == 0 ? expected : std::vector<row>());
  EXPECT(all_of<row>(am::read_csv<row>(file.path())) == expected);
  using text = std::optional<std::string>;
  EXPECT((values_of<text>("\"\"\n\"NA\"\n", how) == std::vector<text>{{}, "NA"}));
  EXPECT((values_of<std::optional<int>>("\"NA\"\n\"5\"\n", how) == std::vector<std::optional<int>>{{}, 5}));
}

RANK_TEST(floating_point_times_have_fractions) {
  using time = std::chrono::sys_time<std::chrono::duration<double>>;
  using minutes = std::chrono::sys_time<std::chrono::duration<double, std::ratio<60>>>;
  const std::vector<time> expected = {time(0.5s), time(-1.25s), time(1767225600.0625s)};
  EXPECT(values_of<time>("1970-01-01T00:00:00.5\n1969-12-31T23:59:58.75\n2026-01-01T00:00:00.0625\n") == expected);
  EXPECT(values_of<minutes>("1970-01-01T00:00:45\n") == std::vector{minutes(minutes::duration(0.75))});
  const text_file file("");
  std::vector<std::tuple<time>> mine;
  for (const time t : expected) mine.emplace_back(t);
  am::write_csv(file.path(), am::rank() == 0 ? mine : std::vector<std::tuple<time>>());
  EXPECT_EQ(contents(file.path()),
            "1970-01-01T00:00:00.500000000\n1969-12-31T23:59:58.750000000\n2026-01-01T00:00:00.062500000\n");
  mine = {{time(time::duration(std::numeric_limits<double>::quiet_NaN()))}};
  EXPECT_THROWS_SAYING(am::remote_error, "no year of four digits", am::write_csv(file.path(), mine));
}

RANK_TEST(times_are_read_exactly_or_not) {
  using std::chrono::sys_seconds, std::chrono::sys_time;
  using nanos = sys_time<std::chrono::nanoseconds>;
  EXPECT((values_of<sys_seconds>(
              "1970-01-02\n1970-01-01 00:01\n1970-01-01T01:00:01+01:00\n1969-12-31T23:59:59Z\n1970-01-01T00:00:00-0130\n") ==
          std::vector{sys_seconds(86400s), sys_seconds(60s), sys_seconds(1s), sys_seconds(-1s), sys_seconds(5400s)}));
  EXPECT((values_of<nanos>("1970-01-01T00:00:00.5\n1969-12-31T23:59:59.999999999\n") ==
          std::vector{nanos(500'000'000ns), nanos(-1ns)}));
  const auto refused = [](auto type, const std::string& text) {
    const bool day = std::is_same_v<decltype(type), std::chrono::sys_days>;
    return says(error_of_reading<decltype(type)>(text + "\n"), day ? "is not a date" : "is not a time");
  };
  for (const char* text :
       {"1970-01-01T00:00:00.5", "1970-1-01", "1970-01-01T24:00", "1970-13-01", "1970-01-01T", "1970-01-01T00:00+1", "70-01-01",
        "1970-01-01T00:00:60", "1970-01-01T00:00:00.", "1970-01-01 x", "2100-02-29", "01.02.1970"})
    EXPECT(refused(sys_seconds(), text));
  EXPECT(refused(nanos(), "2300-01-01"));
  EXPECT(refused(nanos(), "2000-01-01T00:00:00.0000000001"));
  EXPECT(refused(std::chrono::sys_days(), "2000-01-01T12:00"));
  EXPECT((values_of<std::chrono::sys_days>("2000-01-01T00:00\n") ==
          std::vector{std::chrono::sys_days(std::chrono::year(2000) / 1 / 1)}));
}

RANK_TEST(a_decimal_comma_takes_the_place_of_the_point) {
  const am::file_options how{.separator = ';', .decimal = ','};
  EXPECT_EQ(values_of<double>("1,5\n-2e3\n+0,25\n", how), (std::vector<double>{1.5, -2000, 0.25}));
  EXPECT(says(error_of_reading<double>("1.5\n", how), "'1.5' in field 1"));
  EXPECT(says(error_of_reading<double>(std::string(200, '1') + "\n", how), "in field 1"));
  const text_file file("a\n");
  EXPECT_THROWS_SAYING(am::usage_error, "the decimal point must be neither", am::read_csv<double>(file.path(), {.decimal = ','}));
}

RANK_TEST(comments_are_skipped_wherever_the_file_is_cut) {
  std::string text = "\xEF\xBB\xBF# it isn't \"quoted\n# nor \"this\",x\nk,s\n";
  std::vector<std::string> expected;
  for (int i = 0; i < 60; ++i) {
    text += i % 3 == 0 ? "#" + std::string(std::size_t(i), '"') + "\n" : "";
    text += std::to_string(i) + ",\"a\n#b\"\n";
    expected.push_back(std::to_string(i) + "a\n#b");
  }
  const text_file file(text + "#\"");
  std::vector<std::string> mine;
  for (const auto& [k, s] : am::read_csv<int, std::string>(file.path(), {.header = true, .comment = '#'}).local())
    mine.push_back(std::to_string(k) + s);
  EXPECT_EQ(am::all_gather_v(mine), expected);
  EXPECT(says(error_of_reading<>("", {.comment = ','}), "what begins a comment"));
  EXPECT(says(error_of_reading<int, int>("#\n1,2\n#\nx,y\n", {.comment = '#'}), "line 4: 'x'"));
}

RANK_TEST(empty_lines_and_comments_before_the_header_may_fill_the_first_parts) {
  struct row {
    int a = 0;
    std::string b;
    bool operator==(const row&) const = default;
  };
  std::string comments, lines(100, '\n');
  for (int i = 0; i < 30; ++i) comments += "# a, \"quote\n";
  const std::vector<row> expected = {{2, "x"}, {4, "y"}};
  for (const std::string& before : {comments, lines, lines + comments + lines, "\n"s}) {
    const text_file file(before + "b,a\nx,2\ny,4\n");
    EXPECT(all_of<row>(am::read_csv<row>(file.path(), {.header = true, .comment = '#'})) == expected);
    std::vector<std::string> first;
    for (const auto& fields : am::read_csv(file.path(), {.header = true, .comment = '#'}).local()) first.emplace_back(fields[0]);
    EXPECT_EQ(am::all_gather_v(first), (std::vector<std::string>{"x", "y"}));
  }
}

RANK_TEST(a_byte_order_mark_is_not_cut_in_short_files) {
  for (const char* text : {"\xEF\xBB\xBF", "\xEF\xBB\xBF# c\n", "\xEF\xBB\xBFx\n", "\xEF\xBB\xBF# \"\nx\n"}) {
    const text_file file(text);
    std::vector<std::string> all;
    for (const auto& fields : am::read_csv(file.path(), {.comment = '#'}).local()) all.emplace_back(fields[0]);
    EXPECT_EQ(am::all_gather_v(all),
              std::string(text).ends_with("x\n") ? std::vector<std::string>{"x"} : std::vector<std::string>());
  }
}

// Fields end at any byte of a word, and records anywhere in a share.
RANK_TEST(fields_of_any_length_are_read_wherever_the_file_is_cut) {
  using record = std::tuple<std::string, std::string, std::string, std::string>;
  for (const std::size_t longest : {3, 9, 30}) {
    std::vector<record> expected;
    std::string text;
    for (std::size_t i = 0; i < 200; ++i) {
      const std::string plain(i % longest, char('a' + i % 26)), high(i * 7 % longest, '\xC3'), last(i % 8, '\x8D');
      expected.emplace_back(plain, high, "\n,\"" + plain, last);
      text += plain + "," + high + ",\"\n,\"\"" + plain + "\"," + last + (i % 3 == 0 ? "\r\n" : "\n");
    }
    const text_file file(text);
    EXPECT(all_of<record>(am::read_csv<std::string, std::string, std::string, std::string>(file.path())) == expected);
  }
}

RANK_TEST(an_error_names_the_type_of_the_field) {
  EXPECT(says(error_of_reading<std::uint8_t>("300\n"), "'300' in field 1 is not a uint8_t"));
  EXPECT(says(error_of_reading<std::int64_t>("1.5\n"), "'1.5' in field 1 is not an int64_t"));
  EXPECT(says((error_of_reading<int, std::optional<float>>("1,x\n")), "'x' in field 2 is not a float"));
}

RANK_TEST(a_number_has_one_sign) {
  EXPECT_EQ(values_of<int>("+5\n-6\n"), (std::vector<int>{5, -6}));
  for (const char* text : {"+-5", "++5", "-+5", "--5", "+"}) {
    EXPECT(says(error_of_reading<int>(text), "is not an int;"));
    EXPECT(says(error_of_reading<double>(text), "is not a double;"));
  }
}

RANK_TEST(records_are_written_as_they_are_read) {
  const text_file file("");
  using std::chrono::sys_days, std::chrono::year;
  std::vector<sale> mine;
  for (int i = 0; i < 3 * am::rank() + 1; ++i)
    mine.push_back({i % 2 == 0 ? "#, \"x\"" : " s\n", i % 3 == 0 ? std::optional<double>() : i + 0.1, i % 2 == 0,
                    sys_days(year(1999 + am::rank()) / 12 / 31)});
  const am::file_options variants[] = {
      {.header = true},
      {.header = true, .separator = ';', .quote = '\'', .comment = '#', .decimal = ',', .missing = {"NA"}},
      {.columns = {"a,b", "", "# c", "d"}},
      {.columns = {"", "b", "c", "d"}},
      {}};
  for (const am::file_options& how : variants) {
    am::write_csv(file.path(), mine, how);
    EXPECT(all_of<sale>(am::read_csv<sale>(file.path(), how)) == am::all_gather_v(mine));
  }
  EXPECT_THROWS_SAYING(am::usage_error, "2 names of columns for 4 fields",
                       am::write_csv(file.path(), mine, {.columns = {"a", "b"}}));
  EXPECT_THROWS_SAYING(am::usage_error, "some fields need quotes", am::write_csv(file.path(), mine, {.quote = 0}));
  using pairs = std::vector<std::pair<int, int>>;
  EXPECT_THROWS_SAYING(am::usage_error, "0 names of columns for 2 fields", am::write_csv(file.path(), pairs(), {.header = true}));
}

RANK_TEST(values_are_written_in_a_standard_form) {
  struct row {
    std::chrono::sys_seconds s;
    std::chrono::sys_time<std::chrono::milliseconds> ms;
    bool b;
    std::optional<int> i;
    std::string t;
  };
  const text_file file("");
  std::vector<row> mine;
  if (am::rank() == 0)
    mine.push_back({std::chrono::sys_seconds(-1s), std::chrono::sys_time<std::chrono::milliseconds>(1001ms), true, {}, ""});
  am::write_csv(file.path(), mine, {.header = true});
  EXPECT_EQ(contents(file.path()), "s,ms,b,i,t\n1969-12-31T23:59:59,1970-01-01T00:00:01.001,1,,\n");
  if (am::rank() == 0) mine[0].s = std::chrono::sys_seconds(std::chrono::years(9000));
  EXPECT_THROWS_SAYING(am::remote_error, "the year 10969 does not have four digits", am::write_csv(file.path(), mine));
}

RANK_TEST(lines_are_written_with_a_header) {
  const text_file file("");
  am::write_lines(file.path(), "# header", std::vector<std::string>{std::to_string(am::rank())});
  std::vector<std::string> expected = {"# header"};
  for (int r = 0; r < am::ranks(); ++r) expected.push_back(std::to_string(r));
  EXPECT_EQ(joined(am::read_lines(file.path()).local()), expected);
  EXPECT_THROWS_SAYING(am::remote_error, "holds the end of a line",
                       am::write_lines(file.path(), "two\nlines", std::vector<std::string>()));
}
