// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "examples/graph/input.hpp"

/// What the right results are: computed by one thread from the same edges, or read from a file. Values stand by vertex.
namespace graphs {

/// The depth of a vertex that cannot be reached.
inline constexpr std::int64_t unreached = std::numeric_limits<std::int64_t>::max();

inline constexpr double damping = 0.85;

/// A graph as one thread has it: the vertices around each, both ways, and what leads to them.
struct neighbour {
  am::vertex_id vertex;
  double weight;
};
using neighbour_lists = std::vector<std::vector<neighbour>>;
/// Of all ranks' edges, on rank 0; nothing on the others.
neighbour_lists gather_neighbours(const input& in);

std::vector<std::int64_t> sequential_depths(const neighbour_lists& near, std::size_t root);
/// Infinity for a vertex that cannot be reached.
std::vector<double> sequential_distances(const neighbour_lists& near, std::size_t root);
std::vector<double> sequential_page_ranks(const neighbour_lists& near, int rounds);
/// The smallest vertex of the component of each vertex.
std::vector<std::int64_t> sequential_components(const neighbour_lists& near);

/// Lines of a vertex and its value; vertices are numbered from `smallest`.
template <class T>
struct answer {
  std::uint64_t of;
  T value;
};
std::vector<answer<std::int64_t>> read_whole_answers(const std::string& file, std::uint64_t smallest);
std::vector<answer<double>> read_real_answers(const std::string& file, std::uint64_t smallest);

/// Throw std::runtime_error with the first vertex that differs. `what` names the value.
void expect_equal(const char* what, const std::vector<std::int64_t>& got, const std::vector<answer<std::int64_t>>& expected);
/// Up to a relative difference of 1e-9: the order of summation differs.
void expect_near(const char* what, const std::vector<double>& got, const std::vector<answer<double>>& expected);
/// Equal as partitions: the same vertices have the same label, whatever it is.
void expect_same_groups(const std::vector<std::int64_t>& got, const std::vector<answer<std::int64_t>>& expected);

template <class T>
std::vector<answer<T>> as_answers(const std::vector<T>& values) {
  std::vector<answer<T>> all;
  for (std::size_t v = 0; v < values.size(); ++v) all.push_back({v, values[v]});
  return all;
}

}  // namespace graphs
