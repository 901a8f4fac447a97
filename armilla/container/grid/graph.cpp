// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "armilla/base/values/limits.hpp"
#include "armilla/container/grid/graph_image.hpp"
#include "armilla/error.hpp"
#include "armilla/graph_views.hpp"
#include "armilla/object/made_object.hpp"
#include "armilla/team/collectives/named_algorithm.hpp"
#include "armilla/transfer.hpp"

namespace armilla::detail {

const edge_rows* in_rows_or_null(const graph_shape& g) noexcept {
  if (g.undirected) return &g.out;
  return g.in.of.empty() ? nullptr : &g.in;
}

const edge_rows& in_rows(const graph_shape& g, const char* operation) {
  const edge_rows* const rows = in_rows_or_null(g);
  if (rows == nullptr)
    throw_usage(operation,
                about(&g) +
                    "the graph has no rows of the edges that lead to a vertex; make it with {.in_edges = true}, or with "
                    "{.undirected = true}");
  return *rows;
}

void require_undirected(const graph_shape& g, const char* operation) {
  if (!g.undirected) throw_usage(operation, about(&g) + "the graph is directed; make it with {.undirected = true}");
}

std::size_t checked_vertex(const graph_shape& g, std::size_t v, const char* operation) {
  if (v >= g.where.size()) [[unlikely]]
    throw_usage(operation,
                about(&g) + fmt::format("vertex {} of a graph of {} vertices; they are numbered from 0", v, g.where.size()));
  return v;
}

std::span<const vertex_id> row_of(const graph_shape& g, const edge_rows& rows, std::size_t v) {
  const std::size_t m = g.owner(checked_vertex(g, v));
  const rows_view& of = rows.of[m];
  if (of.begin == nullptr) [[unlikely]]
    throw_usage_of(&g, "graph",
                   fmt::format("vertex {} lies on rank {}, whose memory is not mapped here; fetch_neighbours fetches its row", v,
                               g.members.world_rank(rank_t(m))));
  return of[v - g.first_of[m]];
}

std::vector<vertex_id> fetch_row(const graph_shape& g, const edge_rows& rows, std::size_t v) {
  const std::size_t m = g.owner(checked_vertex(g, v)), k = v - g.first_of[m], count = g.first_of[m + 1] - g.first_of[m];
  const global_address block = rows.blocks.at(rank_t(m));
  std::uint64_t ends[2];
  read_far(ends, block.plus(std::int64_t(k * sizeof ends[0])), {"graph", sizeof ends, alignof(std::uint64_t), may_read});
  std::vector<vertex_id> all(std::size_t(ends[1] - ends[0]));
  if (!all.empty())
    read_far(all.data(), block.plus(std::int64_t((count + 1) * sizeof ends[0] + ends[0] * sizeof(vertex_id))),
             {"graph", all.size() * sizeof(vertex_id), alignof(vertex_id), may_read});
  return all;
}

namespace {

/// Rows of vertices that follow each other, of another member.
class fetched_rows final : public fetched_run {
 public:
  std::vector<std::uint64_t> begin;
  std::vector<vertex_id> to;
};

}  // namespace

rows_from fetch_rows(const graph_shape& g, const edge_rows& rows, std::size_t first, std::size_t& n, scratch& s) {
  const std::size_t m = g.owner(first), k = first - g.first_of[m], count = g.first_of[m + 1] - g.first_of[m];
  const global_address block = rows.blocks.at(rank_t(m));
  auto fetched = std::make_unique<fetched_rows>();
  std::vector<std::uint64_t>& begin = fetched->begin;
  n = std::min(n, scratch::most<std::uint64_t>);
  begin.resize(n + 1);
  read_far(begin.data(), block.plus(std::int64_t(k * sizeof begin[0])),
           {"graph", begin.size() * sizeof begin[0], alignof(std::uint64_t), may_read});
  const std::uint64_t from = begin[0];
  for (std::uint64_t& b : begin) b -= from;
  while (n > 1 && begin[n] > scratch::most<vertex_id>) --n;
  fetched->to.resize(std::size_t(begin[n]));
  if (!fetched->to.empty())
    read_far(fetched->to.data(), block.plus(std::int64_t((count + 1) * sizeof begin[0] + from * sizeof(vertex_id))),
             {"graph", fetched->to.size() * sizeof(vertex_id), alignof(vertex_id), may_read});
  const fetched_rows& kept = s.keep(std::move(fetched), n, false);
  return {{kept.begin.data(), kept.to.data()}, 0};
}

void throw_edge_outside(std::uint64_t from, std::uint64_t to, std::size_t n) {
  throw_usage(algorithm_here("graph"),
              fmt::format("an edge from vertex {} to {} in a graph of {} vertices{}; they are numbered from 0", from, to, n,
                          looks_negative(from) || looks_negative(to) ? " (is a number negative?)" : ""));
}

void throw_wide_vertex(const void* inside, const char* operation, std::uint64_t v) {
  throw_usage(operation, about(inside) + fmt::format("vertex {}{}; the numbers of vertices have 32 bits, and are {} at most", v,
                                                     looks_negative(v) ? " (is the number negative?)" : "", UINT32_MAX));
}

void require_dense(std::size_t n, std::uint64_t edges) {
  if (n > 64 * edges + 1'000'000)
    throw_usage(algorithm_here("graph"),
                fmt::format("vertex {} in a graph of {} edges: the numbers of vertices must be dense; renumber them, or "
                            "say how many vertices there are",
                            n - 1, edges));
}

image_numbers numbers_of_graph(const graph_shape& g) noexcept {
  return {g.where.size(), std::uint64_t(g.undirected ? 1 : 0) | std::uint64_t(g.in.of.empty() ? 0 : 2)};
}

rows_wanted how_to_make(image_reader& from) {
  const auto [vertices, how, rest] = from.numbers();
  if (vertices >= UINT32_MAX || how > 3 || rest != 0)
    from.note("its numbers are those of no graph; it is damaged: load another one");
  return {(how & 1) != 0, (how & 2) != 0, true};
}

void note_vertex_outside(image_reader& from, std::uint64_t vertex) {
  from.note(
      fmt::format("it has {} vertices, and vertex {} in an edge; it is damaged: load another one", from.numbers()[0], vertex));
}

void require_few_vertices(std::size_t n) {
  if (n >= UINT32_MAX)
    throw_limit(algorithm_here("graph"),
                fmt::format("{} vertices; their numbers have 32 bits, and may be {} at most", n, UINT32_MAX - 1));
}

void find_rows(const graph_shape& g, edge_rows& rows) {
  rows.of.assign(std::size_t(g.members.size()), {});
  for (std::size_t m = 0; m < rows.of.size(); ++m) {
    const auto* const begin = global_ptr<const std::uint64_t>(rows.blocks.at(rank_t(m))).local();
    if (begin == nullptr) continue;
    const std::size_t count = g.first_of[m + 1] - g.first_of[m];
    rows.of[m] = {begin, reinterpret_cast<const vertex_id*>(begin + count + 1)};
  }
}

void count_edges(graph_shape& g) {
  struct counts {
    std::uint64_t ends, loops;
  };
  const rows_view rows = g.rows();
  counts mine{rows.begin[g.count], 0};
  for (std::size_t k = 0; k < g.count; ++k) mine.loops += std::ranges::equal_range(rows[k], vertex_id(g.first + k)).size();
  const counts all =
      g.members.all_reduce(mine, [](const counts& a, const counts& b) { return counts{a.ends + b.ends, a.loops + b.loops}; });
  g.ends = all.ends;
  g.edges = g.undirected ? (all.ends - all.loops) / 2 + all.loops : all.ends;
}

}  // namespace armilla::detail
