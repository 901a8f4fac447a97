// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <concepts>
#include <iterator>
#include <type_traits>

#include "armilla/container/place/fetched_bytes.hpp"
#include "armilla/container/place/overlap.hpp"
#include "armilla/container/place/owned_state.hpp"

/// What a distributed range is to the algorithms.
namespace armilla::detail {

/// Where the elements of a range lie, if one placement says it for all that the range is made of.
struct common_places {
  const armilla::placement* where = nullptr;              ///< null: several differ, or a part of a container
  bool anywhere = false;                                  ///< made up as they are asked for, as those of iota
  const void* grid = nullptr;                             ///< of a matrix: its shape,
  bool (*same_grid)(const void*, const void*) = nullptr;  ///< and what compares it with others of its kind

  bool known() const noexcept { return where != nullptr || grid != nullptr || anywhere; }
  friend common_places both(const common_places& a, const common_places& b) noexcept {
    if (a.anywhere) return b;
    if (b.anywhere) return a;
    if (a.grid != nullptr && a.same_grid == b.same_grid && a.same_grid(a.grid, b.grid)) return a;
    return a.where != nullptr && b.where != nullptr && *a.where == *b.where ? a : common_places{};
  }
};

template <class C>
concept has_container_state = requires(const C& c) {
  typename C::value_type;
  { c.state() } -> std::convertible_to<const element_state<typename C::value_type>&>;
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

/// What makes `v[i]` of a view whose elements have indices: a copy of the element, on whichever rank it is.
template <class View>
struct with_index {
  template <class V = View>
    requires(V::sized)
  typename V::value_type operator[](std::size_t i) const {
    const V& self = static_cast<const V&>(*this);
    if (i >= self.size()) [[unlikely]] {
      if constexpr (requires { &self.container(); })
        throw_element(&self.container(), i, self.size());
      else
        throw_element(nullptr, i, self.size());
    }
    const auto read = self.reading();
    scratch fetched;
    std::size_t n = 1;
    const auto at = read.window(i, n, fetched);
    typename V::value_type copy(at[0]);
    fetched.finish();
    return copy;
  }
};

/// All elements of a container, by name. T is const where the container is.
template <class T>
class whole : public with_index<whole<T>> {
 public:
  using value_type = std::remove_const_t<T>;
  static constexpr bool writable = !std::is_const_v<T>;
  static constexpr bool sized = true;
  static constexpr bool by_place = true;  ///< `places` gives a member's elements, whatever their indices

  explicit whole(const element_state<value_type>& c) noexcept : state_(&c) {}

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
    if constexpr (lies_in_segments<value_type>) {
      const auto at = state_->where.locate(first);
      return elements_at<T>(state_->address_of(at, sizeof(T)), {this, &state_->where, at.member, at.place}, n, s);
    } else {
      return state_->template window<T>(this, first, n, s);
    }
  }
  bool reaches(std::size_t i) const {
    if constexpr (lies_in_segments<value_type>)
      return global_ptr<std::byte>(state_->address(i, sizeof(T))).is_mapped();
    else
      return state_->where.locate(i).member == state_->me;
  }
  template <class F>
  void each_container(const element_map& at, F f) const {
    f(viewed_container{state_, &state_->order}, at);
  }
  const element_state<value_type>& container() const noexcept { return *state_; }
  /// This rank's elements.
  T* places() const noexcept { return first_of<value_type>(*state_); }

 private:
  const element_state<value_type>* state_;
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

/// A container that is no row of elements gives the range of them by itself.
template <class C>
concept has_own_range = requires(C& c) {
  typename C::value_type;
  { c.range() } -> range_view;
};
template <class C>
concept names_container = has_container_state<std::remove_cvref_t<C>> || has_own_range<std::remove_cvref_t<C>>;

}  // namespace armilla::detail
