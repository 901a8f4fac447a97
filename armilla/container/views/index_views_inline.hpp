// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

#include "armilla/container/views/zip_view.hpp"

/// The view of numbers that follow each other.
namespace armilla::detail {

template <class T>
struct counted {
  T first;
  T operator[](std::size_t k) const { return T(first + T(k)); }
};

/// first, first + 1, ...: made where it is looked at. Alone it is dealt in blocks to all ranks; beside others it lies where they
/// do.
template <class T>
class iota_view : public with_index<iota_view<T>> {
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

}  // namespace armilla::detail
