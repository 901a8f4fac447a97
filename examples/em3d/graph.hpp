// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <span>
#include <vector>

/// EM3D: electromagnetic waves on an irregular grid. Half of the nodes hold values of the electric field, half of the
/// magnetic one; each node hangs on nodes of the other field. A step subtracts from every electric node the weighted values
/// of its neighbours, then from every magnetic node.
///
/// Paper: Split-C (EM3D); MRPC, section 5: "each of the processors has the same number of nodes, and each node has the same
/// number of neighbours".
namespace em3d {

enum field : int { electric = 0, magnetic = 1 };
constexpr field other(field f) noexcept { return field(1 - f); }

/// What determines a graph; the number of ranks does not. Nodes come in blocks, one for each rank of the job that the graph
/// is meant for, and an edge is remote when its ends lie in different blocks.
struct shape {
  int blocks = 1;
  int nodes = 200;  ///< in a block, both fields together
  int degree = 20;
  int remote = 10;  ///< per cent of the edges
  std::uint64_t seed = 1997;

  int nodes_of_field() const noexcept { return blocks * (nodes / 2); }
  int edges_of_field() const noexcept { return nodes_of_field() * degree; }
};

/// An edge of a node: from which node of the other field, and how much that one counts. Weights are small, so that values
/// stay finite for thousands of steps.
struct edge {
  int from;
  double weight;
};

/// The edges of the nodes first .. last-1 of a field, `degree` for each node, in the order in which they are summed up.
std::vector<edge> edges_of(const shape& s, field f, int first, int last);

/// The value with which a node starts.
double first_value(field f, int node);

/// own[n] -= term(n * degree) + term(n * degree + 1) + ..., one after the other: every version sums in this order, so all
/// get the same bits. Four nodes take turns, since each sum alone would wait for its last addition.
template <class Term>
void subtract_terms(std::span<double> own, int degree, Term&& term) {
  const std::size_t d = std::size_t(degree), whole = own.size() / 4 * 4;
  std::size_t n = 0;
  for (; n < whole; n += 4) {
    double a = own[n], b = own[n + 1], c = own[n + 2], e = own[n + 3];
    for (std::size_t i = n * d; i < (n + 1) * d; ++i) {
      a -= term(i);
      b -= term(i + d);
      c -= term(i + 2 * d);
      e -= term(i + 3 * d);
    }
    own[n] = a, own[n + 1] = b, own[n + 2] = c, own[n + 3] = e;
  }
  for (; n < own.size(); ++n)
    for (std::size_t i = n * d; i < (n + 1) * d; ++i) own[n] -= term(i);
}

/// All nodes' values.
struct values {
  std::vector<double> of[2];
};

/// The values after `steps`, by one thread: what the versions are compared with.
values evaluate(const shape& s, long steps);

/// A number that says whether two sets of values are equal to the last bit.
std::uint64_t fingerprint(const values& v);

}  // namespace em3d
