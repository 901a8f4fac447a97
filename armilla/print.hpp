// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <type_traits>

#include "armilla/base/core/print_inline.hpp"
#include "armilla/base/values/types.hpp"

namespace armilla {

/// Prints on rank `r` only, in one piece. All ranks may call it, with values of their own; the others print nothing.
///
///     am::print_on(0, "{} ranks, {:.1f} s\n", am::ranks(), seconds);
///
/// `format` is a literal with placeholders as in `std::format`, `{}` or `{:8.3f}`, in order; `{{` is a brace. Values are numbers,
/// bool, char and strings. No end of line is added. It is not a collective, and waits for nothing. Throws `usage_error` if `r` is
/// not a rank, or if a value does not match its placeholder; another number of placeholders than values does not compile. Cost on
/// the other ranks: a comparison.
template <class... T>
void print_on(rank_t r, detail::print_format<std::type_identity_t<T>...> format, const T&... values) {
  static_assert((detail::printable<T> && ...), "armilla: print_on shows numbers, bool, char and text; make a text of the rest");
  if constexpr (!(detail::printable<T> && ...)) {
    return;  // one error is enough
  } else if constexpr (sizeof...(T) == 0) {
    detail::print_on(r, format.text(), nullptr, 0);
  } else {
    const detail::print_value all[] = {detail::print_value(values)...};
    detail::print_on(r, format.text(), all, sizeof...(T));
  }
}

}  // namespace armilla
