// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <type_traits>

#include "armilla/container/place/range_inline.hpp"

/// Ranges: what algorithms see of containers and views.
///
/// A range is a sequence of runs: consecutive elements on one rank. A run is computed on demand; there is no list of them.
/// Programs that walk over a range by themselves use `segments`.
///
///     for (const auto& s : am::segments(x))
///       if (s.mapped()) use(s.local());
namespace armilla {

namespace views {

/// Returns all elements of a container as a view, or the view itself. Every algorithm does that with its arguments.
template <class R>
  requires(detail::names_container<R> || detail::range_view<std::remove_cvref_t<R>>)
auto all(R&& r) {
  using plain = std::remove_reference_t<R>;
  if constexpr (!detail::names_container<R>) {
    return std::remove_cv_t<plain>(r);
  } else {
    static_assert(std::is_lvalue_reference_v<R>,
                  "armilla: a view does not keep a container alive: give the container a name first");
    using value = typename std::remove_cv_t<plain>::value_type;
    if constexpr (detail::has_own_range<plain>)
      return r.range();
    else
      return detail::whole<std::conditional_t<std::is_const_v<plain>, const value, value>>(r.state());
  }
}
template <class R>
using all_t = decltype(views::all(std::declval<R>()));

}  // namespace views

/// A container or view whose elements are distributed over the ranks of a team: the argument of an algorithm.
template <class R>
concept distributed_range = detail::names_container<R> || detail::range_view<std::remove_cvref_t<R>>;

/// A sequence of consecutive elements of a range that are stored on one rank. (A rank's segment, its shared memory, is something
/// else.)
template <class View>
class segment {
 public:
  segment(const View* range, std::size_t first) : range_(range), first_(first), run_(range->run_at(first)) {}

  /// Returns the rank of the job that stores the elements.
  rank_t rank() const { return range_->members().world_rank(run_.member); }
  /// Returns the index of the first element.
  std::size_t offset() const noexcept { return first_; }
  /// Returns the number of elements.
  std::size_t size() const noexcept { return run_.end - first_; }
  /// Returns whether this rank can load and store the elements: always for its own, and for those of its host.
  bool mapped() const { return range_->reaches(first_); }
  /// Returns the elements as a span, or for a view as something that is indexed like one. Throws `usage_error` unless `mapped()`.
  auto local() const {
    if (!mapped()) [[unlikely]]
      detail::throw_not_mapped(rank());
    std::size_t n = size();
    detail::scratch none;
    auto cursor = range_->window(first_, n, none);
    if constexpr (std::is_pointer_v<decltype(cursor)>)
      return std::span(cursor, n);
    else
      return cursor;
  }

 private:
  const View* range_;
  std::size_t first_;
  detail::run run_;
};

namespace detail {

struct all_seen {};

/// The segments of a view, one after the other.
template <class View>
class segments_of {
 public:
  class iterator {
   public:
    using value_type = segment<View>;
    using difference_type = std::ptrdiff_t;
    iterator() = default;
    iterator(const View* range, std::size_t first) : range_(range), first_(first) {}
    segment<View> operator*() const { return {range_, first_}; }
    iterator& operator++() {
      first_ = range_->run_at(first_).end;
      return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const iterator& i, all_seen) { return i.first_ >= i.range_->extent(); }

   private:
    const View* range_ = nullptr;
    std::size_t first_ = 0;
  };

  explicit segments_of(View range) : range_(std::move(range)) {}
  iterator begin() const { return {&range_, 0}; }
  all_seen end() const { return {}; }

 private:
  View range_;
};

}  // namespace detail

/// Returns the runs of a range, in the order of their indices, each computed on demand: `for (const auto& s : am::segments(x))`.
template <distributed_range R>
auto segments(R&& r) {
  return detail::segments_of<views::all_t<R>>(views::all(r));
}

}  // namespace armilla
