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
  algorithm_call why(operation, to, a, b);
  meet(t);
  require_sorted(a, operation, why, first_in_order, less);
  require_sorted(b, operation, why, second_in_order, less);
  const std::size_t begin = to.next_on(t.rank(), 0);
  std::size_t of_first = 0;
  try {
    const in_functions here;
    of_first = share_of_first(a, b, begin, less);
  } catch (const detail::passing&) { throw; } catch (...) {
    why.note();
  }
  const pair_share mine = share_of_merge(t, begin, of_first, a.extent(), b.extent());
  if (!why.happened()) try {
      reader<A> from_a(a, mine.first, mine.first_end);
      reader<B> from_b(b, mine.second, mine.second_end);
      walk(to, why, [&](const auto c, std::size_t n, const indices&) {
        merge_piece(from_a, from_b, c, n, less);
        return true;
      });
    } catch (const detail::passing&) { throw; } catch (...) {
      why.note();
    }
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

/// Where in two ranges the elements begin that have the value of element `n` of their merge: those of one value stay together.
template <class A, class B, class Less>
std::pair<std::size_t, std::size_t> begin_by_value(const A& a, const B& b, std::size_t n, Less& less) {
  const std::size_t i = share_of_first(a, b, n, less), j = n - i;
  const auto at = [&](const auto& value) { return std::pair(first_not_less(a, value, less), first_not_less(b, value, less)); };
  if (i == a.extent() && j == b.extent()) return {i, j};
  if (j == b.extent()) return at(element_at(a, i));
  if (i == a.extent()) return at(element_at(b, j));
  const auto x = element_at(a, i);
  const auto y = element_at(b, j);
  return bool(std::invoke(less, y, x)) ? at(y) : at(x);
}

/// Goes through what is left of a share of two ranges. together(first, i, last, second, j, end) takes what lies side by side, and
/// moves `i` and `j` until one is at its end; what one range has behind the other's last element goes to only_first(e) or
/// only_second(e).
template <class A, class B, class Together, class First, class Second>
void walk_share(reader<A>& x, reader<B>& y, Together together, First only_first, Second only_second) {
  while (!x.done() && !y.done()) {
    std::size_t i = x.place(), j = y.place();
    together(x.cursor(), i, i + x.here(), y.cursor(), j, j + y.here());
    x.skip(i - x.place());
    y.skip(j - y.place());
  }
  for (; !x.done(); x.skip(1)) only_first(x.front());
  for (; !y.done(); y.skip(1)) only_second(y.front());
}

/// Calls take(share) with the share of this member. Collective.
template <class A, class B, class Less, class Take>
void take_share(const A& a, const B& b, const team& t, const char* operation, failure& why, Less& less, Take take) {
  require_function(less, operation);
  meet(t);
  require_sorted(a, operation, why, first_in_order, less);
  require_sorted(b, operation, why, second_in_order, less);
  std::pair<std::size_t, std::size_t> begin(a.extent(), b.extent());
  try {
    const in_functions here;
    begin = begin_by_value(a, b, even_share(a.extent() + b.extent(), t.rank(), t.size()), less);
  } catch (const detail::passing&) { throw; } catch (...) {
    why.note();
  }
  const pair_share mine = share_between(t, begin.first, begin.second, a.extent(), b.extent());
  if (why.happened()) return;
  try {
    const in_functions here;
    take(mine);
  } catch (const detail::passing&) { throw; } catch (...) {
    why.note();
  }
}

/// Calls only_first(e), both(e), only_second(e) for this member's share of two ranges.
template <class A, class B, class Less, class First, class Both, class Second>
void compare_sets(const A& a, const B& b, const team& t, const char* operation, failure& why, Less& less, First only_first,
                  Both both, Second only_second) {
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
  take_share(a, b, t, operation, why, less, [&](const pair_share& mine) {
    reader<A> x(a, mine.first, mine.first_end);
    reader<B> y(b, mine.second, mine.second_end);
    walk_share(x, y, together, only_first, only_second);
  });
}

/// Part of a share of two ranges of numbers, and what a set operation keeps of it. Budget: no branch an element but the end's; a
/// few are put together on the stack.
template <class A, class B, class T, class Less>
class set_lane {
 public:
  set_lane(const A& a, const B& b, const pair_share& mine, Less& less, set_rule keeps, pile<T>& kept)
      : x_(a, mine.first, mine.first_end), y_(b, mine.second, mine.second_end), less_(&less), keeps_(keeps), kept_(&kept) {}

