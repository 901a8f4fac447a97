// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/algorithm/graph/vertex_forest.hpp"
#include "armilla/container/keyed/guarded_sort.hpp"
#include "armilla/container/place/algorithm_call.hpp"
#include "armilla/graph.hpp"

namespace armilla::detail {

[[noreturn, gnu::cold]] void throw_no_weight(std::size_t from, std::size_t to);

/// An edge; `from` is its smaller end.
template <class E>
struct light_edge {
  vertex_id from, to;
  E weight;
};

template <class E>
bool is_lighter(const light_edge<E>& a, const light_edge<E>& b) {
  return std::tie(a.weight, a.from, a.to) < std::tie(b.weight, b.from, b.to);
}

/// A number that is no smaller where the weight is no smaller.
template <class E>
std::uint64_t weight_key(E weight) noexcept {
  if constexpr (std::is_floating_point_v<E>) {
    const auto bits = std::bit_cast<std::uint64_t>(double(weight) + 0.0);  // the two zeros are one
    return bits >> 63 != 0 ? ~bits : bits | std::uint64_t{1} << 63;
  } else if constexpr (std::is_signed_v<E>) {
    return std::uint64_t(std::int64_t(weight)) ^ std::uint64_t{1} << 63;
  } else {
    return std::uint64_t(weight);
  }
}

/// Which piece an edge of some weight belongs to: those of a piece are no heavier than those of the next.
struct weight_pieces {
  static constexpr std::uint64_t most = 4096;
  std::uint64_t least = 0;
  unsigned shift = 0;
  std::size_t count = 1;

  weight_pieces(std::uint64_t low, std::uint64_t high) : least(low) {
    while ((high - low) >> shift >= most) ++shift;
    count = std::size_t((high - low) >> shift) + 1;
  }
  std::size_t operator()(std::uint64_t key) const noexcept { return std::size_t((key - least) >> shift); }
};

/// Edges dealt by weight: piece p is all[begin[p]] .. all[end[p]].
template <class E>
struct edges_in_pieces {
  std::unique_ptr<light_edge<E>[]> all;
  std::vector<std::size_t> begin, end;

  explicit edges_in_pieces(std::size_t pieces = 0) : begin(pieces, 0) {}
  /// They have been counted in `begin`.
  void make_room() {
    end.resize(begin.size());
    std::exclusive_scan(begin.begin(), begin.end(), end.begin(), std::size_t{0});
    all = std::make_unique_for_overwrite<light_edge<E>[]>(begin.empty() ? 0 : begin.back() + end.back());
    begin = end;
  }
  std::span<light_edge<E>> operator[](std::size_t p) const noexcept { return {all.get() + begin[p], end[p] - begin[p]}; }
};

/// One rank's part.
///
/// 1. `contract`: an edge inside this rank that is lighter than all that lead to other ranks from one of the two trees which it
///    joins is surely one of the forest. No other rank hears of it; so few are left where few edges lead to others.
/// 2. The root of each vertex's tree is copied to every rank. Each rank makes the forest of the edges that it has left, and of
/// its
///    part of those that lead to others, over these trees; the ranks join theirs in pairs.
///
/// Edges are dealt by weight into pieces; those of a piece are put in order once those that join nothing are left out.
template <class E>
class spanning_forest {
 public:
  using edge = light_edge<E>;

  explicit spanning_forest(const graph_shape& g)
      : g_(g), rows_(g.rows()), weight_(data_of_rows<E>(g, g.out, std::size_t(g.members.rank()))), roots_(g.count) {
    for (std::size_t m = 0; m + 1 < g.first_of.size(); ++m) middle_.push_back((g.first_of[m] + g.first_of[m + 1]) / 2);
  }

  /// usage_error for a weight that has no place in an order.
  void contract() {
    deal_edges();
    std::vector<vertex_id> above(g_.first + g_.count);
    std::iota(above.begin() + std::ptrdiff_t(g_.first), above.end(), vertex_id(g_.first));
    vertex_forest trees(above, trees_that_are_there{});
    sure_.reserve(g_.count);
    for (std::size_t p = 0; p < inside_.begin.size(); ++p) {
      edge* kept = inside_[p].data();
      const auto join = [&](const edge e) {
        const vertex_id a = trees.root_of(e.from), b = trees.root_of(e.to);
        if (a == b) return;
        auto &out_a = lightest_out_[a - g_.first], &out_b = lightest_out_[b - g_.first];
        // One that leads out may come before this one if it is as light.
        if (out_a <= e.weight && out_b <= e.weight && g_.members.size() > 1) {
          *kept++ = e;
          return;
        }
        out_a = out_b = std::min(out_a, out_b);
        trees.join_roots(a, b);
        sure_.push_back(e);
      };
      if (one_weight_a_piece_)
        std::ranges::for_each(inside_[p], join);
      else
        std::ranges::for_each(those_that_join(inside_[p], trees), join);
      inside_.end[p] = std::size_t(kept - inside_.all.get());
    }
    for (std::size_t k = 0; k < g_.count; ++k) roots_[k] = trees.root_of(vertex_id(g_.first + k));
  }

