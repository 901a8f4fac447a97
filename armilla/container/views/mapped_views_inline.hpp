// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <utility>

#include "armilla/container/place/closure.hpp"
#include "armilla/container/place/cursor.hpp"
#include "armilla/container/place/overlap.hpp"

/// The views of ranges whose elements are made by a function.
namespace armilla::detail {

/// A view whose elements are those of others' elements: each position stands for a row of any length. In the place of `window`
/// it has rows_at(first, n, scratch), the window of what has the rows, and in_row(rows, k, f), which calls f(cursor, n) for the
/// elements of row k and returns what f does. Its `window` says only of which type cursors are.
template <class V>
concept gives_rows = V::rows;

/// What most views have as their range has it.
template <class V>
class over {
 public:
  static constexpr bool rows = gives_rows<V>;

  explicit over(V base) : base_(std::move(base)) {}

  std::size_t extent() const { return base_.extent(); }
  decltype(auto) members() const { return base_.members(); }
  run run_at(std::size_t i) const { return base_.run_at(i); }
  std::size_t next_on(rank_t member, std::size_t i) const { return base_.next_on(member, i); }
  common_places common() const { return base_.common(); }
  bool ordered() const { return base_.ordered(); }
  bool reaches(std::size_t i) const { return base_.reaches(i); }
  template <class F>
  void each_container(const element_map& at, F f) const {
    detail::each_container(base_, at, f);
  }
  auto rows_at(std::size_t first, std::size_t& n, scratch& s) const
    requires gives_rows<V>
  {
    return base_.rows_at(first, n, s);
  }

 protected:
  V base_;
};

template <class C, class F>
struct transformed {
  C from;
  const F* f;

  decltype(auto) operator[](std::size_t k) const { return apply_at(*f, from, k); }
  bool passes(std::size_t k) const
    requires filters<C>
  {
    return from.passes(k);
  }
};

template <class V>
using cursor_of =
    decltype(std::declval<const V&>().window(std::size_t{}, std::declval<std::size_t&>(), std::declval<scratch&>()));

template <class V, class F>
class transform_view : public over<V>, public with_index<transform_view<V, F>> {
  using element = cursor_element<transformed<cursor_of<V>, F>>;

 public:
  using value_type = std::remove_cvref_t<element>;
  static constexpr bool writable =
      V::writable && std::is_lvalue_reference_v<element> && !std::is_const_v<std::remove_reference_t<element>>;
  static constexpr bool sized = V::sized, by_place = V::by_place;

  transform_view(V base, F f) : over<V>(std::move(base)), f_(std::move(f)) {}

  std::size_t size() const
    requires sized
  {
    return this->base_.size();
  }
  auto reading() const { return *this; }
  transformed<cursor_of<V>, F> window(std::size_t first, std::size_t& n, scratch& s) const {
    return {this->base_.window(first, n, s), &f_};
  }
  template <class Rows, class Each>
  bool in_row(const Rows& rows, std::size_t k, Each each) const {
    return this->base_.in_row(rows, k, [&](auto c, std::size_t n) { return each(transformed<decltype(c), F>{c, &f_}, n); });
  }
  auto places() const
    requires by_place
  {
    return transformed<decltype(this->base_.places()), F>{this->base_.places(), &f_};
  }

 private:
  F f_;
};

/// With constant elements, if f takes them: then the range is only read.
template <class V, class F>
auto make_transform(V v, F f) {
  using reads = decltype(v.reading());
  if constexpr (requires(const F& g, const cursor_of<reads>& c) { apply_at(g, c, std::size_t{}); })
    return transform_view<reads, F>(v.reading(), std::move(f));
  else
    return transform_view<V, F>(std::move(v), std::move(f));
}

template <class C, class P>
struct filtered {
  C from;
  const P* predicate;

  decltype(auto) operator[](std::size_t k) const { return from[k]; }
  bool passes(std::size_t k) const { return detail::passes(from, k) && bool(apply_at(*predicate, from, k)); }
  template <class F>
    requires applies_parts<C, F>
  decltype(auto) apply(F& f, std::size_t k) const {
    return from.apply(f, k);
  }
};

template <class V, class P>
class filter_view : public over<V> {
 public:
  using value_type = typename V::value_type;
  static constexpr bool writable = V::writable, sized = false, by_place = V::by_place;

  filter_view(V base, P predicate) : over<V>(std::move(base)), predicate_(std::move(predicate)) {}

  auto reading() const { return filter_view<decltype(this->base_.reading()), P>(this->base_.reading(), predicate_); }
  filtered<cursor_of<V>, P> window(std::size_t first, std::size_t& n, scratch& s) const {
    return {this->base_.window(first, n, s), &predicate_};
  }
  template <class Rows, class Each>
  bool in_row(const Rows& rows, std::size_t k, Each each) const {
    return this->base_.in_row(rows, k, [&](auto c, std::size_t n) { return each(filtered<decltype(c), P>{c, &predicate_}, n); });
  }
  auto places() const
    requires by_place
  {
    return filtered<decltype(this->base_.places()), P>{this->base_.places(), &predicate_};
  }

 private:
  P predicate_;
};

/// A part of a pair or tuple; a reference where the element is one that stays.
template <std::size_t Part>
struct part_of_element {
  template <class E>
  decltype(auto) operator()(E&& e) const {
    using std::get;
    if constexpr (std::is_lvalue_reference_v<E>)
      return (get<Part>(e));
    else
      return std::tuple_element_t<Part, std::remove_cvref_t<E>>(get<Part>(std::forward<E>(e)));
  }
};

template <class R>
constexpr void require_pairs() {
  static_assert(
      requires { typename std::tuple_element<1, typename views::all_t<R>::value_type>::type; },
      "armilla: keys and values are those of elements that are pairs");
}

}  // namespace armilla::detail
