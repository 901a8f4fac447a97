// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "armilla/algorithm/walk.hpp"
#include "armilla/container/views.hpp"

/// Algorithms that make one value of all elements: the same value, to the bit, on all members. One pass and one meeting, in which
/// the value and the agreement travel together. `reduce` and its kin may regroup and reorder, so their operation must be
/// associative and commutative; their bits depend on size and distribution only. `accumulate` and `fold_left` keep the order.
namespace armilla {
namespace detail {

/// What a member has folded; nothing where it has no elements.
template <class T>
struct part {
  T value{};
  bool some = false;

  template <class Op>
  void take(const T& next, Op& op) {
    value = some ? T(op(value, next)) : next;
    some = true;
  }
};

/// Enough independent sums that no addition waits for the one before, in vectors of the processor.
template <class T>
inline constexpr std::size_t fold_lanes = sizeof(T) >= 8 ? 16 : 32;

/// The first elements in lanes; `done` says how many, and where something was thrown at which.
/// Budget: `at` costs nothing where nothing can be thrown, so that the loops become vector instructions.
template <class T, class C, class Op, class Of>
void fold_in_lanes(const C c, std::size_t n, std::size_t& done, part<T>& sum, Op& op, Of& of) {
  constexpr std::size_t lanes = fold_lanes<T>;
  if (n < 2 * lanes) return;
  std::size_t at = 0;
  try {
    T lane[lanes];
    for (; at < lanes; ++at) lane[at] = of(c, at);
    for (std::size_t k = lanes; k + lanes <= n; k += lanes)
      for (std::size_t j = 0; j < lanes; ++j) {
        at = k + j;
        lane[j] = T(op(lane[j], T(of(c, k + j))));
      }
    for (std::size_t width = lanes / 2; width > 0; width /= 2)
      for (std::size_t j = 0; j < width; ++j) lane[j] = T(op(lane[j], lane[j + width]));
    sum.take(lane[0], op);
  } catch (...) {
    done = at;
    throw;
  }
  done = n - n % lanes;
}

/// Folds of(cursor, k) of one piece.
template <class T, class C, class Op, class Of>
void fold_piece(const C& c, std::size_t n, const indices& at, failure& why, part<T>& sum, Op& op, Of& of) {
  std::size_t k = 0;
  try {
    if constexpr (std::is_arithmetic_v<T> && !filters<C>) fold_in_lanes(c, n, k, sum, op, of);
    for (; k < n; ++k)
      if (passes(c, k)) sum.take(T(of(c, k)), op);
  } catch (...) { why.note(at(k)); }
}

template <class T, class Op>
part<T> combined(const part<T>& a, const part<T>& b, Op& op) {
  part<T> both = a;
  if (b.some) both.take(b.value, op);
  return both;
}

/// The fold of all members' elements.
template <class T, class V, class Op, class Of>
part<T> fold_all(const V& v, const char* operation, Op& op, Of of) {
  enter(v);
  failure why;
  part<T> sum;
  walk(v, why, [&](const auto c, std::size_t n, const indices& at) {
    fold_piece<T>(c, n, at, why, sum, op, of);
    return !why.happened();
  });
  return agree(v.members(), operation, why, sum, [&op](const part<T>& a, const part<T>& b) { return combined(a, b, op); });
}

inline constexpr auto the_element = [](const auto& c, std::size_t k) -> decltype(auto) { return c[k]; };

template <class T, class V, class Op, class Of>
T fold_from(const V& v, const char* operation, T init, Op& op, Of of) {
  const part<T> all = fold_all<T>(v, operation, op, std::move(of));
  return all.some ? T(op(init, all.value)) : init;
}

template <class R>
using range_value = typename views::all_t<R>::value_type;

}  // namespace detail

/// init op e0 op e1 ..., in any grouping and order. Without `init` that is T(), without `op` the sum.
template <distributed_range R, class T, class Op = std::plus<>>
T reduce(R&& r, T init, Op op = {}) {
  return detail::fold_from<T>(detail::reading(r), "reduce", std::move(init), op, detail::the_element);
}
template <distributed_range R>
auto reduce(R&& r) {
  return armilla::reduce(r, detail::range_value<R>());
}

/// init op f(e0) op f(e1) ..., in any grouping and order.
template <distributed_range R, class T, class Op, class F>
  requires(!distributed_range<T>)
T transform_reduce(R&& r, T init, Op op, F f) {
  return detail::fold_from<T>(detail::reading(r), "transform_reduce", std::move(init), op,
                              [&f](const auto& c, std::size_t k) -> decltype(auto) { return detail::apply_at(f, c, k); });
}
/// The same of f(a, b) of two ranges, as many as the shorter has: without functions the inner product.
template <distributed_range A, distributed_range B, class T, class Op = std::plus<>, class F = std::multiplies<>>
T transform_reduce(A&& a, B&& b, T init, Op op = {}, F f = {}) {
  return armilla::transform_reduce(views::zip(detail::reading(a), detail::reading(b)), std::move(init), std::move(op),
                                   std::move(f));
}
template <distributed_range A, distributed_range B, class T, class Op = std::plus<>, class F = std::multiplies<>>
T inner_product(A&& a, B&& b, T init, Op op = {}, F f = {}) {
  return armilla::transform_reduce(a, b, std::move(init), std::move(op), std::move(f));
}
template <distributed_range A, distributed_range B>
auto inner_product(A&& a, B&& b) {
  return armilla::transform_reduce(a, b, decltype(detail::range_value<A>() * detail::range_value<B>())());
}

namespace detail {
struct tally {
  double sum = 0;
  std::uint64_t n = 0;
};
}  // namespace detail

/// The mean of numbers; of none NaN.
template <distributed_range R>
double mean(R&& r) {
  const auto v = detail::reading(r);
  if constexpr (decltype(v.reading())::sized) {
    return armilla::transform_reduce(v, 0.0, std::plus<>{}, [](const auto& e) { return double(e); }) / double(v.extent());
  } else {
    const auto add = [](const detail::tally& a, const detail::tally& b) { return detail::tally{a.sum + b.sum, a.n + b.n}; };
    const auto all =
        armilla::transform_reduce(v, detail::tally{}, add, [](const auto& e) { return detail::tally{double(e), 1}; });
    return all.sum / double(all.n);
  }
}

/// The square root of the sum of squares.
template <distributed_range R>
double norm(R&& r) {
  return std::sqrt(armilla::transform_reduce(r, 0.0, std::plus<>{}, [](const auto& e) { return double(e) * double(e); }));
}

namespace detail {

/// An element and its index.
template <class T>
struct indexed {
  T value{};
  std::size_t index = npos;
};

/// The first element that no other comes before: `before(a, b)` says that a is to be chosen rather than b.
template <class R, class Before>
part<indexed<range_value<R>>> best_of(R&& r, const char* operation, Before before) {
  using best = indexed<range_value<R>>;
  const auto v = reading(r);
  enter(v);
  failure why;
  part<best> mine;
  auto choose = [&before](const best& a, const best& b) {
    if (before(b.value, a.value)) return b;
    return before(a.value, b.value) || a.index < b.index ? a : b;
  };
  walk(v, why, [&](const auto c, std::size_t n, const indices& at) {
    each_of_piece(c, n, at, why, [&](std::size_t k) {
      if (!mine.some || before(c[k], mine.value.value)) mine = {{c[k], at(k)}, true};
    });
    return !why.happened();
  });
  return agree(v.members(), operation, why, mine,
               [&](const part<best>& a, const part<best>& b) { return combined(a, b, choose); });
}

template <class Less, class Projection>
auto projected(Less& less, Projection& of) {
  return [&](const auto& a, const auto& b) { return std::invoke(less, std::invoke(of, a), std::invoke(of, b)); };
}
template <class Less, class Projection>
auto projected_back(Less& less, Projection& of) {
  return [&](const auto& a, const auto& b) { return std::invoke(less, std::invoke(of, b), std::invoke(of, a)); };
}

template <class T>
T require_some(const char* operation, const part<indexed<T>>& found) {
  if (!found.some) [[unlikely]]
    throw_no_elements(operation);
  return found.value.value;
}

}  // namespace detail

/// The index of the first smallest element; npos of an empty range.
template <distributed_range R, class Less = std::less<>, class Projection = std::identity>
std::size_t min_element(R&& r, Less less = {}, Projection of = {}) {
  return detail::best_of(r, "min_element", detail::projected(less, of)).value.index;
}
/// The index of the first largest element; npos of an empty range.
template <distributed_range R, class Less = std::less<>, class Projection = std::identity>
std::size_t max_element(R&& r, Less less = {}, Projection of = {}) {
  return detail::best_of(r, "max_element", detail::projected_back(less, of)).value.index;
}
/// Both. Two passes.
template <distributed_range R, class Less = std::less<>, class Projection = std::identity>
std::pair<std::size_t, std::size_t> minmax_element(R&& r, Less less = {}, Projection of = {}) {
  return {armilla::min_element(r, less, of), armilla::max_element(r, less, of)};
}
/// The smallest element. usage_error on all members if there is none.
template <distributed_range R, class Less = std::less<>, class Projection = std::identity>
auto min(R&& r, Less less = {}, Projection of = {}) {
  return detail::require_some("min", detail::best_of(r, "min", detail::projected(less, of)));
}
/// The largest element. usage_error on all members if there is none.
template <distributed_range R, class Less = std::less<>, class Projection = std::identity>
auto max(R&& r, Less less = {}, Projection of = {}) {
  return detail::require_some("max", detail::best_of(r, "max", detail::projected_back(less, of)));
}
template <distributed_range R, class Less = std::less<>, class Projection = std::identity>
auto minmax(R&& r, Less less = {}, Projection of = {}) {
  return std::pair(armilla::min(r, less, of), armilla::max(r, less, of));
}

/// How many elements lie in each of `buckets` parts of one width of [low, high). Elements outside are not counted.
template <distributed_range R>
std::vector<std::uint64_t> histogram(R&& r, std::size_t buckets, double low, double high) {
  const auto v = detail::reading(r);
  detail::enter(v);
  detail::failure why;
  std::vector<std::uint64_t> count(buckets);
  const double scale = double(buckets) / (high - low);
  detail::walk(v, why, [&](const auto c, std::size_t n, const detail::indices& at) {
    detail::each_of_piece(c, n, at, why, [&](std::size_t k) {
      const double x = (double(c[k]) - low) * scale;
      if (x >= 0 && x < double(buckets)) ++count[std::size_t(x)];
    });
    return !why.happened();
  });
  detail::agree(v.members(), "histogram", why);
  v.members().all_reduce(std::span(count), std::plus<>{});
  return count;
}

namespace detail {

/// All elements in the order of their indices, one after the other. Where members hold them in order each adds its own in turn;
/// else member 0 reads all.
template <class T, class V, class Op>
T fold_in_order(const V& v, const char* operation, T sum, Op& op) {
  const team& t = v.members();
  meet(t);
  failure why;
  const auto add = [&](const auto c, std::size_t n, const indices& at) {
    each_of_piece(c, n, at, why, [&](std::size_t k) { sum = op(std::move(sum), c[k]); });
    return !why.happened();
  };
  if (v.ordered()) {
    for (rank_t m = 0; m < t.size(); ++m) {
      if (m == t.rank()) walk(v, why, add);
      sum = t.broadcast(sum, m);
    }
  } else {
    if (t.rank() == 0) walk_everything(v, why, add);
    sum = t.broadcast(sum, 0);
  }
  agree(t, operation, why);
  return sum;
}

}  // namespace detail

/// op(... op(op(init, e0), e1) ..., en), strictly from the first to the last. Cost: no parallelism; one message from member to
/// member on blocks, while on cyclic distributions the first member reads all elements.
template <distributed_range R, class T, class Op>
T fold_left(R&& r, T init, Op op) {
  return detail::fold_in_order(detail::reading(r), "fold_left", std::move(init), op);
}
/// fold_left with +, or with `op`.
template <distributed_range R, class T, class Op = std::plus<>>
T accumulate(R&& r, T init, Op op = {}) {
  return detail::fold_in_order(detail::reading(r), "accumulate", std::move(init), op);
}

}  // namespace armilla