  std::vector<weighted_edge<E>> join() {
    const team& t = g_.members;
    if (t.size() == 1) return in_rows({});
    roots_ = t.all_gather_v(roots_);
    std::vector<edge> mine = forest_of_pieces();
    for (rank_t step = 1; step < t.size(); step *= 2) {
      std::vector<std::size_t> to(std::size_t(t.size()), 0), from(to.size());
      const bool gives = t.rank() % (2 * step) == step;
      if (gives) to[std::size_t(t.rank() - step)] = mine.size(), count_moved(mine.size());
      const std::span<const edge> given(mine.data(), gives ? mine.size() : 0);
      const std::vector<edge> come = t.all_to_all_v(given, std::span<const std::size_t>(to), std::span(from));
      if (gives) mine.clear();
      if (!come.empty()) mine = forest_of_both(mine, come);
    }
    return in_rows(
        entries_of_own_rows(t, std::span<const edge>(mine), g_.owner, [](const edge& e) { return std::size_t(e.from); }));
  }

 private:
  /// Each edge once: inside(e) by their ends, across(e) on one of the two ranks that know it. out(k, weight): an edge leads from
  /// this rank's vertex k to another rank.
  // Of those between two ranks the lower one has those that lead to the upper half of the other one's vertices: parts of
  // rows, so that the processor guesses right.
  template <class Inside, class Across, class Out>
  void each_edge(Inside inside, Across across, Out out) const {
    const auto first = vertex_id(g_.first), end = vertex_id(g_.first + g_.count);
    for (vertex_id v = first; v < end; ++v) {
      std::size_t j = rows_.begin[v - first];
      const std::size_t last = rows_.begin[v - first + 1];
      const bool has_lower = v < middle_[std::size_t(g_.members.rank())];
      for (; j < last && rows_.to[j] < first; ++j) {
        out(v - first, weight_[j]);
        if (has_lower) across(edge{rows_.to[j], v, weight_[j]});
      }
      while (j < last && rows_.to[j] <= v) ++j;
      for (; j < last && rows_.to[j] < end; ++j) inside(edge{v, rows_.to[j], weight_[j]});
      for (; j < last; ++j) {
        out(v - first, weight_[j]);
        if (rows_.to[j] >= middle_[g_.owner(rows_.to[j])]) across(edge{v, rows_.to[j], weight_[j]});
      }
    }
  }

  void deal_edges() {
    using limits = std::numeric_limits<E>;
    lightest_out_.assign(g_.count, limits::has_infinity ? limits::infinity() : limits::max());
    const std::size_t ends = g_.count == 0 ? 0 : std::size_t(rows_.begin[g_.count]);
    if (ends == 0) return;
    count_elements(ends);
    E low = weight_[0], high = weight_[0];
    bool ordered = true;
    for (std::size_t j = 0; j < ends; ++j)
      low = std::min(low, weight_[j]), high = std::max(high, weight_[j]), ordered = ordered && weight_[j] == weight_[j];
    if (!ordered) refuse_weights();
    const weight_pieces pieces(weight_key(low), weight_key(high));
    one_weight_a_piece_ = std::is_integral_v<E> && pieces.shift == 0;
    const auto piece = [pieces](const edge& e) { return pieces(weight_key(e.weight)); };
    edges_in_pieces<E> in(pieces.count), between(pieces.count);
    each_edge([&](const edge& e) { ++in.begin[piece(e)]; }, [&](const edge& e) { ++between.begin[piece(e)]; },
              [&](std::size_t k, E weight) { lightest_out_[k] = std::min<E>(lightest_out_[k], weight); });
    in.make_room(), between.make_room();
    each_edge([&](const edge& e) { in.all[in.end[piece(e)]++] = e; },
              [&](const edge& e) { between.all[between.end[piece(e)]++] = e; }, [](std::size_t, E) {});
    inside_ = std::move(in), across_ = std::move(between);
  }
  void refuse_weights() const {
    for (std::size_t k = 0; k < g_.count; ++k)
      for (std::size_t j = rows_.begin[k]; j < rows_.begin[k + 1]; ++j)
        if (const std::size_t v = g_.first + k, w = rows_.to[j]; !(weight_[j] == weight_[j]))
          throw_no_weight(std::min(v, w), std::max(v, w));
  }

