// SPDX-License-Identifier: Apache-2.0
#include "bench/grain/task_graph.hpp"

#include <algorithm>
#include <bit>
#include <set>
#include <stdexcept>
#include <string>

#include "bench/kernels/keys.hpp"

namespace bench::grain {
namespace {

constexpr int random_steps = 8;
constexpr int values_a_line = 4;

int levels(int width) { return std::max(1, int(std::bit_width(unsigned(width - 1)))); }

int period(pattern kind, int width) {
  switch (kind) {
    case pattern::spread: return width;
    case pattern::fft: return levels(width);
    case pattern::tree: return 2 * levels(width);
    case pattern::random: return random_steps;
    default: return 1;
  }
}

/// The partner of a column in a tree: values go from multiples of twice the stride to those that are not, then back.
int in_tree(int step, int column, int width) {
  const int all = levels(width);
  const bool to_all = step < all;
  const int stride = 1 << (to_all ? all - 1 - step : step - all);
  if (column % stride != 0) return column;
  const bool is_parent = column / stride % 2 == 0;
  return is_parent == to_all ? column : is_parent ? column + stride : column - stride;
}

std::set<int> inputs_of(pattern kind, int step, int column, int width) {
  std::set<int> from{column};
  const auto take = [&](int c) {
    if (c >= 0 && c < width) from.insert(c);
  };
  switch (kind) {
    case pattern::stencil:
      for (const int d : {-1, 1}) take(column + d);
      break;
    case pattern::nearest:
      for (const int d : {-2, -1, 1, 2}) take(column + d);
      break;
    case pattern::spread:
      for (const int third : {1, 2}) take((column + step + third * width / 3) % width);
      break;
    case pattern::fft: take(column ^ (1 << step)); break;
    case pattern::tree: take(in_tree(step, column, width)); break;
    case pattern::random:
      for (int c = 0; c < width; ++c)
        if (random_bits(std::uint64_t((step * width + column) * width + c)) % 2 == 0) take(c);
      break;
  }
  return from;
}

}  // namespace

task_graph::task_graph(pattern kind, int width, int ranks) : width_(width), ranks_(ranks), columns_(width / ranks) {
  if (width < 2 || width % ranks != 0)
    throw std::invalid_argument("a task graph of " + std::to_string(width) + " columns on " + std::to_string(ranks) +
                                " ranks: make the number of columns a multiple of the ranks, and at least 2");
  for (int k = 0; k < int(repetition); ++k) {
    const int p = k % period(kind, width);
    step_inputs& s = steps_.emplace_back();
    for (int column = 0; column < width; ++column) {
      const std::set<int> from = inputs_of(kind, p, column, width);
      s.inputs.emplace_back(from.begin(), from.end());
    }
    connect(s);
  }
  steps_stored_ = int(std::bit_ceil(unsigned(most_steps_apart() + 1)));
  const int room = (columns_ + values_a_line - 1) / values_a_line * values_a_line;
  row_ = std::size_t(room * ranks);
  for (int column = 0; column < width; ++column) place_in_row_.push_back(std::size_t(rank_of(column) * room + column % columns_));
}

void task_graph::connect(step_inputs& s) const {
  s.readers.resize(std::size_t(width_));
  for (int column = 0; column < width_; ++column)
    for (const int from : s.inputs[std::size_t(column)]) s.readers[std::size_t(from)].push_back(column);
  s.ranks.resize(std::size_t(width_));
  s.sent.resize(std::size_t(ranks_));
  s.received.resize(std::size_t(ranks_));
  for (int from = 0; from < ranks_; ++from)
    for (int to = 0; to < ranks_; ++to) {
      if (from == to) continue;
      message m{to, 0, 0, {}};
      for (int column = begin(from); column < end(from); ++column) {
        const std::vector<int>& readers = s.readers[std::size_t(column)];
        if (std::none_of(readers.begin(), readers.end(), [&](int r) { return rank_of(r) == to; })) continue;
        m.columns.push_back(column);
        s.ranks[std::size_t(column)].push_back(to);
      }
      if (m.columns.empty()) continue;
      m.first = m.columns.front();
      m.last = m.columns.back() + 1;
      s.sent[std::size_t(from)].push_back(m);
      m.rank = from;
      s.received[std::size_t(to)].push_back(std::move(m));
    }
  for (int rank = 0; rank < ranks_; ++rank) {
    std::vector<int>&first = s.first.emplace_back(), &later = s.later.emplace_back();
    for (int column = begin(rank); column < end(rank); ++column)
      (s.ranks[std::size_t(column)].empty() ? later : first).push_back(column);
  }
}

/// Follows the inputs of each task back until they are whole steps.
int task_graph::most_steps_apart() const {
  const int bound = int(steps_.size()) * (width_ + 1);
  int most = 0;
  for (int step = 0; step < int(steps_.size()); ++step)
    for (int column = 0; column < width_; ++column) {
      std::set<int> before{column};
      int back = 0;
      while (int(before.size()) < width_) {
        if (++back > bound) throw std::logic_error("a task graph whose columns do not depend on each other");
        std::set<int> all;
        for (const int c : before) {
          const std::vector<int>& from = inputs(step + bound * int(steps_.size()) - back + 1, c);
          all.insert(from.begin(), from.end());
        }
        before.swap(all);
      }
      most = std::max(most, back);
    }
  return most;
}

}  // namespace bench::grain
