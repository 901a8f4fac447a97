// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/algorithm/elementwise/projected.hpp"
#include "armilla/container/place/algorithm_call.hpp"
#include "armilla/container/place/cursor.hpp"
#include "armilla/container/views/mapped_views.hpp"
#include "armilla/range.hpp"

/// What all algorithms share: each rank goes through its runs of a range, and all members agree in the end.
namespace armilla::detail {

/// The index of each element that a rank goes through in one piece.
class indices {
 public:
  explicit indices(std::size_t first) noexcept : first_(first) {}
  indices(const armilla::placement& dealt, rank_t member) noexcept : dealt_(&dealt), member_(member) {}
  /// All have this one: they are elements of one element.
  static indices all(std::size_t index) noexcept {
    indices same(index);
    same.mask_ = 0;
    return same;
  }
  std::size_t operator()(std::size_t k) const noexcept {
    return dealt_ == nullptr ? first_ + (k & mask_) : dealt_->index_of(member_, k);
  }

 private:
  std::size_t first_ = 0, mask_ = ~std::size_t{0};
  const armilla::placement* dealt_ = nullptr;
  rank_t member_ = 0;
};

/// Whether members read elements of others: then these must be written when the algorithm begins. The same on all members.
template <class V>
bool reads_others(const V& v) {
  return !v.common().known() && v.members().size() > 1;
}

/// Elements of others must be there.
template <class V>
void enter(const V& v) {
  if (reads_others(v)) meet(v.members());
}

/// Calls f(cursor, n, indices) for what lies at positions [i, end) of one run, or as much as is fetched at a time, and sets i
/// behind it; of rows for each row. Returns what f does: false ends it.
template <class V, class F>
bool go_through(const V& v, std::size_t& i, std::size_t end, scratch& fetched, F& f) {
  std::size_t n = end - i;
  if constexpr (gives_rows<V>) {
    const auto rows = v.rows_at(i, n, fetched);
    for (std::size_t k = 0; k < n; ++k) {
      const auto take_row = [&](const auto c, std::size_t many) {
        count_elements(many);
        return f(c, many, indices::all(i + k));
      };
      if (passes(rows, k) && !v.in_row(rows, k, take_row)) return false;
    }
  } else {
    const auto cursor = v.window(i, n, fetched);
    count_elements(n);
    if (!f(cursor, n, indices(i))) return false;
  }
  fetched.finish();
  i += n;
  return true;
}

/// Calls f(cursor, n, indices) for each piece of `v` that belongs to `member`, in the order of indices, until f returns false or
/// something has failed. Elements dealt in turn come in one piece where one placement says where all of them lie.
template <class V, class F>
void walk_of(const V& v, rank_t member, failure& why, F f) try {
  const in_functions here;
  if constexpr (V::by_place) {
    const common_places c = v.common();
    if (c.where != nullptr && !c.where->linear()) {
      const std::size_t n = c.where->count(member);
      count_elements(n);
      f(v.places(), n, indices(*c.where, member));
      return;
    }
  }
  scratch fetched;
  for (std::size_t i = v.next_on(member, 0); i < v.extent() && !why.happened(); i = v.next_on(member, i))
    if (!go_through(v, i, v.run_at(i).end, fetched, f)) break;
  fetched.finish();
} catch (const detail::passing&) { throw; } catch (...) {
  why.note();
}

template <class V, class F>
void walk(const V& v, failure& why, F f) {
  walk_of(v, v.members().rank(), why, std::move(f));
}

/// The same for all pieces, whichever member has them, on this rank.
template <class V, class F>
void walk_everything(const V& v, failure& why, F f) try {
  const in_functions here;
  scratch fetched;
  for (std::size_t i = 0; i < v.extent() && !why.happened();)
    if (!go_through(v, i, v.run_at(i).end, fetched, f)) break;
} catch (const detail::passing&) { throw; } catch (...) {
  why.note();
}

/// Calls step(k) for the elements of a piece that are let through. What it throws is noted with the element's index.
/// Budget: nothing beside the step where it cannot throw.
template <class C, class Step>
void each_of_piece(const C& c, std::size_t n, const indices& at, failure& why, Step step) {
  std::size_t k = 0;
  try {
    for (; k < n; ++k)
      if (passes(c, k)) step(k);
  } catch (const detail::passing&) { throw; } catch (...) {
    why.note(at(k));
  }
}

/// How an algorithm ends whose result does not need it.
inline void finish(const team& t, const char* operation, algorithm_call& why) {
  if (why.waits())
    agree(t, operation, why);
  else
    keep_failure(t, operation, why);
}

[[noreturn, gnu::cold]] void throw_does_not_fit(const char* operation, std::size_t n, std::size_t room);
[[noreturn, gnu::cold]] void throw_no_elements(const char* operation);
[[noreturn, gnu::cold]] void throw_vector_length(const char* operation, const char* which, std::size_t n, std::size_t wanted);

/// Before anything moves; all members know both sizes.
inline void require_room(const char* operation, std::size_t n, std::size_t room) {
  if (n > room) [[unlikely]]
    throw_does_not_fit(operation, n, room);
}

/// A range that is only read.
template <class R>
auto reading(R&& r) {
  return views::all(std::forward<R>(r)).reading();
}

template <class V>
concept lies_somewhere = !requires { V::anywhere; };

}  // namespace armilla::detail
