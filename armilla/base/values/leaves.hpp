// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <utility>

namespace armilla::detail {

template <std::size_t I, class A>
struct leaf {
  A value;
};

/// Values of several types side by side, made by braces: from left to right, each in its place, none moved. Cheaper to
/// compile than std::tuple, and a value need be neither movable nor default constructible.
template <class Indices, class... A>
struct leaves_over;
template <std::size_t... I, class... A>
struct leaves_over<std::index_sequence<I...>, A...> : leaf<I, A>... {
  /// `f(values...)`, each as an rvalue.
  template <class F>
  decltype(auto) apply(F&& f) {
    return f(static_cast<A&&>(static_cast<leaf<I, A>&>(*this).value)...);
  }
  /// Made from `make.template operator()<A>()` of each type in turn.
  template <class Make>
  static leaves_over from(Make&& make) {
    return { leaf<I, A>{make.template operator()<A>()}... };
  }
};
template <class... A>
using leaves = leaves_over<std::index_sequence_for<A...>, A...>;

}  // namespace armilla::detail