  const std::vector<edge>& in_order() {
    if (!std::ranges::is_sorted(some_, is_lighter<E>))  // weights that are NaNs have no order
      guarded_sort(some_.data(), some_.size(), [](const edge& a, const edge& b) { return is_lighter<E>(a, b); });
    return some_;
  }
  void add_those_that_join(std::span<const edge> edges, vertex_forest& trees) {
    for (const edge& e : edges)
      if (!trees.are_joined(e.from, e.to)) some_.push_back(e);
  }
  const std::vector<edge>& those_that_join(std::span<const edge> edges, vertex_forest& trees) {
    some_.clear();
    add_those_that_join(edges, trees);
    return in_order();
  }

  std::vector<edge> forest_of_pieces() {
    std::vector<vertex_id> above = roots_;
    vertex_forest trees(above, trees_that_are_there{});
    std::vector<edge> forest;
    const std::size_t pieces = inside_.begin.size();
    expect_work(g_.count, "vertices");
    for (std::size_t p = 0; p < pieces; ++p) {
      some_.clear();
      add_those_that_join(across_[p], trees);
      add_those_that_join(inside_[p], trees);
      for (const edge& e : in_order())
        if (trees.join(e.from, e.to)) forest.push_back(e);
      count_work(g_.count * (p + 1) / pieces - g_.count * p / pieces);
    }
    inside_ = edges_in_pieces<E>(), across_ = edges_in_pieces<E>();
    return forest;
  }
  std::vector<edge> forest_of_both(const std::vector<edge>& a, const std::vector<edge>& b) const {
    std::vector<edge> both(a.size() + b.size());
    std::ranges::merge(a, b, both.begin(), is_lighter<E>);
    std::vector<vertex_id> above = roots_;
    vertex_forest trees(above, trees_that_are_there{});
    std::erase_if(both, [&](const edge& e) { return !trees.join(e.from, e.to); });
    return both;
  }

  /// The sure ones and others by `from` and `to`: a counting sort by row, which has few.
  std::vector<weighted_edge<E>> in_rows(const std::vector<edge>& others) const {
    std::vector<std::uint32_t> next(g_.count + 1, 0);
    const auto each = [&](auto f) {
      for (const edge& e : sure_) f(e);
      for (const edge& e : others) f(e);
    };
    each([&](const edge& e) { ++next[e.from - g_.first + 1]; });
    std::inclusive_scan(next.begin(), next.end(), next.begin());
    std::vector<weighted_edge<E>> all(sure_.size() + others.size());
    each([&](const edge& e) { all[next[e.from - g_.first]++] = {e.from, e.to, e.weight}; });
    for (auto at = all.begin(); at != all.end();) {
      const auto row = at;
      while (at != all.end() && at->from == row->from) ++at;
      if (at - row > 1) std::sort(row, at, [](const auto& a, const auto& b) { return a.to < b.to; });
    }
    return all;
  }

  const graph_shape& g_;
  const rows_view rows_;
  const E* const weight_;
  std::vector<std::size_t> middle_;                                                 ///< of each member's vertices
  std::vector<std::conditional_t<std::is_same_v<E, bool>, char, E>> lightest_out_;  ///< of a root: of its edges to other ranks
  std::vector<vertex_id> roots_;                                                    ///< of this rank's vertices, then of all
  edges_in_pieces<E> inside_, across_;
  bool one_weight_a_piece_ = false;
  std::vector<edge> sure_, some_;
};

template <class E>
std::vector<weighted_edge<E>> minimum_spanning_forest(const graph_shape& g) {
  require_undirected(g, "minimum_spanning_forest");
  algorithm_call why("minimum_spanning_forest");
  why.about(&g);
  spanning_forest<E> mine(g);
  try {
    mine.contract();
  } catch (const detail::passing&) { throw; } catch (...) {
    why.note();
  }
  std::vector<weighted_edge<E>> share = mine.join();
  agree(g.members, "minimum_spanning_forest", why);
  return share;
}

}  // namespace armilla::detail
