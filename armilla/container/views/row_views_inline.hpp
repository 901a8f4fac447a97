// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <iterator>
#include <memory>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>

#include "armilla/container/views/part_views_inline.hpp"

/// Views of rows of elements, and of the elements of rows.
namespace armilla::detail {

[[noreturn, gnu::cold]] void throw_empty_rows(const char* view);

/// Elements of a view that refer to what a walk has at hand, and are of no use behind it.
template <class T>
inline constexpr bool refers_to_elements = false;
template <class T>
inline constexpr bool refers_to_elements<std::span<T>> = true;

/// Rows of elements that follow each other in memory.
template <class T>
struct spans {
  T* from;
  std::size_t step, width, n;
  std::span<T> operator[](std::size_t k) const {
    const std::size_t begin = k * step;
    return {from + begin, width < n - begin ? width : n - begin};
  }
};

/// Copies of elements [first, first + n) of a range, whichever ranks have them.
template <class V>
class copied_elements final : public fetched_run {
 public:
  using value = typename V::value_type;

  copied_elements(const V& from, std::size_t first, std::size_t n)
      : from_(from), first_(first), n_(n), copies_(std::make_unique<value[]>(n)) {
    each(from.reading(), [](const auto& c, std::size_t k, value& copy) { copy = c[k]; });
  }
  value* begin() const noexcept { return copies_.get(); }
  void put_back() override {
    if constexpr (std::is_same_v<cursor_of<V>, value*>)
      each(from_, [](const auto& c, std::size_t k, value& copy) { c[k] = std::move(copy); });
  }

 private:
  template <class Range, class F>
  void each(const Range& range, F f) {
    scratch fetched;
    for (std::size_t i = 0; i < n_;) {
      std::size_t n = std::min(range.run_at(first_ + i).end - (first_ + i), n_ - i);
      const auto cursor = range.window(first_ + i, n, fetched);
      for (std::size_t k = 0; k < n; ++k) f(cursor, k, copies_[i + k]);
      fetched.finish();
      i += n;
    }
  }

  const V& from_;
  std::size_t first_, n_;
  std::unique_ptr<value[]> copies_;
};

/// Rows of `width` elements, which begin `step` elements apart: either they follow each other, and the last is shorter, or they
/// are one apart, and all are whole. A row belongs to the member that has its first element.
template <class V>
class spans_view : public stride_view<V> {
  using stride_view<V>::step_;
  static constexpr bool in_memory = std::is_pointer_v<cursor_of<V>>;
  template <bool InMemory, class C>
  struct element {
    using type = std::remove_pointer_t<C>;
  };
  template <class C>
  struct element<false, C> {
    using type = const typename V::value_type;
  };
  using T = typename element<in_memory, cursor_of<V>>::type;

 public:
  using value_type = std::span<T>;
  static constexpr bool writable = false, sized = true, by_place = false;

  spans_view(V base, std::size_t step, std::size_t width) : stride_view<V>(std::move(base), step), width_(width) {}

  void operator[](std::size_t i) const = delete;  // a row is a span of elements that may lie on another rank

  std::size_t size() const {
    const std::size_t all = this->base_.extent();
    if (step_ == width_) return stride_view<V>::size();
    return all < width_ ? 0 : all - width_ + 1;
  }
  std::size_t extent() const { return size(); }
  auto reading() const { return spans_view<decltype(this->base_.reading())>(this->base_.reading(), step_, width_); }
  run run_at(std::size_t i) const {
    run r = stride_view<V>::run_at(i);
    r.end = std::min(r.end, size());
    return r;
  }
  std::size_t next_on(rank_t member, std::size_t i) const { return std::min(stride_view<V>::next_on(member, i), size()); }
  common_places common() const { return {}; }
  /// Those that follow in the run must be in place, too.
  bool reaches(std::size_t i) const { return rows_in_place(i) >= run_at(i).end - i; }

  spans<T> window(std::size_t first, std::size_t& n, scratch& s) const {
    const std::size_t begin = first * step_, in_place = rows_in_place(first);
    if constexpr (in_memory)
      if (in_place > 0) {
        n = std::min(n, in_place);
        std::size_t m = elements_of(n, begin);
        T* const from = this->base_.window(begin, m, s);
        return {from, step_, width_, m};
      }
    constexpr std::size_t most = scratch::most<typename V::value_type>;
    n = std::min(n, most > width_ ? (most - width_) / step_ + 1 : 1);
    const std::size_t m = elements_of(n, begin);
    auto copies = std::make_unique<copied_elements<V>>(this->base_, begin, m);
    return {s.keep(std::move(copies), 0, !std::is_const_v<T>).begin(), step_, width_, m};
  }
  template <class F>
  void each_container(const element_map& at, F f) const {
    const auto first = at.first * std::ptrdiff_t(step_), last = at.last() * std::ptrdiff_t(step_);
    const auto [least, most] = std::minmax({first, last});
    detail::each_container(this->base_, {least, 1, at.n == 0 ? 0 : std::size_t(most - least) + width_, false}, f);
  }

 private:
  std::size_t elements_of(std::size_t rows, std::size_t begin) const {
    return std::min((rows - 1) * step_ + width_, this->base_.extent() - begin);
  }
  /// How many rows from `first` on lie one behind the other in memory that this rank loads.
  std::size_t rows_in_place(std::size_t first) const {
    if (!in_memory || !this->base_.reaches(first * step_)) return 0;
    const std::size_t end = this->base_.run_at(first * step_).end, n = end - first * step_;
    if (end == this->base_.extent()) return size() - first;
    return n < width_ ? 0 : (n - width_) / step_ + 1;
  }

  std::size_t width_;
};

/// The elements of a range that is no row in memory.
template <class Iterator>
struct counted_from {
  Iterator begin;
  decltype(auto) operator[](std::size_t k) const { return begin[std::iter_difference_t<Iterator>(k)]; }
};

template <class Row>
auto elements_of_row(Row& row) {
  if constexpr (std::ranges::contiguous_range<Row>)
    return std::ranges::data(row);
  else
    return counted_from<std::ranges::iterator_t<Row>>{std::ranges::begin(row)};
}

/// The elements of the elements.
template <class V>
class flatten_view : public over<V> {
  using row = std::remove_reference_t<cursor_element<cursor_of<V>>>;
  static_assert(std::ranges::random_access_range<row> && std::ranges::sized_range<row>,
                "armilla: flatten takes a range whose elements are ranges with random access: vectors, texts, spans");
  using cursor = decltype(elements_of_row(std::declval<row&>()));

 public:
  using value_type = std::ranges::range_value_t<row>;
  static constexpr bool writable = std::is_lvalue_reference_v<cursor_element<cursor>> &&
                                   !std::is_const_v<std::remove_reference_t<cursor_element<cursor>>>,
                        sized = false, by_place = false, rows = true;

  using over<V>::over;

  auto reading() const { return flatten_view<decltype(this->base_.reading())>(this->base_.reading()); }
  auto rows_at(std::size_t first, std::size_t& n, scratch& s) const { return this->base_.window(first, n, s); }
  template <class Rows, class F>
  bool in_row(const Rows& all, std::size_t k, F f) const {
    auto&& one = all[k];
    return f(elements_of_row(one), std::size_t(std::ranges::size(one)));
  }
  cursor window(std::size_t, std::size_t&, scratch&) const {
    static_assert(sizeof(V) == 0, "armilla: a flattened range has no positions; copy it into a vector first (copy)");
  }
};

}  // namespace armilla::detail
