// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

#include "armilla/base/values/types.hpp"

// What the templates of print.hpp are made of.
namespace armilla {
namespace detail {

/// What a text shows in one of its places.
struct print_value {
  enum class kind : unsigned char { boolean, character, integer, natural, real, text };
  kind what;
  union {
    bool boolean;
    char character;
    long long integer;
    unsigned long long natural;
    double real;
    std::string_view text;
  };

  explicit print_value(std::string_view v) noexcept : what(kind::text), text(v) {}
  explicit print_value(const char* v) noexcept : print_value(v != nullptr ? std::string_view(v) : "(null)") {}
  template <class T>
    requires std::is_arithmetic_v<T>
  explicit print_value(T v) noexcept {
    if constexpr (std::is_same_v<T, bool>)
      what = kind::boolean, boolean = v;
    else if constexpr (std::is_same_v<T, char>)
      what = kind::character, character = v;
    else if constexpr (std::is_floating_point_v<T>)
      what = kind::real, real = double(v);
    else if constexpr (std::is_signed_v<T>)
      what = kind::integer, integer = v;
    else
      what = kind::natural, natural = v;
  }
};

template <class T>
inline constexpr bool printable = std::is_arithmetic_v<T> || std::is_convertible_v<const T&, std::string_view>;

/// A format whose places are as many as there are values; anything else does not compile.
template <class... T>
class print_format {
 public:
  template <class S>
    requires std::is_convertible_v<const S&, std::string_view>
  consteval print_format(const S& text) : text_(text) {  // NOLINT(google-explicit-constructor): as std::format_string
    std::size_t places = 0;
    for (std::size_t i = 0; i < text_.size(); ++i) {
      const bool twice = i + 1 < text_.size() && text_[i + 1] == text_[i];
      if ((text_[i] == '{' || text_[i] == '}') && twice)
        ++i;
      else if (text_[i] == '{')
        ++places;
    }
    if (places != sizeof...(T)) throw "armilla: the format has another number of {} than there are values";
  }
  constexpr std::string_view text() const noexcept { return text_; }

 private:
  std::string_view text_;
};

/// The text with the values in their places. Throws usage_error for a place that its value does not fit.
std::string printed(std::string_view format, const print_value* values, std::size_t n);
/// Prints it if this rank is `r`.
void print_on(rank_t r, std::string_view format, const print_value* values, std::size_t n);

}  // namespace detail
}  // namespace armilla
