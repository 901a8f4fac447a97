// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "armilla/algorithm/elementwise/order_rules.hpp"
#include "armilla/algorithm/elementwise/walk.hpp"
#include "armilla/views.hpp"

/// What folds do inside.
namespace armilla::detail {

/// Collective: `n` buckets of 0; where there is no room on this rank `why` says so. limit_error on all members for more than any
/// rank can have.
std::vector<std::uint64_t> make_buckets(const team& t, std::size_t n, failure& why);
/// Of a histogram.
void require_bounds(double low, double high);

/// Buckets of one width. What lies between the bounds is in one of them, however the arithmetic rounds.
class bucket_bounds {
 public:
  bucket_bounds(double low, double high, std::size_t n) noexcept
      : low_(low), high_(n == 0 ? low : high), width_(high - low), n_(double(n)), scale_(n_ / width_), last_(n - 1) {}

  /// Not NaNs.
  bool has(double x) const noexcept { return x >= low_ && x < high_; }
  std::size_t place(double x) const noexcept {
    const bool tiny = scale_ > std::numeric_limits<double>::max();
    return std::min(last_, std::size_t(std::ptrdiff_t(tiny ? (x - low_) / width_ * n_ : (x - low_) * scale_)));
  }

 private:
  double low_, high_, width_, n_, scale_;
  std::size_t last_;
};

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
  } catch (const detail::passing&) { throw; } catch (...) {
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
  } catch (const detail::passing&) { throw; } catch (...) {
    why.note(at(k));
  }
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
  require_function(op, operation);
  algorithm_call why(operation, v);
  enter(v);
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

struct tally {
  double sum = 0;
  std::uint64_t n = 0;
};

/// Where there are no elements, usage_error: on all members, as they have the same `n`.
inline double mean_of(double sum, std::uint64_t n) {
  if (n == 0) [[unlikely]]
    throw_no_elements("mean");
  return sum / double(n);
}

/// An element and its index.
template <class T>
struct indexed {
  T value{};
  std::size_t index = npos;
};

/// The first of one piece, and of what came before it: `no_number` is the first NaN while there is nothing else. Budget: numbers
/// in memory are looked at by vector instructions.
template <class T, class C, class Before>
void choose_in_piece(const C& c, std::size_t n, const indices& at, failure& why, part<indexed<T>>& mine,
                     part<indexed<T>>& no_number, const Before& before) {
  const one_way<const Before> is_before{before};
  std::size_t k = 0;
  try {
    for (; k < n && !mine.some; ++k) {
      if (!passes(c, k)) continue;
      indexed<T> e{c[k], at(k)};
      if (!before.is_nan(e.value))
        mine = {std::move(e), true};
      else if (!no_number.some)
        no_number = {std::move(e), true};
    }
    const auto look_at = [&](std::size_t end) {
      for (; k < end; ++k)
        if (passes(c, k) && is_before(c[k], mine.value.value)) [[unlikely]]
          mine.value = {c[k], at(k)};
    };
    if constexpr (std::is_pointer_v<C> && Before::template compares_numbers<T>) {
      constexpr std::size_t lanes = fold_lanes<T>, some = 128;
      while (k + some <= n) {
        const T so_far = mine.value.value;
        T lane[lanes];
        std::fill_n(lane, lanes, so_far);
        for (std::size_t i = k; i < k + some; i += lanes)
          for (std::size_t j = 0; j < lanes; ++j) lane[j] = is_before(c[i + j], lane[j]) ? c[i + j] : lane[j];
        for (std::size_t width = lanes / 2; width > 0; width /= 2)
          for (std::size_t j = 0; j < width; ++j) lane[j] = is_before(lane[j + width], lane[j]) ? lane[j + width] : lane[j];
        if (!is_before(lane[0], so_far)) [[likely]]
          k += some;
        else
          look_at(k + some);
      }
    }
    look_at(n);
  } catch (const detail::passing&) { throw; } catch (...) {
    why.note(at(k));
  }
}

/// The first element that no other comes before: `before(a, b)` says that a is to be chosen rather than b. NaNs come last: one is
/// chosen where there is nothing else.
template <class R, class Before>
part<indexed<range_value<R>>> best_of(R&& r, const char* operation, Before before) {
  using best = indexed<range_value<R>>;
  const auto v = reading(r);
  algorithm_call why(operation, v);
  enter(v);
  part<best> mine, no_number;
  auto choose = [&before](const best& a, const best& b) {
    if (before.is_nan(a.value) != before.is_nan(b.value)) return before.is_nan(a.value) ? b : a;
    if (before(b.value, a.value)) return b;
    return before(a.value, b.value) || a.index < b.index ? a : b;
  };
  walk(v, why, [&](const auto c, std::size_t n, const indices& at) {
    choose_in_piece(c, n, at, why, mine, no_number, before);
    return !why.happened();
  });
  if (!mine.some) mine = no_number;
  return agree(v.members(), operation, why, mine,
               [&](const part<best>& a, const part<best>& b) { return combined(a, b, choose); });
}

/// Which of two elements is to be chosen: the lesser or the greater projection.
template <class Less, class Projection, bool Greater>
struct chosen_first {
  /// The standard's comparison of numbers, which throws nothing.
  template <class T>
  static constexpr bool compares_numbers =
      std::is_arithmetic_v<T> && std::same_as<Projection, std::identity> &&
      one_of<Less, std::less<>, std::less<T>, std::ranges::less, std::greater<>, std::greater<T>, std::ranges::greater>;

  Less& less;
  Projection& of;

  template <class A, class B>
    requires std::is_invocable_v<Projection&, const A&> && std::is_invocable_v<Projection&, const B&>
  bool operator()(const A& a, const B& b) const {
    if constexpr (Greater)
      return bool(std::invoke(less, std::invoke(of, b), std::invoke(of, a)));
    else
      return bool(std::invoke(less, std::invoke(of, a), std::invoke(of, b)));
  }
  template <class A>
  bool is_nan(const A& a) const {
    if constexpr (orders_floats<std::remove_cvref_t<std::invoke_result_t<Projection&, const A&>>, Less>) {
      const auto key = std::invoke(of, a);
      return key != key;
    } else {
      return false;
    }
  }
};

template <class Less, class Projection>
chosen_first<Less, Projection, false> projected(Less& less, Projection& of) {
  require_functions(less, of);
  return {less, of};
}
template <class Less, class Projection>
chosen_first<Less, Projection, true> projected_back(Less& less, Projection& of) {
  require_functions(less, of);
  return {less, of};
}

template <class T>
T require_some(const char* operation, const part<indexed<T>>& found) {
  if (!found.some) [[unlikely]]
    throw_no_elements(operation);
  return found.value.value;
}

/// All elements in the order of their indices, one after the other. Where members hold them in order each adds its own in turn;
/// else member 0 reads all.
template <class T, class V, class Op>
T fold_in_order(const V& v, const char* operation, T sum, Op& op) {
  require_function(op, operation);
  const team& t = v.members();
  algorithm_call why(operation, v);
  meet(t);
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

}  // namespace armilla::detail
