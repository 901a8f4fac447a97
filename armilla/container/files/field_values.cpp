// SPDX-License-Identifier: Apache-2.0
#include "armilla/container/files/field_values.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include <fmt/format.h>

namespace armilla::detail {
namespace {

/// Exactly `n` digits at the beginning of `text`, which are taken away.
bool take_digits(std::string_view& text, std::size_t n, int& value) noexcept {
  if (text.size() < n) return false;
  value = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (text[i] < '0' || text[i] > '9') return false;
    value = value * 10 + (text[i] - '0');
  }
  text.remove_prefix(n);
  return true;
}
bool take_char(std::string_view& text, char c) noexcept {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

bool take_date(std::string_view& text, std::chrono::sys_days& date) noexcept {
  int year = 0, month = 0, day = 0;
  if (!take_digits(text, 4, year) || !take_char(text, '-') || !take_digits(text, 2, month) || !take_char(text, '-') ||
      !take_digits(text, 2, day))
    return false;
  const std::chrono::year_month_day found{std::chrono::year(year), std::chrono::month(unsigned(month)),
                                          std::chrono::day(unsigned(day))};
  date = found;
  return found.ok();
}

bool take_fraction(std::string_view& text, std::uint32_t& nanoseconds) noexcept {
  std::size_t digits = 0;
  for (; !text.empty() && text.front() >= '0' && text.front() <= '9'; text.remove_prefix(1), ++digits) {
    if (digits < 9)
      nanoseconds = nanoseconds * 10 + std::uint32_t(text.front() - '0');
    else if (text.front() != '0')
      return false;
  }
  for (std::size_t i = digits; i < 9; ++i) nanoseconds *= 10;
  return digits != 0;
}

bool take_time_of_day(std::string_view& text, moment& value) noexcept {
  int hour = 0, minute = 0, second = 0;
  if (!take_digits(text, 2, hour) || !take_char(text, ':') || !take_digits(text, 2, minute)) return false;
  if (take_char(text, ':')) {
    if (!take_digits(text, 2, second)) return false;
    if (take_char(text, '.') && !take_fraction(text, value.nanoseconds)) return false;
  }
  value.seconds += (std::int64_t(hour) * 60 + minute) * 60 + second;
  return hour < 24 && minute < 60 && second < 60;
}

bool take_zone(std::string_view& text, moment& value) noexcept {
  if (text.empty() || take_char(text, 'Z')) return true;
  const bool west = text.front() == '-';
  if (!west && text.front() != '+') return false;
  text.remove_prefix(1);
  int hour = 0, minute = 0;
  if (!take_digits(text, 2, hour)) return false;
  if (!text.empty() && (take_char(text, ':'), !take_digits(text, 2, minute))) return false;
  const std::int64_t ahead = (std::int64_t(hour) * 60 + minute) * 60;
  value.seconds += west ? ahead : -ahead;
  return hour < 24 && minute < 60;
}

bool is_word(std::string_view field, std::string_view word) noexcept {
  return std::ranges::equal(field, word, [](char a, char b) { return (a >= 'A' && a <= 'Z' ? char(a - 'A' + 'a') : a) == b; });
}

}  // namespace

bool parse_moment(std::string_view field, moment& value) {
  std::chrono::sys_days date;
  if (!take_date(field, date)) return false;
  value = {std::chrono::sys_seconds(date).time_since_epoch().count(), 0};
  if (field.empty()) return true;
  return (take_char(field, 'T') || take_char(field, ' ')) && take_time_of_day(field, value) && take_zone(field, value) &&
         field.empty();
}

void append_moment(std::string& all, const moment& value, int digits) {
  using namespace std::chrono;
  if (value.seconds == no_moment.seconds) throw std::invalid_argument("a time has no year of four digits");
  const sys_seconds time{seconds(value.seconds)};
  const sys_days date = floor<days>(time);
  const year_month_day day(date);
  if (int(day.year()) < 0 || int(day.year()) > 9999)
    throw std::invalid_argument(fmt::format("the year {} does not have four digits", int(day.year())));
  all += fmt::format("{:04}-{:02}-{:02}", int(day.year()), unsigned(day.month()), unsigned(day.day()));
  if (digits < 0) return;
  const auto s = (time - date).count();
  all += fmt::format("T{:02}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
  if (digits > 0) all.append("." + fmt::format("{:09}", value.nanoseconds).substr(0, std::size_t(digits)));
}

bool parse_bool(std::string_view field, bool& value) noexcept {
  value = is_word(field, "true") || is_word(field, "yes") || field == "1";
  return value || is_word(field, "false") || is_word(field, "no") || field == "0";
}

bool to_plain_number(std::string_view& field, char decimal, char (&room)[128]) noexcept {
  if (field.size() > sizeof room || field.find('.') != field.npos) return false;
  std::ranges::replace_copy(field, room, decimal, '.');
  field = {room, field.size()};
  return true;
}

bool means_missing(std::string_view field, const field_rules& rules) noexcept {
  field = without_spaces(field);
  return field.empty() || std::ranges::find(rules.missing, field) != rules.missing.end();
}

void append_text(std::string& all, std::string_view text, const csv_format& format, bool always) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t'; };
  const bool bare =
      !always && (text.empty() || (!is_space(text.front()) && !is_space(text.back()) && text.front() != '%' &&
                                   (format.comment == 0 || text.front() != format.comment) && !text.starts_with("\xEF\xBB\xBF")));
  if (bare && text.find(format.quote) == text.npos && text.find_first_of("\r\n") == text.npos &&
      text.find(format.separator) == text.npos) {
    all += text;
    return;
  }
  all += format.quote;
  for (const char c : text) all.append(c == format.quote ? 2 : 1, c);
  all += format.quote;
}

/// Of numbers and times. The decimal point of the options is not the separator.
constexpr bool may_be_in_number(char c) noexcept {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+' || c == '-' || c == '.' ||
         c == ':';
}

void finish_number(std::string& all, std::size_t begin, const csv_format& format, char decimal) {
  if (decimal != '.') std::replace(all.begin() + std::ptrdiff_t(begin), all.end(), '.', decimal);
  if (!may_be_in_number(format.separator) || all.find(format.separator, begin) == all.npos) return;
  all.insert(begin, 1, format.quote);
  all += format.quote;
}

}  // namespace armilla::detail
