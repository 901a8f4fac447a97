// SPDX-License-Identifier: Apache-2.0
#include "armilla/base/core/option_text.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <vector>

#include "armilla/base/core/options.hpp"

namespace armilla::detail {
namespace {

struct unit {
  std::string_view suffix;
  std::uint64_t factor;
};

constexpr unit byte_units[] = {{"T", std::uint64_t{1} << 40}, {"G", 1 << 30}, {"M", 1 << 20}, {"K", 1 << 10}};
constexpr unit time_units[] = {{"s", 1'000'000'000}, {"ms", 1'000'000}, {"us", 1'000}, {"ns", 1}};

/// Splits "64K" into 64 and "K". False if there is no number in front.
bool split(std::string_view text, std::uint64_t& number, std::string_view& suffix) noexcept {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  suffix = text.substr(static_cast<std::size_t>(end - text.data()));
  return error == std::errc{};
}

bool scale(std::uint64_t number, std::uint64_t factor, std::uint64_t& out) noexcept {
  return !__builtin_mul_overflow(number, factor, &out);
}

template <std::size_t N>
std::string show(std::uint64_t value, const unit (&units)[N]) {
  for (const unit& u : units)
    if (value != 0 && value % u.factor == 0) return std::to_string(value / u.factor).append(u.suffix);
  return std::to_string(value);
}

}  // namespace

bool equal_ignoring_case(std::string_view a, std::string_view b) noexcept {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return upper(x) == upper(y); });
}

bool parse_flag(std::string_view text, bool& value) noexcept {
  for (const std::string_view yes : {"1", "on", "yes", "true"})
    if (equal_ignoring_case(text, yes)) return value = true, true;
  for (const std::string_view no : {"0", "off", "no", "false"})
    if (equal_ignoring_case(text, no)) return value = false, true;
  return false;
}

bool parse_number(std::string_view text, int low, int high, int& value) noexcept {
  int n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc{} || end != text.data() + text.size() || n < low || n > high) return false;
  return value = n, true;
}

bool parse_bytes(std::string_view text, std::uint64_t& bytes) noexcept {
  std::uint64_t number = 0;
  std::string_view suffix;
  if (!split(text, number, suffix)) return false;
  if (suffix.size() > 1 && upper(suffix.back()) == 'B') suffix.remove_suffix(1);
  if (suffix.empty() || equal_ignoring_case(suffix, "B")) return bytes = number, true;
  for (const unit& u : byte_units)
    if (equal_ignoring_case(suffix, u.suffix)) return scale(number, u.factor, bytes);
  return false;
}

bool parse_duration(std::string_view text, std::uint64_t unit_ns, std::uint64_t& ns) noexcept {
  std::uint64_t number = 0;
  std::string_view suffix;
  if (!split(text, number, suffix)) return false;
  if (suffix.empty()) return scale(number, unit_ns, ns);
  for (const unit& u : time_units)
    if (equal_ignoring_case(suffix, u.suffix)) return scale(number, u.factor, ns);
  return false;
}

std::string show_bytes(std::uint64_t bytes) { return show(bytes, byte_units); }
std::string show_duration(std::uint64_t ns) { return show(ns, time_units); }

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> previous(b.size() + 1), now(b.size() + 1);
  std::iota(previous.begin(), previous.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    now[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = previous[j] + (upper(a[i]) == upper(b[j]) ? 0 : 1);
      now[j + 1] = std::min({changed, previous[j + 1] + 1, now[j] + 1});
    }
    std::swap(previous, now);
  }
  return previous[b.size()];
}

std::string did_you_mean(std::string_view word, std::span<const std::string> known) {
  const std::string* nearest = nullptr;
  std::size_t distance = std::min<std::size_t>(word.size() / 2, 3) + 1;  // beyond that it is no slip of the finger
  for (const std::string& name : known)
    if (const std::size_t d = edit_distance(name, word); d < distance) distance = d, nearest = &name;
  return nearest == nullptr ? "" : "; did you mean " + *nearest + "?";
}

}  // namespace armilla::detail
