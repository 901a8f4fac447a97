// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <tuple>
#include <utility>

#include "armilla/container/views/part_views.hpp"

/// The view of several ranges side by side.
namespace armilla::detail {

template <class... C>
struct zipped {
  std::tuple<C...> from;

  auto operator[](std::size_t k) const {
    return std::apply([k](const C&... c) { return std::tuple<cursor_element<C>...>(c[k]...); }, from);
  }
  template <class F>
    requires std::is_invocable_v<F&, cursor_element<C>...>
  decltype(auto) apply(F& f, std::size_t k) const {
    return std::apply([&f, k](const C&... c) -> decltype(auto) { return std::invoke(f, c[k]...); }, from);
  }
};
template <class... C>
zipped(std::tuple<C...>) -> zipped<C...>;

template <class V>
inline constexpr bool lies_anywhere = requires { V::anywhere; };

/// Which of several views' owners do the work: those of the first one that is written, else of the first one that lies somewhere.
template <class... V>
constexpr std::size_t leader_among() {
  constexpr bool writable[] = {V::writable...}, anywhere[] = {lies_anywhere<V>...};
  for (std::size_t i = 0; i < sizeof...(V); ++i)
    if (writable[i] && !anywhere[i]) return i;
  for (std::size_t i = 0; i < sizeof...(V); ++i)
    if (!anywhere[i]) return i;
  return 0;
}

/// Throws unless both teams have the same members in the same order.
void require_same_members(const team& a, const team& b);

/// Elements of several ranges side by side. Cut at the borders of all of them.
template <class... V>
class zip_view : public with_index<zip_view<V...>> {
  static_assert(
      (V::sized && ...),
      "armilla: a filtered or flattened range has no size and no positions; copy what is in it into a vector first (copy)");
  static constexpr std::size_t leader = leader_among<V...>();

 public:
  using value_type = std::tuple<typename V::value_type...>;
  static constexpr bool writable = (V::writable || ...), sized = true, by_place = (V::by_place && ...);

  explicit zip_view(V... views) : views_(std::move(views)...) {
    size_ = npos;
    each([this](const auto& v) { size_ = v.extent() < size_ ? v.extent() : size_; });
    each([this](const auto& v) {
      if constexpr (!lies_anywhere<std::remove_cvref_t<decltype(v)>>) require_same_members(members(), v.members());
    });
  }

  std::size_t size() const { return size_; }
  std::size_t extent() const { return size_; }
  decltype(auto) members() const { return first().members(); }
  auto reading() const {
    return std::apply([](const V&... v) { return zip_view<decltype(v.reading())...>(v.reading()...); }, views_);
  }
  run run_at(std::size_t i) const {
    require_there();
    run all = first().run_at(i);
    each([&](const auto& v) {
      if constexpr (lies_anywhere<std::remove_cvref_t<decltype(v)>>) return;
      const run r = v.run_at(i);
      all.begin = r.begin > all.begin ? r.begin : all.begin;
      all.end = r.end < all.end ? r.end : all.end;
    });
    all.end = all.end < size_ ? all.end : size_;
    return all;
  }
  std::size_t next_on(rank_t member, std::size_t i) const {
    require_there();
    const std::size_t next = first().next_on(member, i);
    return next < size_ ? next : size_;
  }
  common_places common() const {
    common_places all{nullptr, true};
    bool whole = true;
    each([&](const auto& v) {
      all = both(all, v.common());
      whole = whole && (v.extent() == size_ || lies_anywhere<std::remove_cvref_t<decltype(v)>>);
    });
    return whole ? all : common_places{};
  }
  bool ordered() const { return first().ordered(); }
  bool reaches(std::size_t i) const {
    bool all = true;
    each([&](const auto& v) { all = all && v.reaches(i); });
    return all;
  }
  auto window(std::size_t from, std::size_t& n, scratch& s) const {
    return std::apply(
        [&](const V&... v) { return zipped<cursor_of<V>...>{std::tuple<cursor_of<V>...>{v.window(from, n, s)...}}; }, views_);
  }
  template <class F>
  void each_container(const element_map& at, F f) const {
    each([&](const auto& v) { detail::each_container(v, at, f); });
  }
  auto places() const
    requires by_place
  {
    return std::apply([](const V&... v) { return zipped{std::make_tuple(v.places()...)}; }, views_);
  }

 private:
  // As that of a slice.
  void require_there() const {
    each([this](const auto& v) {
      if (const std::size_t left = v.extent(); size_ > left) [[unlikely]]
        throw_shorter(size_, left);
    });
  }
  const auto& first() const { return std::get<leader>(views_); }
  template <class F>
  void each(F f) const {
    std::apply([&f](const V&... v) { (f(v), ...); }, views_);
  }

  std::tuple<V...> views_;
  std::size_t size_ = 0;
};

}  // namespace armilla::detail
