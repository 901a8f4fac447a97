// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "armilla/algorithm/graph/vertex_values.hpp"
#include "armilla/graph_algorithms.hpp"

namespace armilla::detail {
namespace {

/// Tells which label is the most frequent one of some, of several the smallest.
class label_counts {
 public:
  explicit label_counts(std::size_t labels) : labels_(labels) {}

  /// `guess`: one that may have the majority.
  vertex_id most_frequent(std::span<const vertex_id> some, vertex_id guess) {
    if (some.size() <= 4) return of_few<4>(some);
    if (some.size() <= 8) return of_few<8>(some);
    if (2 * std::size_t(std::ranges::count(some, guess)) > some.size()) return guess;
    if (times_.empty()) times_.resize(labels_, 0);
    std::uint64_t best = 0;
    for (const vertex_id l : some) best = std::max(best, rank_of(++times_[l], l));
    for (const vertex_id l : some) times_[l] = 0;
    return ~vertex_id(best);
  }

 private:
  /// Greater for what is found more often, then for the smaller label.
  static std::uint64_t rank_of(std::uint32_t times, vertex_id label) noexcept {
    return std::uint64_t(times) << 32 | vertex_id(~label);
  }
  /// Compares each of at most `Most` with each, without a branch.
  template <std::size_t Most>
  static vertex_id of_few(std::span<const vertex_id> some) noexcept {
    std::array<std::uint64_t, Most> label;
    for (std::size_t k = 0; k < Most; ++k) label[k] = k < some.size() ? some[k] : std::uint64_t{1} << 32;  // no label
    std::uint64_t best = 0;
    for (std::size_t k = 0; k < Most; ++k) {
      std::uint32_t times = 0;
      for (std::size_t j = 0; j < Most; ++j) times += std::uint32_t(label[k] == label[j]);
      best = std::max(best, label[k] >> 32 != 0 ? 0 : rank_of(times, vertex_id(label[k])));
    }
    return ~vertex_id(best);
  }

  std::size_t labels_;
  std::vector<std::uint32_t> times_;  ///< of each label, made once it is needed; all 0 between two uses
};

/// One rank's part. Labels of a round lie in one array, those of the next go into the other.
class propagation {
 public:
  explicit propagation(const graph_shape& g)
      : g_(g),
        out_(g.rows()),
        in_(in_rows(g, "label_propagation").of[std::size_t(g.members.rank())]),
        label_{array<vertex_id>(g.where.size(), as_in(g.members, g.where)),
               array<vertex_id>(g.where.size(), as_in(g.members, g.where))},
        reach_{vertex_values<vertex_id>(g, label_[0]), vertex_values<vertex_id>(g, label_[1])},
        counts_(g.where.size()) {
    std::size_t most = 0;
    for (std::size_t k = 0; k < g.count; ++k) most = std::max(most, out_[k].size() + (g.undirected ? 0 : in_[k].size()));
    around_.resize(most);
  }

  array<vertex_id> run(int rounds) {
    const std::span<vertex_id> first = label_[0].local();
    std::iota(first.begin(), first.end(), vertex_id(g_.first));
    meet(g_.members);
    int now = 0;
    expect_work(std::uint64_t(rounds) * g_.count, "vertices");
    for (int round = 0; round < rounds; ++round, now = 1 - now)
      if (!g_.members.all_reduce(step(now), [](bool a, bool b) { return a || b; })) break;
    return std::move(label_[now]);
  }

 private:
  /// Whether a label has changed.
  bool step(int now) {
    reach_[now].refresh();
    const std::span<const vertex_id> old = label_[now].local();
    const std::span<vertex_id> fresh = label_[1 - now].local();
    bool changed = false;
    std::size_t looked = 0;
    for (std::size_t k = 0; k < g_.count; ++k) {
      vertex_id* end = copy_labels(out_[k], now, around_.data());
      if (!g_.undirected) end = copy_labels(in_[k], now, end);
      const std::span<const vertex_id> labels(around_.data(), end);
      looked += labels.size();
      fresh[k] = labels.empty() ? old[k] : counts_.most_frequent(labels, old[k]);
      changed = changed || fresh[k] != old[k];
    }
    count_elements(looked);
    count_work(g_.count);
    return changed;
  }
  vertex_id* copy_labels(std::span<const vertex_id> row, int now, vertex_id* to) const noexcept {
    reach_[now].each_of_row(row, [&to](vertex_id label) { *to++ = label; });
    return to;
  }

  const graph_shape& g_;
  const rows_view out_, in_;
  array<vertex_id> label_[2];
  vertex_values<vertex_id> reach_[2];
  label_counts counts_;
  std::vector<vertex_id> around_;  ///< labels of one vertex's neighbours
};

}  // namespace

array<vertex_id> label_propagation(const graph_shape& g, int rounds) {
  static_cast<void>(in_rows(g, "label_propagation"));
  algorithm_call why("label_propagation");
  why.about(&g);
  require_same_argument(g.members, "label_propagation", "rounds", std::uint64_t(rounds));
  propagation all(g);
  array<vertex_id> label = all.run(rounds);
  agree(g.members, "label_propagation", why);
  return label;
}

}  // namespace armilla::detail
