// SPDX-License-Identifier: Apache-2.0
#include "armilla/base/values/parse_floating.hpp"

#include <locale.h>
#include <stdlib.h>

#include <cctype>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <string>
#include <version>

namespace armilla::detail {
namespace {

void convert(const char* text, char** end, float& value, locale_t plain) { value = strtof_l(text, end, plain); }
void convert(const char* text, char** end, double& value, locale_t plain) { value = strtod_l(text, end, plain); }
void convert(const char* text, char** end, long double& value, locale_t plain) { value = strtold_l(text, end, plain); }

/// The C library's way, which takes more than std::from_chars: spaces, signs, hexadecimal numbers. But it tells numbers that are
/// too large, which are refused, from those that are too small, which are zero.
template <class T>
[[gnu::noinline]] bool parse_by_c(std::string_view field, T& value) {
  static const locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);
  const std::string text(field);
  if (std::isspace(static_cast<unsigned char>(text[0])) != 0 || text[0] == '+' || text.find_first_of("xX") != text.npos)
    return false;
  T read{};
  char* end = nullptr;
  errno = 0;
  convert(text.c_str(), &end, read, plain);
  if ((errno == ERANGE && std::abs(read) > T(1)) || end != text.c_str() + text.size()) return false;
  value = read;
  return true;
}

template <class T>
bool parse(std::string_view field, T& value) {
  if (field.empty()) return false;
#ifdef __cpp_lib_to_chars
  T read{};
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), read);
  if (end != field.data() + field.size()) return false;
  if (error == std::errc{}) return value = read, true;
  if (error != std::errc::result_out_of_range) return false;
#endif
  return parse_by_c(field, value);
}

}  // namespace

bool parse_floating(std::string_view field, float& value) { return parse(field, value); }
bool parse_floating(std::string_view field, double& value) { return parse(field, value); }
bool parse_floating(std::string_view field, long double& value) { return parse(field, value); }

}  // namespace armilla::detail
