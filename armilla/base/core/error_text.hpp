// SPDX-License-Identifier: Apache-2.0
#pragma once
// Inside of the library; no public header includes it.
#include <exception>
#include <string>
#include <string_view>

#include "armilla/base/values/types.hpp"
#include "armilla/error.hpp"

namespace armilla::detail {

/// A `usage_error` whose cause is an exception of another rank, as where that has left a collective. Users see the base: a job
/// that ends reports the cause rather than this.
class consequence final : public usage_error {
 public:
  using usage_error::usage_error;
};

/// `text` as it stands in a message that names rank `here` itself: the texts of errors in it lose "armilla: ", and "rank R: " if
/// R is `here`.
std::string without_prefix(std::string_view text, rank_t here);

/// what() of any exception; a sentence where that gives a null pointer.
inline const char* text_of(const std::exception& e) noexcept {
  const char* const text = e.what();
  return text != nullptr ? text : "no text: its what() gives a null pointer";
}

/// Inside a `catch`: where in the user's program the exception arose, "at heat.cpp:42, in step(double)", and in a further line
/// where another rank threw it: "rank 3 threw at heat.cpp:12, in read(int)". Empty where neither is known.
std::string place_of_current_exception();

/// What a report of this rank says of an exception: "std::length_error: vector". Each word once.
std::string in_one_line(const exception_text& thrown, rank_t here);

}  // namespace armilla::detail
