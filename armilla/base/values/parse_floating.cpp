// SPDX-License-Identifier: Apache-2.0
#include "armilla/base/values/parse_floating.hpp"

#include <locale.h>
#include <stdlib.h>

#include <cctype>
#include <cerrno>
#include <charconv>
#include <string>
#include <version>

namespace armilla::detail {
namespace {

#ifndef __cpp_lib_to_chars  // the C library's way, which takes more than std::from_chars: spaces, signs, hexadecimal numbers
void convert(const char* text, char** end, float& value, locale_t plain) { value = strtof_l(text, end, plain); }
void convert(const char* text, char** end, double& value, locale_t plain) { value = strtod_l(text, end, plain); }
void convert(const char* text, char** end, long double& value, locale_t plain) { value = strtold_l(text, end, plain); }
#endif

template <class T>
bool parse(std::string_view field, T& value) {
  if (field.empty()) return false;
  T read{};
#ifdef __cpp_lib_to_chars
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), read);
  if (error != std::errc{} || end != field.data() + field.size()) return false;
#else
  static const locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);
  const std::string text(field);
  if (std::isspace(static_cast<unsigned char>(text[0])) != 0 || text[0] == '+' || text.find_first_of("xX") != text.npos)
    return false;
  char* end = nullptr;
  errno = 0;
  convert(text.c_str(), &end, read, plain);
  if (errno == ERANGE || end != text.c_str() + text.size()) return false;
#endif
  value = read;
  return true;
}

}  // namespace

bool parse_floating(std::string_view field, float& value) { return parse(field, value); }
bool parse_floating(std::string_view field, double& value) { return parse(field, value); }
bool parse_floating(std::string_view field, long double& value) { return parse(field, value); }

}  // namespace armilla::detail
