// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <iterator>
#include <type_traits>
#include <vector>

#include "armilla/base/core/print_inline.hpp"

namespace armilla {
namespace detail {

void note_outcome(const print_value* values, std::size_t n);

template <class T>
concept printable_value = printable<T>;
template <class R>
concept printable_range = !printable<R> && requires(const R& all) {
  std::begin(all) != std::end(all);
  requires printable<std::remove_cvref_t<decltype(*std::begin(all))>>;
  requires std::is_arithmetic_v<std::remove_cvref_t<decltype(*std::begin(all))>> ||
               std::is_reference_v<decltype(*std::begin(all))>;  // what is shown must outlive the loop
};

}  // namespace detail

/// Reports a result that must not depend on the order in which messages arrive. `armilla-run --explore` compares these results
/// between runs, instead of the output. In other jobs this does nothing.
///
///     const long sum = am::all_reduce(long(am::rank()), std::plus<>{});
///     am::outcome(sum);
///
/// Any rank may call it, also several times; the results of each rank are compared in the order of the calls. The values are
/// numbers, bool, char and strings, or ranges of them.
///
/// Local: it sends no message and does not wait.
template <detail::printable_value T, detail::printable_value... More>
void outcome(const T& value, const More&... more) {
  const detail::print_value all[] = {detail::print_value(value), detail::print_value(more)...};
  detail::note_outcome(all, 1 + sizeof...(More));
}
/// Does the same for the elements of a range.
template <detail::printable_range R>
void outcome(const R& range) {
  std::vector<detail::print_value> all;
  for (const auto& value : range) all.emplace_back(value);
  detail::note_outcome(all.data(), all.size());
}

}  // namespace armilla
