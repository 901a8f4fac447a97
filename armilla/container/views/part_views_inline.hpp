// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <utility>

#include "armilla/container/views/mapped_views.hpp"

/// The views of parts of ranges.
namespace armilla::detail {

[[noreturn, gnu::cold]] void throw_bad_slice(std::size_t first, std::size_t last, std::size_t size);
[[noreturn, gnu::cold]] void throw_bad_stride();
[[noreturn, gnu::cold]] void throw_shorter(std::size_t n, std::size_t left);

/// Elements [first, first + n).
template <class V>
class slice_view : public over<V>, public with_index<slice_view<V>> {
 public:
  using value_type = typename V::value_type;
  static constexpr bool writable = V::writable, sized = true, by_place = false;

  slice_view(V base, std::size_t first, std::size_t n) : over<V>(std::move(base)), first_(first), n_(n) {}

  std::size_t size() const { return n_; }
  std::size_t extent() const { return n_; }
  auto reading() const { return slice_view<decltype(this->base_.reading())>(this->base_.reading(), first_, n_); }
  run run_at(std::size_t i) const {
    require_there();
    const run r = this->base_.run_at(first_ + i);
    return {r.member, r.begin > first_ ? r.begin - first_ : 0, r.end - first_ < n_ ? r.end - first_ : n_};
  }
  std::size_t next_on(rank_t member, std::size_t i) const {
    require_there();
    const std::size_t next = this->base_.next_on(member, first_ + i) - first_;
    return next < n_ ? next : n_;
  }
  common_places common() const { return first_ == 0 && n_ == this->base_.extent() ? this->base_.common() : common_places{}; }
  bool reaches(std::size_t i) const { return this->base_.reaches(first_ + i); }
  auto window(std::size_t first, std::size_t& n, scratch& s) const { return this->base_.window(first_ + first, n, s); }
  template <class F>
  void each_container(const element_map& at, F f) const {
    detail::each_container(this->base_, {at.first + std::ptrdiff_t(first_), at.step, at.n, at.exact}, f);
  }

 private:
  // A container may have become shorter behind the view's back; a walk would find no end.
  void require_there() const {
    if (const std::size_t left = this->base_.extent(); first_ + n_ > left) [[unlikely]]
      throw_shorter(first_ + n_, left);
  }
  std::size_t first_, n_;
};

template <class C>
struct strided_cursor {
  C from;
  std::size_t step;
  decltype(auto) operator[](std::size_t k) const { return from[k * step]; }
};

/// Every step-th element.
template <class V>
class stride_view : public over<V>, public with_index<stride_view<V>> {
 public:
  using value_type = typename V::value_type;
  static constexpr bool writable = V::writable, sized = true, by_place = false;

  stride_view(V base, std::size_t step) : over<V>(std::move(base)), step_(step) {}

  std::size_t size() const { return up(this->base_.extent()); }
  std::size_t extent() const { return size(); }
  auto reading() const { return stride_view<decltype(this->base_.reading())>(this->base_.reading(), step_); }
  run run_at(std::size_t i) const {
    const run r = this->base_.run_at(i * step_);
    return {r.member, up(r.begin), up(r.end)};
  }
  std::size_t next_on(rank_t member, std::size_t i) const {
    while (i < extent()) {
      const std::size_t next = up(this->base_.next_on(member, i * step_));
      if (next >= extent() || this->base_.run_at(next * step_).member == member) return next < extent() ? next : extent();
      i = next;
    }
    return extent();
  }
  common_places common() const { return step_ == 1 ? this->base_.common() : common_places{}; }
  bool reaches(std::size_t i) const { return this->base_.reaches(i * step_); }
  auto window(std::size_t first, std::size_t& n, scratch& s) const {
    std::size_t below = (n - 1) * step_ + 1;
    auto from = this->base_.window(first * step_, below, s);
    n = up(below);
    return strided_cursor<decltype(from)>{from, step_};
  }
  template <class F>
  void each_container(const element_map& at, F f) const {
    const auto step = std::ptrdiff_t(step_);
    detail::each_container(this->base_, {at.first * step, at.step * step, at.n, at.exact}, f);
  }

 private:
  std::size_t up(std::size_t i) const { return i / step_ + (i % step_ != 0 ? 1 : 0); }

 protected:
  std::size_t step_;
};

template <class C>
struct reversed_cursor {
  C from;
  std::size_t last;
  decltype(auto) operator[](std::size_t k) const { return from[last - k]; }
};

/// The elements from the last to the first.
template <class V>
class reverse_view : public over<V>, public with_index<reverse_view<V>> {
 public:
  using value_type = typename V::value_type;
  static constexpr bool writable = V::writable, sized = true, by_place = false;

  using over<V>::over;

  std::size_t size() const { return this->base_.extent(); }
  auto reading() const { return reverse_view<decltype(this->base_.reading())>(this->base_.reading()); }
  run run_at(std::size_t i) const {
    const std::size_t n = this->extent();
    const run r = this->base_.run_at(n - 1 - i);
    return {r.member, n - r.end, n - r.begin};
  }
  std::size_t next_on(rank_t member, std::size_t i) const { return next_by_looking(*this, member, i); }
  common_places common() const { return {}; }
  bool ordered() const { return this->members().size() == 1; }
  bool reaches(std::size_t i) const { return this->base_.reaches(this->extent() - 1 - i); }
  /// Where not as many can be fetched at a time, the last ones of the range below are wanted and not its first ones: once more.
  auto window(std::size_t first, std::size_t& n, scratch& s) const {
    const std::size_t end = this->extent() - first;
    std::size_t got = n;
    auto from = this->base_.window(end - n, got, s);
    while (got < n) {
      n = got;
      from = this->base_.window(end - n, got, s);
    }
    return reversed_cursor<decltype(from)>{from, n - 1};
  }
  template <class F>
  void each_container(const element_map& at, F f) const {
    detail::each_container(this->base_, {std::ptrdiff_t(this->extent()) - 1 - at.first, -at.step, at.n, at.exact}, f);
  }
};

template <class V>
concept sized_view = V::sized;

template <class V>
constexpr V&& require_sized(V&& v) {
  static_assert(
      std::remove_cvref_t<V>::sized,
      "armilla: a filtered or flattened range has no size and no positions; copy what is in it into a vector first (copy)");
  return std::forward<V>(v);
}

}  // namespace armilla::detail
