// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/algorithm/elementwise/compaction_inline.hpp"
#include "armilla/algorithm/elementwise/order_rules.hpp"
#include "armilla/array.hpp"
#include "armilla/collectives.hpp"
#include "armilla/elementwise.hpp"

/// What merges, set operations and bounds do inside.
namespace armilla::detail {

/// Elements [first, first_end) of one range and [second, second_end) of another one.
struct pair_share {
  std::size_t first, first_end, second, second_end;
};

/// The share of this member in a merge of ranges with `n_first` and `n_second` elements. Its output begins at `begin`; it has
/// found `of_first` elements of the first range before that. Each element is in one share, and each share is as long as the
/// member's output, whatever `of_first` is. A member without output has a `begin` at the end. Collective: one gathering.
pair_share share_of_merge(const team& t, std::size_t begin, std::size_t of_first, std::size_t n_first, std::size_t n_second);

/// The same where the share of each member ends where that of the next one begins. No element is in two shares.
pair_share share_between(const team& t, std::size_t first, std::size_t second, std::size_t n_first, std::size_t n_second);

/// Elements [at, end) of a range, one after the other, wherever they lie; none if `end` is before `at`.
template <class V>
class reader {
 public:
  reader(const V& v, std::size_t at, std::size_t end) : v_(v), at_(at), end_(end < at ? at : end) { open(); }
  bool done() const noexcept { return at_ == end_; }
  decltype(auto) front() const { return (*cursor_)[k_]; }
  /// How many follow each other from the front on, and where they are.
  std::size_t here() const noexcept { return n_ - k_; }
  const auto& cursor() const noexcept { return *cursor_; }
  std::size_t place() const noexcept { return k_; }
  void skip(std::size_t n) {
    k_ += n;
    at_ += n;
    if (k_ == n_) open();
  }

 private:
  void open() {
    fetched_.finish();
    k_ = n_ = 0;
    if (at_ == end_) return;
    n_ = std::min(v_.run_at(at_).end, end_) - at_;
    cursor_.emplace(v_.window(at_, n_, fetched_));
    count_elements(n_);
  }

