// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "armilla/algorithm/graph/vertex_news.hpp"

namespace armilla::detail {

template <class E>
using path_length = std::conditional_t<std::is_floating_point_v<E>, E, std::int64_t>;

template <class E>
inline constexpr path_length<E> no_path =
    std::is_floating_point_v<E> ? std::numeric_limits<path_length<E>>::infinity() : std::numeric_limits<path_length<E>>::max();

/// Of all edges.
struct weight_range {
  double greatest;
  bool good;
};
/// How wide a bucket is. usage_error on all members for weights or a wish that are of no use.
double width_of_buckets(const graph_shape& g, const weight_range& mine, double wish);

/// One rank's part of a search.
template <class E>
class shortest_paths {
 public:
  using length = path_length<E>;

  shortest_paths(const graph_shape& g, std::span<length> distance)
      : g_(g),
        rows_(g.rows()),
        weight_(data_of_rows<E>(g, g.out, std::size_t(g.members.rank()))),
        distance_(distance),
        best_told_(g.members.size() > 1 ? g.where.size() : 0, no_path<E>),
        told_(g) {}

  void run(std::size_t root, double wish) {
    const weight_range weights = range();
    width_ = width_of_buckets(g_, weights, wish);
    const double greatest = g_.members.all_reduce(weights.greatest, [](double a, double b) { return a < b ? b : a; });
    buckets_.resize(std::size_t(greatest / width_) + 3);  // what a bucket's vertices reach lies no further
    if (root - g_.first < g_.count) lower(root - g_.first, 0);
    expect_work(rows_.begin[g_.count], "edges");  // at least: a path that becomes shorter goes through them again
    while (find_next()) {
      empty_bucket();
      told_.exchange([this](const news& n) { lower(std::size_t(n.vertex) - g_.first, n.distance); });
    }
  }

 private:
  struct news {
    length distance;
    std::uint64_t vertex;
  };
  static constexpr std::uint64_t none = ~std::uint64_t{0};

  static bool is_length(E weight) {
    if constexpr (std::is_floating_point_v<E>)
      return weight >= 0 && std::isfinite(double(weight));
    else
      return weight >= E{} && std::uint64_t(weight) <= std::uint64_t(no_path<E>);
  }
  weight_range range() const {
    weight_range all{0, true};
    const std::size_t n = rows_.begin[g_.count];
    for (std::size_t k = 0; k < n; ++k) {
      all.good = all.good && is_length(weight_[k]);
      all.greatest = std::max(all.greatest, double(weight_[k]));
    }
    return all;
  }

  std::uint64_t bucket_of(length d) const noexcept { return std::uint64_t(double(d) / width_); }
  std::vector<vertex_id>& bucket(std::uint64_t b) noexcept { return buckets_[b % buckets_.size()]; }

  void lower(std::size_t place, length d) {
    if (d >= distance_[place]) return;
    distance_[place] = d;
    put(place, bucket_of(d));
  }
  /// Where a sum is rounded up its bucket may be further than the ring has any: it is put on from the last one.
  void put(std::size_t place, std::uint64_t b) { bucket(std::min(b, now_ + buckets_.size() - 1)).push_back(vertex_id(place)); }

  /// The lowest bucket in which some member has vertices. All members come here after each exchange.
  bool find_next() {
    std::uint64_t mine = none;
    for (std::size_t k = 0; k < buckets_.size() && mine == none; ++k)
      if (!bucket(now_ + k).empty()) mine = now_ + k;
    now_ = g_.members.all_reduce(mine, [](std::uint64_t a, std::uint64_t b) { return a < b ? a : b; });
    return now_ != none;
  }

  /// Until this rank has none left in it.
  void empty_bucket() {
    std::size_t edges = 0;
    while (!bucket(now_).empty()) {
      todo_.swap(bucket(now_));
      for (const vertex_id place : todo_)
        if (const std::uint64_t b = bucket_of(distance_[place]); b == now_)
          edges += extend(place);
        else if (b > now_)
          put(place, b);
      todo_.clear();
    }
    count_elements(edges);
    count_work(edges);
  }

  std::size_t extend(std::size_t place) {
    const length from = distance_[place];
    for (std::size_t k = rows_.begin[place]; k < rows_.begin[place + 1]; ++k) {
      const auto weight = length(weight_[k]);
      if constexpr (!std::is_floating_point_v<E>)
        if (weight > no_path<E> - from) continue;
      const length d = from + weight;
      const vertex_id w = rows_.to[k];
      if (const std::size_t there = std::size_t(w) - g_.first; there < g_.count) {
        lower(there, d);
      } else if (d < best_told_[w]) {
        best_told_[w] = d;
        told_.tell(w, {d, w});
      }
    }
    return rows_.begin[place + 1] - rows_.begin[place];
  }

  const graph_shape& g_;
  const rows_view rows_;
  const E* const weight_;
  const std::span<length> distance_;
  double width_ = 1;
  std::uint64_t now_ = 0;
  std::vector<std::vector<vertex_id>> buckets_;  ///< places, in a ring
  std::vector<vertex_id> todo_;
  std::vector<length> best_told_;  ///< of vertices of others
  vertex_news<news> told_;
};

template <class E>
array<path_length<E>> sssp(const graph_shape& g, std::size_t root, double wish) {
  algorithm_call why("sssp");
  why.about(&g);
  require_same_argument(g.members, "sssp", "root", root);
  checked_vertex(g, root, "sssp");
  array<path_length<E>> distance(g.where.size(), no_path<E>, as_in(g.members, g.where));
  shortest_paths<E>(g, distance.local()).run(root, wish);
  agree(g.members, "sssp", why);
  return distance;
}

}  // namespace armilla::detail
