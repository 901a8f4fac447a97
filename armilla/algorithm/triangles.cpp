// SPDX-License-Identifier: Apache-2.0
#include "armilla/algorithm/triangles.hpp"

#include <algorithm>
#include <vector>

#include "armilla/container/algorithm_call.hpp"
#include "armilla/global/transfer.hpp"

namespace armilla::detail {
namespace {

/// The rows of one member: where they lie, or a copy.
class rows_of_member {
 public:
  rows_of_member(const graph_shape& g, std::size_t member) : rows(g.out.of[member]) {
    const std::size_t count = g.first_of[member + 1] - g.first_of[member];
    if (rows.begin != nullptr || count == 0) return;
    const global_address block = g.out.blocks.at(rank_t(member));
    begin_.resize(count + 1);
    get(begin_, global_ptr<const std::uint64_t>(block));
    sync_memory();
    to_.resize(begin_[count]);
    get(to_, global_ptr<const vertex_id>(block.plus(std::int64_t((count + 1) * sizeof(std::uint64_t)))));
    sync_memory();
    count_moved(to_.size());
    rows = {begin_.data(), to_.data()};
  }
  rows_of_member(const rows_of_member&) = delete;

  rows_view rows;

 private:
  std::vector<std::uint64_t> begin_;
  std::vector<vertex_id> to_;
};

/// The first place behind `at` with another vertex.
const vertex_id* behind(const vertex_id* at, const vertex_id* end) noexcept {
  const vertex_id v = *at;
  while (at != end && *at == v) ++at;
  return at;
}

/// Vertices below `limit` that stand in both rows.
std::uint64_t common_below(std::span<const vertex_id> a, std::span<const vertex_id> b, vertex_id limit) noexcept {
  std::uint64_t count = 0;
  const vertex_id *x = a.data(), *y = b.data();
  const vertex_id *const x_end = x + a.size(), *const y_end = y + b.size();
  while (x != x_end && y != y_end && *x < limit && *y < limit) {
    if (*x < *y) {
      ++x;
    } else if (*y < *x) {
      ++y;
    } else {
      ++count;
      x = behind(x, x_end), y = behind(y, y_end);
    }
  }
  return count;
}

/// Triangles whose greatest vertex is this rank's, and the middle one that of `member`.
std::uint64_t triangles_over(const graph_shape& g, std::size_t member) {
  const rows_view mine = g.rows();
  const std::size_t first = g.first_of[member], end = g.first_of[member + 1];
  if (g.count == 0 || first == end || first >= g.first + g.count) return 0;
  const rows_of_member theirs(g, member);
  std::uint64_t count = 0;
  for (std::size_t k = 0; k < g.count; ++k) {
    const std::span<const vertex_id> row = mine[k];
    const std::size_t v = g.first + k;
    const vertex_id* u = std::lower_bound(row.data(), row.data() + row.size(), vertex_id(first));
    const vertex_id* const last = row.data() + row.size();
    for (; u != last && *u < end && *u < v; u = behind(u, last)) count += common_below(row, theirs.rows[*u - first], *u);
  }
  return count;
}

}  // namespace

std::uint64_t triangles(const graph_shape& g) {
  require_undirected(g, "triangles");
  algorithm_call why("triangles");
  std::uint64_t mine = 0;
  for (std::size_t m = 0; m < std::size_t(g.members.size()); ++m) mine += triangles_over(g, m);
  count_elements(g.count == 0 ? 0 : g.rows().begin[g.count]);
  return agree(g.members, "triangles", why, mine, std::plus<>{});
}

}  // namespace armilla::detail
