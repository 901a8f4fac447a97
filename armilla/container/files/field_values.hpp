// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <charconv>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <ratio>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/base/values/parse_floating.hpp"
#include "armilla/container/files/csv_record.hpp"

/// The values of fields: from their text, and back.
namespace armilla::detail {

/// How the text of a field stands for a value.
struct field_rules {
  char decimal = '.';                  ///< between the digits of a number
  std::vector<std::string> missing{};  ///< texts that an optional value takes for none, besides the empty one
};
inline constinit const field_rules plain_fields;

/// A point in time, in UTC.
struct moment {
  std::int64_t seconds = 0;  ///< since 1970
  std::uint32_t nanoseconds = 0;
};
inline constexpr moment no_moment{std::numeric_limits<std::int64_t>::max(), 0};  ///< a floating-point time beyond all years

/// YYYY-MM-DD, or that and a time of day: [T ]hh:mm[:ss[.fraction]][Z|+hh:mm|-hh:mm].
bool parse_moment(std::string_view field, moment& value);
/// Throws std::invalid_argument for a year of more than four digits. `digits`: of the fraction; -1: only the date.
void append_moment(std::string& all, const moment& value, int digits);
bool parse_bool(std::string_view field, bool& value) noexcept;
/// The field as a number whose decimal point is `decimal`; false: it does not fit `room`, or has another point.
bool to_plain_number(std::string_view& field, char decimal, char (&room)[128]) noexcept;
bool means_missing(std::string_view field, const field_rules& rules) noexcept;
inline std::string_view without_spaces(std::string_view field) noexcept {
  while (!field.empty() && field.front() == ' ') field.remove_prefix(1);
  while (!field.empty() && field.back() == ' ') field.remove_suffix(1);
  return field;
}

/// False: T cannot hold it exactly. Floating-point numbers are rounded.
template <class D>
bool to_time(const moment& from, std::chrono::sys_time<D>& to) {
  using per_second = std::ratio_divide<std::ratio<1>, typename D::period>;
  static_assert(per_second::num == 1 || per_second::den == 1,
                "a second has a whole number of ticks, or a tick a whole number of seconds");
  if constexpr (std::is_floating_point_v<typename D::rep>) {
    using real = std::chrono::duration<long double>;
    to = std::chrono::sys_time<D>(std::chrono::duration_cast<D>(real(from.seconds) + real(from.nanoseconds * 1e-9L)));
    return true;
  }
  __extension__ using wide = __int128;
  wide ticks = wide(from.seconds) * per_second::num;
  if (ticks % per_second::den != 0) return false;
  ticks /= per_second::den;
  const wide rest = wide(from.nanoseconds) * per_second::num;
  if (rest % (wide(1'000'000'000) * per_second::den) != 0) return false;
  ticks += rest / (wide(1'000'000'000) * per_second::den);
  if (ticks > std::numeric_limits<typename D::rep>::max() || ticks < std::numeric_limits<typename D::rep>::min()) return false;
  to = std::chrono::sys_time<D>(D(static_cast<typename D::rep>(ticks)));
  return true;
}
template <class D>
moment to_moment(const std::chrono::sys_time<D>& from) {
  if constexpr (std::is_floating_point_v<typename D::rep>)
    if (!(std::chrono::abs(from.time_since_epoch()) < std::chrono::days(4'000'000))) return no_moment;
  const auto seconds = std::chrono::floor<std::chrono::seconds>(from);
  const auto rest = std::chrono::duration_cast<std::chrono::nanoseconds>(from - seconds);
  return {seconds.time_since_epoch().count(), std::uint32_t(rest.count())};
}
/// Digits that a fraction of a second of D has.
template <class D>
constexpr int digits_of() {
  if constexpr (std::is_floating_point_v<typename D::rep>) return 9;
  if constexpr (std::ratio_greater_equal_v<typename D::period, std::ratio<86400>>) return -1;
  if constexpr (std::ratio_greater_equal_v<typename D::period, std::ratio<1>>) return 0;
  int digits = 0;
  for (auto ticks = D::period::den; ticks > D::period::num && digits < 9; ticks /= 10) ++digits;
  return digits;
}

template <class T>
inline constexpr bool is_time = false;
template <class D>
inline constexpr bool is_time<std::chrono::sys_time<D>> = true;
template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

/// An optional string: in quotes, also the texts of no value are values.
template <class T>
inline constexpr bool is_optional_text = false;
template <std::convertible_to<std::string_view> T>
inline constexpr bool is_optional_text<std::optional<T>> = true;

/// Parses the value of a field. Returns false if the field is not a T.
template <class T>
bool parse_field(std::string_view field, T& value, const field_rules& rules = plain_fields) {
  if constexpr (is_optional<T>) {
    value.reset();
    return means_missing(field, rules) || parse_field(field, value.emplace(), rules);
  } else if constexpr (std::is_same_v<T, bool>) {
    return parse_bool(without_spaces(field), value);
  } else if constexpr (is_time<T>) {
    moment read;
    return parse_moment(without_spaces(field), read) && to_time(read, value);
  } else if constexpr (std::is_arithmetic_v<T>) {
    field = without_spaces(field);
    if (field.starts_with('+') && !field.starts_with("+-")) field.remove_prefix(1);
    if constexpr (std::is_floating_point_v<T>) {
      char room[128];
      return (rules.decimal == '.' || to_plain_number(field, rules.decimal, room)) && parse_floating(field, value);
    } else {
      const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
      return error == std::errc{} && end == field.data() + field.size() && !field.empty();
    }
  } else {
    static_assert(
        requires { T(field); }, "a field is a number, a bool, a string, a std::chrono::sys_time, or a std::optional of one");
    if constexpr (requires { value.assign(field); })
      value.assign(field);
    else
      value = T(field);
    return true;
  }
}

template <class N>
  requires std::is_arithmetic_v<N>
void append_number(std::string& all, N number) {
  char digits[128];
  if constexpr (std::is_same_v<N, bool>)
    all += number ? '1' : '0';
  else
    all.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

/// RFC 4180: a string with separators, quotes or ends of lines is put in quotes, and its quotes are doubled. So is one with
/// spaces at its ends, which some readers drop, or with what a reader takes for a comment or a byte order mark. `always`: any is.
void append_text(std::string& all, std::string_view text, const csv_format& format, bool always = false);
/// What is from `begin` on is a number, which gets its decimal point, and quotes if the separator occurs in it.
void finish_number(std::string& all, std::size_t begin, const csv_format& format, char decimal);

template <class F>
void append_field(std::string& all, const F& field, const csv_format& format, const field_rules& rules) {
  const std::size_t begin = all.size();
  if constexpr (is_optional<F>) {
    if constexpr (is_optional_text<F>)
      if (field) return append_text(all, *field, format, means_missing(*field, rules));
    if (field)
      append_field(all, *field, format, rules);
    else if (!rules.missing.empty())
      append_text(all, rules.missing.front(), format);
  } else if constexpr (std::convertible_to<const F&, std::string_view>) {
    append_text(all, field, format);
  } else if constexpr (is_time<F>) {
    append_moment(all, to_moment(field), digits_of<typename F::duration>());
    finish_number(all, begin, format, '.');
  } else {
    static_assert(std::is_arithmetic_v<F>, "a field is a number, a string, a std::chrono::sys_time, or a std::optional of one");
    append_number(all, field);
    finish_number(all, begin, format, std::is_floating_point_v<F> ? rules.decimal : '.');
  }
}

}  // namespace armilla::detail
