// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "examples/graph/source.hpp"

/// What the right results are: computed by one thread from the same edges, or read from a file. Values stand by vertex.
namespace graphs {

/// The depth of a vertex that cannot be reached.
inline constexpr std::int64_t unreached = std::numeric_limits<std::int64_t>::max();

inline constexpr double damping = 0.85;

std::vector<std::int64_t> sequential_depths(const source& s, vertex root);
/// Undirected; a vertex without edges is none.
std::vector<double> sequential_page_ranks(const source& s, int rounds);
/// The smallest vertex of the component of each vertex.
std::vector<std::int64_t> sequential_components(const source& s);

/// Lines of a vertex and its value.
template <class T>
struct answer {
  vertex of;
  T value;
};
std::vector<answer<std::int64_t>> read_whole_answers(const std::string& file);
std::vector<answer<double>> read_real_answers(const std::string& file);

/// Throw std::runtime_error with the first vertex that differs. `what` names the value.
void expect_equal(const char* what, const std::vector<std::int64_t>& got, const std::vector<answer<std::int64_t>>& expected);
/// Up to a relative difference of 1e-9: the order of summation differs.
void expect_near(const char* what, const std::vector<double>& got, const std::vector<answer<double>>& expected);
/// Equal as partitions: the same vertices have the same label, whatever it is.
void expect_same_groups(const std::vector<std::int64_t>& got, const std::vector<answer<std::int64_t>>& expected);

template <class T>
std::vector<answer<T>> as_answers(const std::vector<T>& values) {
  std::vector<answer<T>> all;
  for (std::size_t v = 0; v < values.size(); ++v) all.push_back({vertex(v), values[v]});
  return all;
}

}  // namespace graphs
