// SPDX-License-Identifier: Apache-2.0
#include "examples/graph/answers.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <queue>
#include <sstream>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

namespace graphs {
namespace {

template <class T>
std::vector<answer<T>> read_answers(const std::string& file, std::uint64_t smallest) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error(fmt::format("{}: cannot be read", file));
  std::vector<answer<T>> all;
  std::string line;
  for (long number = 1; std::getline(in, line); ++number) {
    std::istringstream words(line);
    answer<T> a{};
    std::string value;
    const bool two = bool(words >> a.of >> value);
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), a.value);  // takes "infinity", too
    if (!two || error != std::errc() || end != value.data() + value.size() || a.of < smallest)
      throw std::runtime_error(
          fmt::format("{}, line {}: '{}': expected a vertex and its value", file, number, line.substr(0, 60)));
    all.push_back({a.of - smallest, a.value});
  }
  if (all.empty()) throw std::runtime_error(fmt::format("{}: holds no answers", file));
  return all;
}

template <class T, class Equal>
void expect_all(const char* what, const std::vector<T>& got, const std::vector<answer<T>>& expected, Equal equal) {
  for (const answer<T>& a : expected) {
    if (a.of >= got.size()) throw std::runtime_error(fmt::format("vertex {} has an answer but is not in the graph", a.of));
    if (!equal(got[a.of], a.value))
      throw std::runtime_error(fmt::format("vertex {}: {} is {}, should be {}", a.of, what, got[a.of], a.value));
  }
}

}  // namespace

neighbour_lists gather_neighbours(const input& in) {
  neighbour_lists near;
  for (const auto& edges : am::world().gather(in.mine, 0))
    for (const auto& e : edges) {
      if (near.size() <= std::max(e.from, e.to)) near.resize(std::max(e.from, e.to) + 1);
      if (e.from == e.to) continue;
      near[e.from].push_back({am::vertex_id(e.to), e.weight});
      near[e.to].push_back({am::vertex_id(e.from), e.weight});
    }
  return near;
}

std::vector<std::int64_t> sequential_depths(const neighbour_lists& near, std::size_t root) {
  std::vector<std::int64_t> depth(near.size(), unreached);
  std::vector<std::size_t> queue{root};
  depth[root] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i)
    for (const auto& [w, weight] : near[queue[i]])
      if (depth[w] == unreached) depth[w] = depth[queue[i]] + 1, queue.push_back(w);
  return depth;
}

std::vector<double> sequential_distances(const neighbour_lists& near, std::size_t root) {
  using entry = std::pair<double, std::size_t>;
  std::vector<double> distance(near.size(), std::numeric_limits<double>::infinity());
  std::priority_queue<entry, std::vector<entry>, std::greater<>> next;
  next.emplace(distance[root] = 0, root);
  while (!next.empty()) {
    const auto [so_far, v] = next.top();
    next.pop();
    if (so_far > distance[v]) continue;
    for (const auto& [w, weight] : near[v])
      if (so_far + weight < distance[w]) next.emplace(distance[w] = so_far + weight, w);
  }
  return distance;
}

std::vector<double> sequential_page_ranks(const neighbour_lists& near, int rounds) {
  const auto n = double(near.size());
  std::vector<double> rank(near.size(), 1 / n), sum(near.size());
  for (int round = 0; round < rounds; ++round) {
    double dangling = 0;
    std::fill(sum.begin(), sum.end(), 0.0);
    for (std::size_t v = 0; v < near.size(); ++v) {
      if (near[v].empty()) dangling += rank[v];
      for (const auto& [w, weight] : near[v]) sum[w] += rank[v] / double(near[v].size());
    }
    for (std::size_t v = 0; v < near.size(); ++v) rank[v] = (1 - damping) / n + damping * (sum[v] + dangling / n);
  }
  return rank;
}

std::vector<std::int64_t> sequential_components(const neighbour_lists& near) {
  std::vector<std::int64_t> label(near.size(), unreached);
  for (std::size_t root = 0; root < near.size(); ++root) {
    if (label[root] != unreached) continue;
    label[root] = std::int64_t(root);
    for (std::vector<std::size_t> todo{root}; !todo.empty();) {
      const std::size_t v = todo.back();
      todo.pop_back();
      for (const auto& [w, weight] : near[v])
        if (label[w] == unreached) label[w] = std::int64_t(root), todo.push_back(w);
    }
  }
  return label;
}

std::vector<answer<std::int64_t>> read_whole_answers(const std::string& file, std::uint64_t smallest) {
  return read_answers<std::int64_t>(file, smallest);
}
std::vector<answer<double>> read_real_answers(const std::string& file, std::uint64_t smallest) {
  return read_answers<double>(file, smallest);
}

void expect_equal(const char* what, const std::vector<std::int64_t>& got, const std::vector<answer<std::int64_t>>& expected) {
  expect_all(what, got, expected, std::equal_to<>{});
}

void expect_near(const char* what, const std::vector<double>& got, const std::vector<answer<double>>& expected) {
  expect_all(what, got, expected, [](double a, double b) { return a == b || std::abs(a - b) <= 1e-9 * std::abs(b); });
}

void expect_same_groups(const std::vector<std::int64_t>& got, const std::vector<answer<std::int64_t>>& expected) {
  std::map<std::int64_t, std::int64_t> theirs_of, ours_of;
  for (const answer<std::int64_t>& a : expected) {
    if (a.of >= got.size()) throw std::runtime_error(fmt::format("vertex {} has an answer but is not in the graph", a.of));
    const std::int64_t ours = got[a.of];
    if (theirs_of.try_emplace(ours, a.value).first->second != a.value || ours_of.try_emplace(a.value, ours).first->second != ours)
      throw std::runtime_error(fmt::format("vertex {}: its component {} is not that of the answer, {}", a.of, ours, a.value));
  }
}

}  // namespace graphs
