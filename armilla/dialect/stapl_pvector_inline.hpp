// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <type_traits>
#include <vector>

#include "armilla/base/values/types.hpp"

/// The elements of a pvector that are vectors.
namespace armilla::stapl::detail {

template <class T>
struct pushed {
  using type = T;
};
template <class E, class A>
struct pushed<std::vector<E, A>> {
  using type = E;
};
template <class T>
inline constexpr bool nested = !std::is_same_v<typename pushed<T>::type, T>;

[[noreturn, gnu::cold]] void throw_not_here(std::size_t index, rank_t owner, const char* operation);

}  // namespace armilla::stapl::detail
