// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/call.hpp"
#include "armilla/container/keyed/hash_core.hpp"
#include "armilla/container/place/range_inline.hpp"

/// What algorithms see of containers with keys: a row of elements for each member, in the order of its table.
namespace armilla::detail {

/// A loop over this rank's part: while it lives, one-way calls to the part wait.
template <class Part>
class hash_loop {
 public:
  using iterator = typename Part::table_type::iterator;

  explicit hash_loop(Part& part) : part_(&part) { part.guard.close(); }
  hash_loop(hash_loop&& other) noexcept : part_(std::exchange(other.part_, nullptr)) {}
  hash_loop& operator=(hash_loop&&) = delete;
  ~hash_loop() {
    if (part_ != nullptr) part_->guard.open();
  }

  iterator begin() const noexcept { return part_->table.begin(); }
  iterator end() const noexcept { return part_->table.end(); }
  std::size_t size() const noexcept { return part_->table.size(); }
  bool empty() const noexcept { return size() == 0; }

 private:
  Part* part_;
};

/// Elements that some iterators point to.
template <class Iterator, bool Const>
struct pointed_at {
  const Iterator* each;
  decltype(auto) operator[](std::size_t k) const {
    if constexpr (Const && std::is_lvalue_reference_v<decltype(*each[k])>)
      return std::as_const(*each[k]);
    else
      return *each[k];
  }
};

/// The elements of a container with keys. It has no size: that of a part is known where it lies.
template <class Core, bool Const>
class hash_range {
  using part = typename Core::part;
  using table = typename part::table_type;
  using iterator = typename table::iterator;
  using reference = decltype(*std::declval<const iterator&>());
  using shown =
      std::conditional_t<std::is_lvalue_reference_v<reference>, std::remove_reference_t<reference>, typename table::element>;

 public:
  using value_type = typename part::loose;
  static constexpr bool writable = !Const, sized = false, by_place = false, rows = true;

  explicit hash_range(Core& core) noexcept : core_(&core) {}

  std::size_t extent() const { return std::size_t(members().size()); }
  const team& members() const { return core_->members(); }
  auto reading() const noexcept { return hash_range<Core, true>(*core_); }
  run run_at(std::size_t i) const noexcept { return {rank_t(i), i, i + 1}; }
  std::size_t next_on(rank_t member, std::size_t i) const { return i <= std::size_t(member) ? std::size_t(member) : extent(); }
  common_places common() const noexcept {
    return {nullptr, false, core_, [](const void* a, const void* b) { return a == b; }};
  }
  bool ordered() const noexcept { return true; }
  template <class F>
  void each_container(const element_map&, F f) const {
    f(viewed_container{core_, &core_->order}, {0, 1, 0, false});  // its elements have no numbers
  }
  bool reaches(std::size_t i) const { return rank_t(i) == members().rank(); }

  std::size_t rows_at(std::size_t first, std::size_t& n, scratch&) const noexcept {
    n = 1;
    return first;
  }
  template <class F>
  bool in_row(std::size_t member, std::size_t, F f) const {
    if (reaches(member)) return in_own_part(f);
    const auto copies = armilla::call<&part::elements>(core_->target(member)).get();
    std::vector<std::remove_const_t<shown>> all(copies.begin(), copies.end());
    return f(static_cast<std::conditional_t<Const, const shown, shown>*>(all.data()), all.size());
  }
  pointed_at<iterator, Const> window(std::size_t, std::size_t&, scratch&) const {
    static_assert(sizeof(Core) == 0, "armilla: the elements of a container with keys have no positions; loop over its local()");
  }

 private:
  /// A table gives no element by its number: some are looked for at a time.
  template <class F>
  bool in_own_part(F f) const {
    const hash_loop<part> loop(core_->mine());
    std::array<iterator, 128> some;
    for (iterator at = loop.begin(), end = loop.end(); at != end;) {
      std::size_t n = 0;
      for (; n < some.size() && at != end; ++at) some[n++] = at;
      if (!f(pointed_at<iterator, Const>{some.data()}, n)) return false;
    }
    return true;
  }

  Core* core_;
};

}  // namespace armilla::detail
