// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <vector>

#include "armilla/array.hpp"
#include "armilla/elementwise.hpp"
#include "armilla/fold.hpp"

/// What scans do inside.
namespace armilla::detail {

/// An element of a scan by key: whether a row of equal keys begins with it, or with one before it that it sums up.
template <class T>
struct element_of_row {
  T value;
  bool begins;
};

/// Whether elements may be folded in another order.
template <class Op>
inline constexpr bool commutative = false;
template <class T>
inline constexpr bool commutative<std::plus<T>> = true;
template <class T>
inline constexpr bool commutative<std::multiplies<T>> = true;
template <class T>
inline constexpr bool commutative<std::bit_xor<T>> = true;
template <class T>
inline constexpr bool commutative<std::bit_or<T>> = true;
template <class T>
inline constexpr bool commutative<std::bit_and<T>> = true;

/// The fold of all members before this one. All throw if one has failed.
template <class T, class Op>
part<T> fold_of_those_before(const team& t, const char* operation, failure& why, const part<T>& mine, Op& op) {
  std::vector<ballot<part<T>>> all;
  {
    const meeting here(t);
    all = t.all_gather(ballot<part<T>>{vote_of(t, why), mine});
  }
  std::uint64_t loser = no_loser;
  for (const auto& each : all) loser = each.loser < loser ? each.loser : loser;
  if (loser != no_loser) throw_failure_of(t, operation, loser, why);
  part<T> before;
  try {
    const in_functions here;
    for (std::size_t m = 0; m < std::size_t(t.rank()); ++m) before = combined(before, all[m].value, op);
  } catch (const detail::passing&) { throw; } catch (...) {
    why.note();
  }
  return before;
}

enum class scan_kind { inclusive, exclusive };

/// Writes the sums of one piece; `sum` goes on to the next.
template <scan_kind Kind, class T, class Out, class Of, class Op>
void scan_piece(const Out& out, std::size_t n, const indices& at, failure& why, part<T>& sum, Op& op, Of of) {
  std::size_t k = 0;
  try {
    if (n > 0 && !sum.some) {  // only of an inclusive scan: the other begins with a value
      sum = {T(of(0)), true};
      out[0] = sum.value;
      k = 1;
    }
    T running = sum.value;
    for (; k < n; ++k) {
      T next = T(op(running, of(k)));
      out[k] = Kind == scan_kind::inclusive ? next : running;
      running = next;
    }
    sum.value = running;
  } catch (const detail::passing&) { throw; } catch (...) {
    why.note(at(k));
  }
}

template <scan_kind Kind, class T, class In, class Out, class Op, class F>
void scan_in_order(const In& in, const Out& out, const char* operation, part<T> first, Op& op, F& f) {
  const zip_view<In, Out> both(in, out);
  const team& t = out.members();
  algorithm_call why(operation, out, in);
  enter(both);
  part<T> mine;
  auto of = [&f](const auto& c, std::size_t k) -> decltype(auto) { return apply_at(f, c, k); };
  walk(both, why, [&](const auto c, std::size_t n, const indices& at) {
    const auto& from = std::get<0>(c.from);
    if constexpr (commutative<Op>)
      fold_piece<T>(from, n, at, why, mine, op, of);
    else
      each_of_piece(from, n, at, why, [&](std::size_t k) { mine.take(T(of(from, k)), op); });
    return !why.happened();
  });
  const part<T> before = fold_of_those_before(t, operation, why, mine, op);
  part<T> sum = first;
  try {
    const in_functions here;
    sum = combined(first, before, op);
  } catch (const detail::passing&) { throw; } catch (...) {
    why.note();
  }
  walk(both, why, [&](const auto c, std::size_t n, const indices& at) {
    const auto& from = std::get<0>(c.from);
    scan_piece<Kind>(std::get<1>(c.from), n, at, why, sum, op, [&](std::size_t k) -> decltype(auto) { return of(from, k); });
    return !why.happened();
  });
  finish(t, operation, why);
}

template <scan_kind Kind, class T, class In, class Out, class Op, class F>
void scan_all(const In& in, const Out& out, const char* operation, part<T> first, Op op, F f) {
  require_function(op, operation);
  require_function(f, operation);
  require_room(operation, in.extent(), out.extent());
  require_same_or_apart(operation, in, out, in.extent());
  if (out.ordered()) return scan_in_order<Kind>(in, out, operation, first, op, f);
  array<T> in_blocks(in.extent(), on(out.members()));
  scan_in_order<Kind>(in, views::all(in_blocks), operation, first, op, f);
  copy_all(views::all(in_blocks).reading(), out);
}

}  // namespace armilla::detail