  const V& v_;
  std::size_t at_, end_, k_ = 0, n_ = 0;
  scratch fetched_;
  std::optional<decltype(std::declval<const V&>().window(0, std::declval<std::size_t&>(), std::declval<scratch&>()))> cursor_;
};

/// How many of the first `n` elements of a merge come from `a`; equal ones come from `a` first.
/// Paper: Siebert, Traff, Perfectly load-balanced, optimal, stable, parallel merge.
template <class A, class B, class Less>
std::size_t share_of_first(const A& a, const B& b, std::size_t n, Less& less) {
  std::size_t low = n > b.extent() ? n - b.extent() : 0, high = std::min(n, a.extent());
  while (low < high) {
    const std::size_t i = low + (high - low) / 2, j = n - i;  // j > 0
    if (!bool(std::invoke(less, element_at(b, j - 1), element_at(a, i))))
      low = i + 1;  // a[i] comes before b[j - 1]: more of a
    else
      high = i;
  }
  return low;
}

/// The first index in [0, v.extent()) whose element is not less than `value`.
template <class V, class T, class Less>
std::size_t first_not_less(const V& v, const T& value, Less& less) {
  std::size_t low = 0, high = v.extent();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (bool(std::invoke(less, element_at(v, middle), value)))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/// Merges into out[0, n).
template <class A, class B, class Out, class Less>
void merge_piece(reader<A>& a, reader<B>& b, const Out& out, std::size_t n, Less& less) {
  std::size_t k = 0;
  while (k < n && !(a.done() && b.done())) {
    if (a.done() || b.done()) {
      out[k++] = a.done() ? b.front() : a.front();
      a.done() ? b.skip(1) : a.skip(1);
      continue;
    }
    // As long as neither leaves what lies side by side: no test but one an element.
    const std::size_t room = std::min({n - k, a.here(), b.here()});
    const auto from_a = a.cursor();
    const auto from_b = b.cursor();
    std::size_t i = a.place(), j = b.place();
    for (const std::size_t end = k + room; k < end; ++k) {
      const bool second = bool(std::invoke(less, from_b[j], from_a[i]));
      out[k] = second ? from_b[j] : from_a[i];
      i += std::size_t(!second);
      j += std::size_t(second);
    }
    a.skip(i - a.place());
    b.skip(j - b.place());
  }
}

inline constexpr const char* first_in_order = "the first range must be in order";
inline constexpr const char* second_in_order = "the second range must be in order";

/// Into a range whose elements go from member to member, all of it: each member merges what belongs to its part.
template <class A, class B, class Out, class Less>
void merge_in_order(const A& a, const B& b, const Out& to, const char* operation, Less& less) {
  const team& t = to.members();
  algorithm_call why(operation, to);
  meet(t);
  require_sorted(a, operation, why, first_in_order, less);
  require_sorted(b, operation, why, second_in_order, less);
  const std::size_t begin = to.next_on(t.rank(), 0);
  std::size_t of_first = 0;
  try {
    const in_functions here;
    of_first = share_of_first(a, b, begin, less);
  } catch (...) { why.note(); }
  const pair_share mine = share_of_merge(t, begin, of_first, a.extent(), b.extent());
  if (!why.happened()) try {
      reader<A> from_a(a, mine.first, mine.first_end);
      reader<B> from_b(b, mine.second, mine.second_end);
      walk(to, why, [&](const auto c, std::size_t n, const indices&) {
        merge_piece(from_a, from_b, c, n, less);
        return true;
      });
    } catch (...) { why.note(); }
  finish(t, operation, why);
}

template <class A, class B, class Out, class Less>
void merge_into(const A& a, const B& b, const Out& out, const char* operation, Less& less) {
  require_function(less, operation);
  require_one_team(a, out);
  require_one_team(b, out);
  const std::size_t both = a.extent() + b.extent();
  require_room(operation, both, out.extent());
  require_apart(operation, a, a.extent(), out, both);
  require_apart(operation, b, b.extent(), out, both);
  const auto to = views::take(out, both);
  const one_way<Less> before{less};
  if (to.ordered()) return merge_in_order(a, b, to, operation, before);
  const algorithm_call all(operation);
  array<typename Out::value_type> in_blocks(to.extent(), on(out.members()));
  merge_in_order(a, b, views::all(in_blocks), operation, before);
  const without_end last(all);
  copy_all(views::all(in_blocks).reading(), to);
}

/// Which elements a set operation keeps.
struct set_rule {
  bool only_first, both, only_second;
};

/// Where in two ranges the share of member m begins: elements of one value belong to one member.
template <class A, class B, class Less>
std::pair<std::size_t, std::size_t> begin_by_value(const A& a, const B& b, rank_t m, rank_t members, Less& less) {
  const std::size_t n = even_share(a.extent() + b.extent(), m, members), i = share_of_first(a, b, n, less), j = n - i;
  const auto at = [&](const auto& value) { return std::pair(first_not_less(a, value, less), first_not_less(b, value, less)); };
  if (i == a.extent() && j == b.extent()) return {i, j};
  if (j == b.extent()) return at(element_at(a, i));
  if (i == a.extent()) return at(element_at(b, j));
  const auto x = element_at(a, i);
  const auto y = element_at(b, j);
  return bool(std::invoke(less, y, x)) ? at(y) : at(x);
}

/// Goes through a share of two ranges. together(first, i, last, second, j, end) takes what lies side by side, and
/// moves `i` and `j` until one is at its end; what one range has behind the other's last element goes to only_first(e) or
/// only_second(e).
template <class A, class B, class Together, class First, class Second>
void walk_share(const A& a, const B& b, const pair_share& mine, failure& why, Together together, First only_first,
                Second only_second) try {
  const in_functions here;
  reader<A> x(a, mine.first, mine.first_end);
  reader<B> y(b, mine.second, mine.second_end);
  while (!x.done() && !y.done()) {
    std::size_t i = x.place(), j = y.place();
    together(x.cursor(), i, i + x.here(), y.cursor(), j, j + y.here());
    x.skip(i - x.place());
    y.skip(j - y.place());
  }
  for (; !x.done(); x.skip(1)) only_first(x.front());
  for (; !y.done(); y.skip(1)) only_second(y.front());
} catch (...) { why.note(); }

/// The same with the share of this member.
template <class A, class B, class Less, class Together, class First, class Second>
void walk_sets(const A& a, const B& b, const team& t, const char* operation, failure& why, Less& less, Together together,
               First only_first, Second only_second) {
  meet(t);
  require_sorted(a, operation, why, first_in_order, less);
  require_sorted(b, operation, why, second_in_order, less);
  std::pair<std::size_t, std::size_t> begin(a.extent(), b.extent());
  try {
    const in_functions here;
    begin = begin_by_value(a, b, t.rank(), t.size(), less);
  } catch (...) { why.note(); }
  const pair_share mine = share_between(t, begin.first, begin.second, a.extent(), b.extent());
  if (!why.happened()) walk_share(a, b, mine, why, together, only_first, only_second);
}

/// Calls only_first(e), both(e), only_second(e) for this member's share of two ranges.
template <class A, class B, class Less, class First, class Both, class Second>
void compare_sets(const A& a, const B& b, const team& t, const char* operation, failure& why, Less& less, First only_first,
                  Both both, Second only_second) {
  require_function(less, operation);
  const auto together = [&](const auto& first, std::size_t& i, std::size_t last, const auto& second, std::size_t& j,
                            std::size_t end) {
    while (i < last && j < end) {
      if (bool(std::invoke(less, first[i], second[j]))) {
        only_first(first[i++]);
      } else if (bool(std::invoke(less, second[j], first[i]))) {
        only_second(second[j++]);
      } else {
        both(first[i++]);
        ++j;
      }
    }
  };
  walk_sets(a, b, t, operation, why, less, together, only_first, only_second);
}

/// What a set operation keeps of numbers. Budget: no branch an element but the end's; a few are put together on the stack.
template <class A, class B, class T, class Less>
void keep_numbers(const A& a, const B& b, const team& t, const char* operation, failure& why, Less& less, set_rule keeps,
                  pile<T>& kept) {
  require_function(less, operation);
  const auto together = [&](const auto& first, std::size_t& i_, std::size_t last, const auto& second, std::size_t& j_,
                            std::size_t end) {
    T some[few_to_deal<T, 0>];
    std::size_t i = i_, j = j_;
    while (i < last && j < end) {
      std::size_t n = 0;
      for (std::size_t steps = std::min({few_to_deal<T, 0>, last - i, end - j}); steps > 0; --steps) {
        const T x = first[i], y = second[j];
        const bool before = bool(std::invoke(less, x, y)), behind = bool(std::invoke(less, y, x)) & !before;  // one goes on
        some[n] = behind ? y : x;
        n += std::size_t((before & keeps.only_first) | (behind & keeps.only_second) | (!(before | behind) & keeps.both));
        i += std::size_t(!behind);
        j += std::size_t(!before);
      }
      kept.append(some, n);
    }
    i_ = i;
    j_ = j;
  };
  const auto keep_if = [&kept](bool keep) {
    return [&kept, keep](const T& e) {
      if (keep) kept.push_back(e);
    };
  };
  walk_sets(a, b, t, operation, why, less, together, keep_if(keeps.only_first), keep_if(keeps.only_second));
}

template <class A, class B, class Out, class Less>
std::size_t set_operation(const A& a, const B& b, const Out& out, const char* operation, Less& less, set_rule keeps) {
  require_function(less, operation);
  require_one_team(a, out);
  require_one_team(b, out);
  algorithm_call why(operation, out);
  using T = typename Out::value_type;
  const one_way<Less> before{less};
  pile<T> kept;
  if constexpr (std::is_arithmetic_v<T> && std::is_same_v<T, typename A::value_type> &&
                std::is_same_v<T, typename B::value_type>) {
    keep_numbers(a, b, out.members(), operation, why, before, keeps, kept);
  } else {
    const auto keep_if = [&kept](bool keep) {
      return [&kept, keep](const auto& e) {
        if (keep) kept.push_back(e);
      };
    };
    compare_sets(a, b, out.members(), operation, why, before, keep_if(keeps.only_first), keep_if(keeps.both),
                 keep_if(keeps.only_second));
  }
  return write_kept(out, operation, why, kept);
}

}  // namespace armilla::detail
