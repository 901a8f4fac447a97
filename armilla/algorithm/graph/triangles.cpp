// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <vector>

#include "armilla/algorithm/graph/vertex_values.hpp"
#include "armilla/graph_algorithms.hpp"

namespace armilla::detail {
namespace {

/// The rows of one member: where they lie, or a copy.
class rows_of_member {
 public:
  rows_of_member(const graph_shape& g, const edge_rows& all, std::size_t member) : rows(all.of[member]) {
    const std::size_t count = g.first_of[member + 1] - g.first_of[member];
    if (rows.begin != nullptr || count == 0) return;
    const global_address block = all.blocks.at(rank_t(member));
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

constexpr std::size_t at_once = 1 << 14;  // vertices between two reports of progress

/// Triangles whose greatest vertex is this rank's, and the middle one that of `member`.
std::uint64_t triangles_over(const graph_shape& g, std::size_t member) {
  const rows_view mine = g.rows();
  const std::size_t first = g.first_of[member], end = g.first_of[member + 1];
  if (g.count == 0 || first == end || first >= g.first + g.count) return 0;
  const rows_of_member theirs(g, g.out, member);
  std::uint64_t count = 0;
  for (std::size_t k = 0; k < g.count; ++k) {
    if (k % at_once == at_once - 1) count_work(at_once);
    const std::span<const vertex_id> row = mine[k];
    const std::size_t v = g.first + k;
    const vertex_id* u = std::lower_bound(row.data(), row.data() + row.size(), vertex_id(first));
    const vertex_id* const last = row.data() + row.size();
    for (; u != last && *u < end && *u < v; u = behind(u, last)) count += common_below(row, theirs.rows[*u - first], *u);
  }
  return count;
}

std::uint64_t triangles_in_rows(const graph_shape& g) {
  std::uint64_t count = 0;
  expect_work(std::uint64_t(g.members.size()) * g.count, "vertices");
  for (std::size_t m = 0; m < std::size_t(g.members.size()); ++m) count += triangles_over(g, m);
  return count;
}

using degrees = array<std::uint32_t>;

/// Rows of each vertex's neighbours with more edges, of several with as many those with a greater number; each neighbour once.
/// They are short, also those of vertices with many edges.
edge_rows rising_rows(const graph_shape& g, const vertex_values<std::uint32_t>& degree) {
  const rows_view rows = g.rows();
  std::vector<std::uint64_t> begin(g.count + 1, 0);
  const auto to = std::make_unique_for_overwrite<vertex_id[]>(std::size_t(rows.begin[g.count]));
  std::uint64_t at = 0;
  for (std::size_t k = 0; k < g.count; ++k) {
    const auto v = vertex_id(g.first + k);
    const std::uint32_t own = degree[v];
    vertex_id before = v;  // as a neighbour it counts for nothing
    for (const vertex_id w : rows[k]) {
      const std::uint32_t other = degree[w];
      to[at] = w;
      at += std::uint64_t(int(w != before) & (int(own < other) | (int(own == other) & int(v < w))));
      before = w;
    }
    begin[k + 1] = at;
  }
  edge_rows rising;
  rising.blocks = block_storage::make(
      g.members, data_offset(g.count, std::size_t(at), 1), alignof(std::uint64_t), {g.where.size()}, [&](std::byte* block) {
        std::ranges::copy(begin, reinterpret_cast<std::uint64_t*>(block));
        std::copy_n(to.get(), at, reinterpret_cast<vertex_id*>(block + data_offset(g.count, 0, 1)));
      });
  find_rows(g, rising);
  return rising;
}

/// Counts the triangles of which the vertex with the fewest edges is this rank's.
class rising_triangles {
 public:
  rising_triangles(const graph_shape& g, const edge_rows& rising)
      : g_(g), rising_(rising), marks_((g.where.size() + 63) / 64, 0) {}

  std::uint64_t count() {
    const auto unmapped = std::ranges::count(rising_.of, nullptr, &rows_view::begin);
    expect_work(std::uint64_t(1 + unmapped) * g_.count, "vertices");
    std::uint64_t all = over(rising_.of);
    for (std::size_t m = 0; m < rising_.of.size(); ++m) {
      if (rising_.of[m].begin != nullptr) continue;
      const rows_of_member theirs(g_, rising_, m);
      std::vector<rows_view> alone(rising_.of.size());
      alone[m] = theirs.rows;
      all += over(alone);
    }
    return all;
  }

 private:
  /// Those whose vertex in the middle has its row in `of`: marks a row, and looks which vertices of its neighbours' rows are
  /// marked.
  std::uint64_t over(const std::vector<rows_view>& of) {
    const rows_view mine = rising_.of[std::size_t(g_.members.rank())];
    std::uint64_t all = 0;
    for (std::size_t k = 0; k < g_.count; ++k) {
      if (k % at_once == at_once - 1) count_work(at_once);
      const std::span<const vertex_id> row = mine[k];
      if (row.size() < 2) continue;
      for (const vertex_id w : row) marks_[w / 64] |= std::uint64_t{1} << w % 64;
      for (const vertex_id u : row) {
        const std::size_t m = g_.owner(u);
        if (of[m].begin != nullptr) all += marked(of[m][u - g_.first_of[m]]);
      }
      for (const vertex_id w : row) marks_[w / 64] = 0;
    }
    return all;
  }
  // Budget: a load that a cache answers and four operations each, no branch.
  std::uint64_t marked(std::span<const vertex_id> row) const noexcept {
    std::uint64_t all = 0;
    for (const vertex_id x : row) all += marks_[x / 64] >> x % 64 & 1;
    return all;
  }

  const graph_shape& g_;
  const edge_rows& rising_;
  std::vector<std::uint64_t> marks_;  ///< a bit for each vertex of the graph
};

std::uint64_t triangles_by_degree(const graph_shape& g, const degrees& degree) {
  vertex_values<std::uint32_t> of_vertex(g, degree);
  of_vertex.refresh();
  const edge_rows rising = rising_rows(g, of_vertex);
  const std::uint64_t mine = rising_triangles(g, rising).count();
  meet(g.members);  // all have read
  return mine;
}

}  // namespace

std::uint64_t triangles(const graph_shape& g) {
  constexpr std::uint32_t few = 32;  // neighbours: then rows are short as they are
  require_undirected(g, "triangles");
  algorithm_call why("triangles");
  why.about(&g);
  const rows_view rows = g.rows();
  degrees degree(g.where.size(), as_in(g.members, g.where));
  const std::span<std::uint32_t> own = degree.local();
  for (std::size_t k = 0; k < g.count; ++k) own[k] = std::uint32_t(std::min<std::size_t>(rows[k].size(), UINT32_MAX));
  const std::uint32_t most = own.empty() ? 0 : *std::ranges::max_element(own);
  const bool even = g.members.all_reduce(most, [](std::uint32_t a, std::uint32_t b) { return std::max(a, b); }) <= few;
  const std::uint64_t mine = even ? triangles_in_rows(g) : triangles_by_degree(g, degree);
  count_elements(g.count == 0 ? 0 : rows.begin[g.count]);
  return agree(g.members, "triangles", why, mine, std::plus<>{});
}

}  // namespace armilla::detail
