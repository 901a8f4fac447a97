// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <utility>

#include "armilla/container/zip_view.hpp"

namespace armilla {
namespace detail {

template <class T>
struct counted {
  T first;
  T operator[](std::size_t k) const { return T(first + T(k)); }
};

/// first, first + 1, ...: made where it is looked at. Alone it is dealt in blocks to all ranks; beside others it lies where they
/// do.
template <class T>
class iota_view {
 public:
  using value_type = T;
  static constexpr bool writable = false, sized = true, by_place = false, anywhere = true;

  iota_view(T first, std::size_t n) : first_(first), where_(n, world().size(), blocks()) {}

  std::size_t size() const { return where_.size(); }
  std::size_t extent() const { return size(); }
  team members() const { return world(); }
  auto reading() const { return *this; }
  run run_at(std::size_t i) const { return where_.run_at(i); }
  std::size_t next_on(rank_t member, std::size_t i) const { return where_.next_on(member, i); }
  common_places common() const { return {nullptr, true}; }
  bool ordered() const { return true; }
  bool reaches(std::size_t) const { return true; }
  counted<T> window(std::size_t first, std::size_t&, scratch&) const { return {T(first_ + T(first))}; }

 private:
  T first_;
  armilla::placement where_;
};

}  // namespace detail

namespace views {

/// `n` numbers from `first` on.
template <class T>
auto iota(T first, std::size_t n) {
  return detail::iota_view<T>(first, n);
}

/// (index, element) for each element; an index is a std::size_t. A function gets the two as two arguments if it takes them.
template <distributed_range R>
auto enumerate(R&& r) {
  auto v = detail::require_sized(views::all(std::forward<R>(r)));
  const std::size_t n = v.extent();
  return views::zip(views::iota(std::size_t{0}, n), std::move(v));
}
inline auto enumerate() {
  return detail::closure{[](auto&& r) { return views::enumerate(std::forward<decltype(r)>(r)); }};
}

}  // namespace views
}  // namespace armilla
