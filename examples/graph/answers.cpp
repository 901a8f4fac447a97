// SPDX-License-Identifier: Apache-2.0
#include "examples/graph/answers.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <numeric>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>

namespace graphs {
namespace {

/// The whole graph, as lists of neighbours.
std::vector<std::vector<vertex>> neighbours_of(const source& s) {
  std::vector<std::vector<vertex>> of;
  for (const edge& e : edges_of(s, 0, 1)) {
    of.resize(std::max({of.size(), std::size_t(e.from) + 1, std::size_t(e.to) + 1}));
    of[e.from].push_back(e.to);
    of[e.to].push_back(e.from);
  }
  return of;
}

template <class T>
std::vector<answer<T>> read_answers(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error(fmt::format("{}: cannot be read", file));
  std::vector<answer<T>> all;
  std::string line;
  for (long number = 1; std::getline(in, line); ++number) {
    std::istringstream words(line);
    answer<T> a{};
    if (!(words >> a.of >> a.value))
      throw std::runtime_error(
          fmt::format("{}, line {}: '{}': expected a vertex and its value", file, number, line.substr(0, 60)));
    all.push_back(a);
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

std::vector<std::int64_t> sequential_depths(const source& s, vertex root) {
  const auto near = neighbours_of(s);
  std::vector<std::int64_t> depth(near.size(), unreached);
  std::vector<vertex> queue{root};
  depth[root] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i)
    for (const vertex w : near[queue[i]])
      if (depth[w] == unreached) depth[w] = depth[queue[i]] + 1, queue.push_back(w);
  return depth;
}

std::vector<double> sequential_page_ranks(const source& s, int rounds) {
  const auto near = neighbours_of(s);
  const auto n = double(std::count_if(near.begin(), near.end(), [](const auto& of) { return !of.empty(); }));
  std::vector<double> rank(near.size(), 1 / n), sum(near.size());
  for (int round = 0; round < rounds; ++round) {
    std::fill(sum.begin(), sum.end(), 0.0);
    for (vertex v = 0; v < near.size(); ++v)
      for (const vertex w : near[v]) sum[w] += rank[v] / double(near[v].size());
    for (vertex v = 0; v < near.size(); ++v) rank[v] = (1 - damping) / n + damping * sum[v];
  }
  for (vertex v = 0; v < near.size(); ++v)
    if (near[v].empty()) rank[v] = 0;
  return rank;
}

std::vector<std::int64_t> sequential_components(const source& s) {
  const auto near = neighbours_of(s);
  std::vector<std::int64_t> label(near.size(), unreached);
  for (vertex root = 0; root < near.size(); ++root) {
    if (label[root] != unreached) continue;
    label[root] = root;
    for (std::vector<vertex> todo{root}; !todo.empty();) {
      const vertex v = todo.back();
      todo.pop_back();
      for (const vertex w : near[v])
        if (label[w] == unreached) label[w] = root, todo.push_back(w);
    }
  }
  return label;
}

std::vector<answer<std::int64_t>> read_whole_answers(const std::string& file) { return read_answers<std::int64_t>(file); }
std::vector<answer<double>> read_real_answers(const std::string& file) { return read_answers<double>(file); }

void expect_equal(const char* what, const std::vector<std::int64_t>& got, const std::vector<answer<std::int64_t>>& expected) {
  expect_all(what, got, expected, std::equal_to<>{});
}

void expect_near(const char* what, const std::vector<double>& got, const std::vector<answer<double>>& expected) {
  expect_all(what, got, expected, [](double a, double b) { return std::abs(a - b) <= 1e-9 * std::abs(b); });
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
