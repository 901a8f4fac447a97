// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <concepts>
#include <iterator>
#include <span>
#include <type_traits>

#include "armilla/container/scratch.hpp"
#include "armilla/container/state.hpp"

/// What algorithms see of containers and views: runs of elements that follow each other on one rank. A run is computed when it is
/// asked for; nowhere is a list of them.
namespace armilla {
namespace detail {

/// Where the elements of a range lie, if one placement says it for all that the range is made of.
struct common_places {
  const armilla::placement* where = nullptr;  ///< null: several differ, or a part of a container
  bool anywhere = false;                      ///< made up as they are asked for, as those of iota

  friend common_places both(const common_places& a, const common_places& b) noexcept {
    if (a.anywhere) return b;
    if (b.anywhere) return a;
    return a.where != nullptr && b.where != nullptr && *a.where == *b.where ? a : common_places{};
  }
};

template <class C>
concept has_container_state = requires(const C& c) {
  typename C::value_type;
  { c.state() } -> std::convertible_to<const container_state&>;
};

/// What algorithms call. Members are numbers in the team; `extent` counts positions, which a filter may leave out.
template <class V>
concept range_view = requires(const V& v, std::size_t i, std::size_t& n, scratch& s) {
  typename V::value_type;
  { v.extent() } -> std::convertible_to<std::size_t>;
  { v.members() } -> std::convertible_to<team>;
  { v.run_at(i) } -> std::same_as<run>;
  { v.next_on(rank_t{}, i) } -> std::same_as<std::size_t>;
  { v.common() } -> std::same_as<common_places>;
  { v.ordered() } -> std::same_as<bool>;
  v.window(i, n, s);
};

/// All elements of a container, by name. T is const where the container is.
template <class T>
class whole {
 public:
  using value_type = std::remove_const_t<T>;
  static constexpr bool writable = !std::is_const_v<T>;
  static constexpr bool sized = true;
  static constexpr bool by_place = true;  ///< `places` gives a member's elements, whatever their indices

  explicit whole(const container_state& c) noexcept : state_(&c) {}

  std::size_t size() const noexcept { return state_->where.size(); }
  std::size_t extent() const noexcept { return size(); }
  whole<const T> reading() const noexcept { return whole<const T>(*state_); }
  const team& members() const noexcept { return state_->members; }
  run run_at(std::size_t i) const noexcept { return state_->where.run_at(i); }
  std::size_t next_on(rank_t member, std::size_t i) const noexcept { return state_->where.next_on(member, i); }
  common_places common() const noexcept { return {&state_->where, false}; }
  bool ordered() const noexcept { return state_->where.linear(); }
  /// Elements [first, first + n) of one run. n becomes less where not as many are fetched at a time.
  T* window(std::size_t first, std::size_t& n, scratch& s) const {
    return elements_at<T>(state_->address(first, sizeof(T)), n, s);
  }
  bool reaches(std::size_t i) const { return global_ptr<std::byte>(state_->address(i, sizeof(T))).is_mapped(); }
  /// This rank's elements.
  T* places() const noexcept { return reinterpret_cast<T*>(global_ptr<std::byte>(state_->blocks.at(state_->me)).local()); }

 private:
  const container_state* state_;
};

/// The first run from i on that is the member's, found by looking at each.
template <class V>
std::size_t next_by_looking(const V& v, rank_t member, std::size_t i) {
  while (i < v.extent()) {
    const run at = v.run_at(i);
    if (at.member == member) return i;
    i = at.end;
  }
  return v.extent();
}

template <class C>
concept names_container = has_container_state<std::remove_cvref_t<C>>;

}  // namespace detail

namespace views {

/// All elements of a container, or the view itself. What every algorithm does with its arguments.
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
    return detail::whole<std::conditional_t<std::is_const_v<plain>, const value, value>>(r.state());
  }
}
template <class R>
using all_t = decltype(views::all(std::declval<R>()));

}  // namespace views

/// A container or a view whose elements lie on the ranks of a team: what algorithms take.
template <class R>
concept distributed_range = detail::names_container<R> || detail::range_view<std::remove_cvref_t<R>>;

/// Elements of a range that follow each other on one rank.
template <class View>
class segment {
 public:
  segment(const View* range, std::size_t first) : range_(range), first_(first), run_(range->run_at(first)) {}

  /// The rank of the job that has them.
  rank_t rank() const { return range_->members().world_rank(run_.member); }
  /// The index of the first one.
  std::size_t offset() const noexcept { return first_; }
  std::size_t size() const noexcept { return run_.end - first_; }
  /// Whether this rank can load and store them: always where they are its own, and those of its host.
  bool mapped() const { return range_->reaches(first_); }
  /// The elements as a span (of a container) or as something that is indexed like one (of a view). usage_error unless mapped.
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

/// The runs of a range in the order of their indices, each computed when it is looked at. For programs that walk by themselves:
///
///     for (const auto& s : am::segments(x))
///       if (s.mapped()) use(s.local());
template <distributed_range R>
auto segments(R&& r) {
  return detail::segments_of<views::all_t<R>>(views::all(r));
}

}  // namespace armilla