  /// Two lanes by turns, as long as neither leaves what lies side by side. A step waits for the comparison of the step before it
  /// in its lane, so that one lane leaves half of a processor unused.
  static void walk(set_lane& p, set_lane& q) {
    while (p.steps() != 0 && q.steps() != 0) {
      stretch of_p(p), of_q(q);
      for (std::size_t steps = std::min({few, p.steps(), q.steps()}); steps > 0; --steps) of_p.step(), of_q.step();
      of_p.end(), of_q.end();
    }
    p.walk();
    q.walk();
  }
  void walk() {
    while (steps() != 0) {
      stretch all(*this);
      for (std::size_t left = std::min(few, steps()); left > 0; --left) all.step();
      all.end();
    }
    for (; !x_.done(); x_.skip(1))
      if (keeps_.only_first) kept_->push_back(x_.front());
    for (; !y_.done(); y_.skip(1))
      if (keeps_.only_second) kept_->push_back(y_.front());
  }

 private:
  static constexpr std::size_t few = few_to_deal<T, 1>;

  /// How many steps surely stay in what lies side by side; 0 if a range is at its end.
  std::size_t steps() const noexcept { return x_.done() || y_.done() ? 0 : std::min(x_.here(), y_.here()); }

  struct stretch {
    using first_cursor = std::decay_t<decltype(std::declval<reader<A>&>().cursor())>;
    using second_cursor = std::decay_t<decltype(std::declval<reader<B>&>().cursor())>;

    explicit stretch(set_lane& of)
        : lane(of), first(of.x_.cursor()), second(of.y_.cursor()), i(of.x_.place()), j(of.y_.place()) {}
    void step() {
      const T x = first[i], y = second[j];
      const set_rule keeps = lane.keeps_;
      const bool before = bool(std::invoke(*lane.less_, x, y)), behind = bool(std::invoke(*lane.less_, y, x)) & !before;
      some[n] = behind ? y : x;
      n += std::size_t((before & keeps.only_first) | (behind & keeps.only_second) | (!(before | behind) & keeps.both));
      i += std::size_t(!behind);
      j += std::size_t(!before);
    }
    void end() {
      lane.kept_->append(some, n);
      lane.x_.skip(i - lane.x_.place());
      lane.y_.skip(j - lane.y_.place());
    }
    set_lane& lane;
    const first_cursor first;
    const second_cursor second;
    std::size_t i, j, n = 0;
    T some[few];
  };

  reader<A> x_;
  reader<B> y_;
  Less* less_;
  set_rule keeps_;
  pile<T>* kept_;
};

/// What a set operation keeps of numbers: the first half of this member's share, and the second one.
template <class A, class B, class T, class Less>
void keep_numbers(const A& a, const B& b, const team& t, const char* operation, failure& why, Less& less, set_rule keeps,
                  pile<T>& kept, pile<T>& more) {
  take_share(a, b, t, operation, why, less, [&](const pair_share& mine) {
    constexpr std::size_t worth_two_lanes = 8192;
    pair_share half = mine;
    if (mine.first_end - mine.first + mine.second_end - mine.second >= worth_two_lanes) {
      const auto [first, second] = begin_by_value(a, b, (mine.first + mine.first_end + mine.second + mine.second_end) / 2, less);
      half.first_end = std::clamp(first, mine.first, mine.first_end);
      half.second_end = std::clamp(second, mine.second, mine.second_end);
    }
    const auto most = [&](const pair_share& of) {
      const std::size_t first = of.first_end - of.first, second = of.second_end - of.second;
      return keeps.only_second ? first + second : keeps.only_first ? first : std::min(first, second);
    };
    kept.expect(most(half));
    set_lane<A, B, T, Less> p(a, b, half, less, keeps, kept);
    const pair_share rest{half.first_end, mine.first_end, half.second_end, mine.second_end};
    more.expect(most(rest));
    set_lane<A, B, T, Less> q(a, b, rest, less, keeps, more);
    set_lane<A, B, T, Less>::walk(p, q);
  });
}

template <class A, class B, class Out, class Less>
std::size_t set_operation(const A& a, const B& b, const Out& out, const char* operation, Less& less, set_rule keeps) {
  require_function(less, operation);
  require_one_team(a, out);
  require_one_team(b, out);
  algorithm_call why(operation, out, a, b);
  using T = typename Out::value_type;
  const one_way<Less> before{less};
  pile<T> kept, more;
  if constexpr (std::is_arithmetic_v<T> && std::is_same_v<T, typename A::value_type> &&
                std::is_same_v<T, typename B::value_type>) {
    keep_numbers(a, b, out.members(), operation, why, before, keeps, kept, more);
  } else {
    const auto keep_if = [&kept](bool keep) {
      return [&kept, keep](const auto& e) {
        if (keep) kept.push_back(e);
      };
    };
    compare_sets(a, b, out.members(), operation, why, before, keep_if(keeps.only_first), keep_if(keeps.both),
                 keep_if(keeps.only_second));
  }
  return write_kept(out, operation, why, kept, more);
}

}  // namespace armilla::detail
