// SPDX-License-Identifier: Apache-2.0
#include "armilla/algorithm/label_propagation.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "armilla/algorithm/vertex_values.hpp"

namespace armilla::detail {
namespace {

/// The most frequent label, of several the smallest. They are sorted on the way.
vertex_id most_frequent_label(std::vector<vertex_id>& labels) {
  std::ranges::sort(labels);
  std::size_t most = 0;
  vertex_id best = 0;
  for (std::size_t k = 0, begin = 0; k < labels.size(); ++k) {
    if (labels[k] != labels[begin]) begin = k;
    if (k - begin + 1 > most) most = k - begin + 1, best = labels[k];
  }
  return best;
}

/// One rank's part. Labels of a round lie in one array, those of the next go into the other.
class propagation {
 public:
  explicit propagation(const graph_shape& g)
      : g_(g),
        out_(g.rows()),
        in_(in_rows(g, "label_propagation").of[std::size_t(g.members.rank())]),
        label_{array<vertex_id>(g.where.size(), as_in(g.members, g.where)),
               array<vertex_id>(g.where.size(), as_in(g.members, g.where))},
        reach_{vertex_values<vertex_id>(g, label_[0]), vertex_values<vertex_id>(g, label_[1])} {}

  array<vertex_id> run(int rounds) {
    const std::span<vertex_id> first = label_[0].local();
    std::iota(first.begin(), first.end(), vertex_id(g_.first));
    meet(g_.members);
    int now = 0;
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
    for (std::size_t k = 0; k < g_.count; ++k) {
      around_.clear();
      add(out_[k], now);
      if (!g_.undirected) add(in_[k], now);
      fresh[k] = around_.empty() ? old[k] : most_frequent_label(around_);
      changed = changed || fresh[k] != old[k];
    }
    return changed;
  }
  void add(std::span<const vertex_id> row, int now) {
    for (const vertex_id w : row) around_.push_back(reach_[now][w]);
    count_elements(row.size());
  }

  const graph_shape& g_;
  const rows_view out_, in_;
  array<vertex_id> label_[2];
  vertex_values<vertex_id> reach_[2];
  std::vector<vertex_id> around_;
};

}  // namespace

array<vertex_id> label_propagation(const graph_shape& g, int rounds) {
  static_cast<void>(in_rows(g, "label_propagation"));
  algorithm_call why("label_propagation");
  propagation all(g);
  array<vertex_id> label = all.run(rounds);
  agree(g.members, "label_propagation", why);
  return label;
}

}  // namespace armilla::detail
