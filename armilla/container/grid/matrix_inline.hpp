// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/base/values/made_text.hpp"
#include "armilla/container/grid/halo_plan.hpp"
#include "armilla/counter.hpp"
#include "armilla/range.hpp"

/// What a matrix is inside.
namespace armilla::detail {

/// What is the same from the making of a matrix to its end.
template <std::size_t N>
struct matrix_plan {
  team members;
  grid_shape<N> shape;
  halo around;
  rank_t me = 0;
  block_layout<N> mine;
  halo_plan<N> halos;
  std::vector<std::size_t> signal_at;  ///< for each neighbour: which of its counters is this rank's

  matrix_plan(const team& t, const grid_shape<N>& s, halo h)
      : members(t), shape(s), around(std::move(h)), me(t.rank()), mine(checked_layout(1)), halos(shape, around, me) {
    for (const rank_t m : halos.neighbours) {
      const std::vector<rank_t> theirs = halo_plan<N>(shape, around, m).neighbours;
      signal_at.push_back(std::size_t(std::ranges::find(theirs, me) - theirs.begin()));
    }
  }

  block_layout<N> layout_of(rank_t m) const { return {shape.box_of(m), around}; }
  /// This rank's. limit_error on all members if cells of `bytes` are too many on one of them, or a halo has too many pieces.
  block_layout<N> checked_layout(std::size_t bytes) const {
    const block_layout<N> largest = layout_of(0);
    require_block(shape, largest, bytes);
    if (largest.volume != 0 && halo_pieces(shape, around) > most_halo_pieces)
      throw_halo_in_pieces(N, shape.extents().data(), largest.before.data(), largest.behind.data());
    return layout_of(me);
  }
  std::uint64_t mark(std::size_t bytes) const {
    std::uint64_t hash = bytes;
    const auto mix = [&hash](std::uint64_t x) { hash = (hash ^ x) * 0x9e3779b97f4a7c15ULL; };
    for (std::size_t d = 0; d < N; ++d) mix(shape.extents()[d]), mix(std::uint64_t(shape.blocks(d))), mix(around.is_periodic(d));
    for (std::size_t d = 0; d < N; ++d) mix(around.before(d)), mix(around.behind(d));
    mix(around.has_corners());
    return hash;
  }
  /// The same for people, of the plan at `plan`.
  static std::vector<std::string> parts(const void* plan) {
    const auto& p = *static_cast<const matrix_plan*>(plan);
    std::string cells, blocks, halos;
    for (std::size_t d = 0; d < N; ++d) {
      const char* const by = d == 0 ? "" : " x ";
      cells += by + with_commas(p.shape.extents()[d]);
      blocks += by + std::to_string(p.shape.blocks(d));
      halos += (d == 0 ? "" : ", ") + std::to_string(p.around.before(d)) + " + " + std::to_string(p.around.behind(d));
    }
    return {cells + " cells", blocks + " blocks", "a halo of " + halos + " cells"};
  }
};

/// Counters of neighbours lie behind the elements of a block.
inline std::size_t counters_at(std::size_t elements, std::size_t bytes) { return (elements * bytes + 127) / 128 * 128; }

/// The first point of `b` that is not before `at` in the order of rows; false if there is none. `b` is not empty.
template <std::size_t N>
bool to_next(const box<N>& b, std::array<std::size_t, N>& at) noexcept {
  for (std::size_t d = 0; d < N; ++d) {
    if (at[d] >= b.end[d]) {
      do {
        if (d == 0) return false;
        --d;
      } while (++at[d] >= b.end[d]);
      std::copy(b.begin.begin() + std::ptrdiff_t(d) + 1, b.begin.end(), at.begin() + std::ptrdiff_t(d) + 1);
      return true;
    }
    if (at[d] < b.begin[d]) {
      std::copy(b.begin.begin() + std::ptrdiff_t(d), b.begin.end(), at.begin() + std::ptrdiff_t(d));
      return true;
    }
  }
  return true;
}

/// All cells of a matrix as algorithms see them, row by row. A run is the part of a row that one member has, or a whole block
/// where its cells follow each other in memory and in the order of rows.
template <class T, std::size_t N>
class matrix_range {
 public:
  using value_type = std::remove_const_t<T>;
  using element = T;
  static constexpr bool writable = !std::is_const_v<T>, sized = true, by_place = false;
  static constexpr std::size_t dimensions = N;

  matrix_range(const matrix_plan<N>& plan, const block_storage& blocks) noexcept : plan_(&plan), blocks_(&blocks) {}

  std::size_t size() const noexcept { return plan_->shape.size(); }
  std::size_t extent() const noexcept { return size(); }
  matrix_range<const T, N> reading() const noexcept { return {*plan_, *blocks_}; }
  const team& members() const noexcept { return plan_->members; }
  bool ordered() const noexcept {
    for (std::size_t d = 1; d < N; ++d)
      if (plan_->shape.blocks(d) > 1) return false;
    return true;
  }
  common_places common() const noexcept { return {nullptr, false, &plan_->shape, &same_grid}; }

  run run_at(std::size_t i) const noexcept {
    const auto cell = plan_->shape.cell_of(i);
    const rank_t m = plan_->shape.member_of(cell);
    const box<N> b = plan_->shape.box_of(m);
    if (ordered() && !has_halo<N>(plan_->around)) return {m, plan_->shape.index_of(b.begin), end_of(b)};
    const std::size_t before = cell[N - 1] - b.begin[N - 1];
    return {m, i - before, i + (b.end[N - 1] - cell[N - 1])};
  }
  std::size_t next_on(rank_t member, std::size_t i) const noexcept {
    const box<N> b = plan_->shape.box_of(member);
    if (i >= size() || b.volume() == 0) return size();
    auto cell = plan_->shape.cell_of(i);
    if (!to_next(b, cell)) return size();
    return plan_->shape.index_of(cell);
  }
  T* window(std::size_t first, std::size_t& n, scratch& s) const { return elements_at<T>(address(first), n, s); }
  bool reaches(std::size_t i) const { return global_ptr<std::byte>(address(i)).is_mapped(); }
  template <class F>
  void each_container(const element_map& at, F f) const {
    f(viewed_container{blocks_}, at);
  }
  const matrix_plan<N>& plan() const noexcept { return *plan_; }
  global_address address_of(const std::array<std::size_t, N>& cell) const noexcept {
    const rank_t m = plan_->shape.member_of(cell);
    return blocks_->at(m).plus(plan_->layout_of(m).offset_of_cell(cell) * std::ptrdiff_t(sizeof(T)));
  }

 private:
  static bool same_grid(const void* a, const void* b) {
    return *static_cast<const grid_shape<N>*>(a) == *static_cast<const grid_shape<N>*>(b);
  }
  std::size_t end_of(const box<N>& b) const noexcept { return plan_->shape.index_of(b.begin) + b.volume(); }
  global_address address(std::size_t i) const noexcept { return address_of(plan_->shape.cell_of(i)); }

  const matrix_plan<N>* plan_;
  const block_storage* blocks_;
};

}  // namespace armilla::detail
