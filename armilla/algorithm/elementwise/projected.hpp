// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <concepts>
#include <functional>
#include <type_traits>
#include <utility>

#include "armilla/base/core/required_function.hpp"
#include "armilla/team/collectives/named_algorithm.hpp"

/// Functions of what a projection gives of elements. Where nothing is projected they are the functions themselves.
namespace armilla::detail {

/// Refuses null pointers, in an error that names the algorithm. Before its loops, and on all members alike.
template <class... F>
void require_functions(const F&... f) {
  (require_function(f, algorithm_here("algorithm")), ...);
}

template <class F, class Proj>
struct projected_function {
  F& f;
  Proj& of;
  template <class... A>
    requires std::is_invocable_v<Proj&, A...>
  decltype(auto) operator()(A&&... parts) const {
    return std::invoke(f, std::invoke(of, std::forward<A>(parts)...));
  }
};
/// Of two elements, each of which has its projection.
template <class F, class ProjA, class ProjB>
struct projected_relation {
  F& f;
  ProjA& of_a;
  ProjB& of_b;
  template <class A, class B>
  decltype(auto) operator()(A&& a, B&& b) const {
    return std::invoke(f, std::invoke(of_a, std::forward<A>(a)), std::invoke(of_b, std::forward<B>(b)));
  }
};

template <class F, class Proj>
decltype(auto) test_after(F& f, Proj& of) {
  require_functions(f, of);
  if constexpr (std::same_as<Proj, std::identity>)
    return (f);
  else
    return projected_function<F, Proj>{f, of};
}
template <class F, class ProjA, class ProjB>
decltype(auto) related(F& f, ProjA& of_a, ProjB& of_b) {
  require_functions(f, of_a, of_b);
  if constexpr (std::same_as<ProjA, std::identity> && std::same_as<ProjB, std::identity>)
    return (f);
  else
    return projected_relation<F, ProjA, ProjB>{f, of_a, of_b};
}

}  // namespace armilla::detail
