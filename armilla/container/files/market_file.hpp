// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <complex>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

#include "armilla/container/files/files_inline.hpp"
#include "armilla/container/place/failure_agreement.hpp"

/// MatrixMarket files: the lines that a member reads, as places and the text of their values.
namespace armilla::detail {

/// What the first lines say.
struct market_header {
  enum class values : std::uint8_t { real, integer, complex, pattern };
  enum class symmetry : std::uint8_t { general, symmetric, skew, hermitian };

  bool dense = false;  ///< all values, column by column, without places
  values field = values::real;
  symmetry shape = symmetry::general;
  std::uint64_t rows = 0, columns = 0;
  std::uint64_t lines = 0;  ///< that follow

  /// Each line is also an entry with row and column exchanged.
  bool mirrored() const noexcept { return shape != symmetry::general; }
};

/// A line: numbers from 0, and the words of its value; a pattern has none.
struct market_line {
  const char* at = nullptr;
  std::string_view text;
  std::uint64_t row = 0, column = 0;
  std::string_view value, imaginary;
};

/// Collective, but for `next` and `complain`.
class market_file {
 public:
  /// Reads the header. Throws a usage_error or remote_error on all members if the file does not begin with one.
  market_file(const char* operation, std::shared_ptr<file_part> part, bool skip_bad);

  const market_header& header() const noexcept { return header_; }
  const team& members() const noexcept { return part_->members(); }
  const std::string& path() const noexcept { return part_->path(); }

  /// About how many entries this member's lines have, with mirrored ones; not more than have room in its part of the file.
  std::size_t expected() const noexcept;
  /// Finds this member's next entry. Returns false at the end. Throws for a line that is not an entry.
  bool next(market_line& e);
  void complain(const market_line& e, const std::string& what, const char* advice = nullptr);
  /// Throws on all what a member noted, or that the lines are more or fewer than the header says.
  void end(failure& why);

 private:
  template <class F>
  auto from_first(bool has, const char* missing, F parse) -> decltype(parse());
  void skip_comments();
  void parse_sizes();
  void find_first_value();
  bool take_place(const char*& in, const char* end, market_line& e);
  bool take_value(const char*& in, const char* end, market_line& e) const;
  void throw_bad_count(std::uint64_t have) const;

  const char* operation_;
  std::shared_ptr<file_part> part_;
  const char* at_;
  bool skip_bad_;
  market_header header_;
  std::uint64_t lines_ = 0;
  std::uint64_t row_ = 0, column_ = 0;  // of the next value of a dense matrix
};

/// An integer that a floating-point number, or a shorter integer, represents exactly.
template <class R>
bool parse_exact(std::string_view word, R& value) {
  if constexpr (std::is_integral_v<R>) {
    return parse_field(word, value);
  } else {
    const auto as = [&](auto n, R beyond) { return parse_field(word, n) && (value = R(n)) < beyond && decltype(n)(value) == n; };
    return as(std::int64_t(), R(0x1p63)) || as(std::uint64_t(), R(0x1p64));
  }
}

template <class R>
bool parse_part(market_header::values field, std::string_view word, R& value) {
  if (field == market_header::values::integer) return parse_exact(word, value);
  if constexpr (std::is_floating_point_v<R>)
    return parse_field(word, value);
  else
    return false;
}

/// Parses the value of a line. Returns false if it is not a T.
template <class T>
bool parse_market_value(market_header::values field, const market_line& e, T& value) {
  if (field == market_header::values::pattern) return value = T(1), true;
  if constexpr (is_complex<T>) {
    typename T::value_type real{}, imaginary{};
    const bool good = parse_part(field, e.value, real) &&
                      (field != market_header::values::complex || parse_part(field, e.imaginary, imaginary));
    return value = T(real, imaginary), good;
  } else {
    return parse_part(field, e.value, value);
  }
}

/// The value at the other side of the diagonal.
template <class T>
T mirrored_value(market_header::symmetry shape, const T& value) {
  if (shape == market_header::symmetry::skew) return T(T(0) - value);
  if constexpr (is_complex<T>)
    if (shape == market_header::symmetry::hermitian) return std::conj(value);
  return value;
}

}  // namespace armilla::detail
