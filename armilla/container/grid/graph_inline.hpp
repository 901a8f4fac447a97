// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/array.hpp"
#include "armilla/container/grid/dealt_rows.hpp"
#include "armilla/container/keyed/guarded_sort.hpp"
#include "armilla/files.hpp"

/// How graphs are made, and what their algorithms see of them.
namespace armilla {

/// The number of a vertex.
using vertex_id = std::uint32_t;

namespace detail {

inline constexpr std::size_t count_vertices = npos;

/// The rows of one member, where they lie: those of vertex `first + k` are to[begin[k]] .. to[begin[k + 1]]. Null: not mapped.
struct rows_view {
  const std::uint64_t* begin = nullptr;
  const vertex_id* to = nullptr;
  std::span<const vertex_id> operator[](std::size_t k) const noexcept {
    return {to + begin[k], std::size_t(begin[k + 1] - begin[k])};
  }
};

/// Rows of all members: in the segment of each a block of where its rows begin, where edges lead, and what they have.
struct edge_rows {
  block_storage blocks;
  std::vector<rows_view> of;  ///< by member
};

/// A graph without what vertices and edges have.
struct graph_shape {
  team members;
  armilla::placement where;
  row_owners owner;
  std::vector<std::size_t> first_of;  ///< the first vertex of each member, and behind the last
  std::size_t first = 0, count = 0;   ///< this rank's vertices
  std::uint64_t edges = 0, ends = 0;  ///< `ends`: in rows
  bool undirected = false;
  edge_rows out, in;

  rows_view rows() const noexcept { return out.of[std::size_t(members.rank())]; }
};

/// The rows of edges that lead to vertices, or null.
const edge_rows* in_rows_or_null(const graph_shape& g) noexcept;
/// The same; usage_error that names `operation` if there are none.
const edge_rows& in_rows(const graph_shape& g, const char* operation = "graph");
/// usage_error that names `operation`, unless each edge leads both ways.
void require_undirected(const graph_shape& g, const char* operation);
std::size_t checked_vertex(const graph_shape& g, std::size_t v, const char* operation = "graph");
std::span<const vertex_id> row_of(const graph_shape& g, const edge_rows& rows, std::size_t v);
std::vector<vertex_id> fetch_row(const graph_shape& g, const edge_rows& rows, std::size_t v);
[[noreturn, gnu::cold]] void throw_edge_outside(std::uint64_t from, std::uint64_t to, std::size_t n);
/// usage_error of the growing graph that `inside` points into.
[[noreturn, gnu::cold]] void throw_wide_vertex(const void* inside, const char* operation, std::uint64_t v);
void require_dense(std::size_t n, std::uint64_t edges);
void require_few_vertices(std::size_t n);

/// Where what edges have begins in a block.
constexpr std::size_t data_offset(std::size_t rows, std::size_t ends, std::size_t alignment) noexcept {
  const std::size_t before = (rows + 1) * sizeof(std::uint64_t) + ends * sizeof(vertex_id);
  return (before + alignment - 1) / alignment * alignment;
}

/// What the edges of a member have, one behind the other as `rows_view::to`.
template <class E>
const E* data_of_rows(const graph_shape& g, const edge_rows& rows, std::size_t member) {
  const std::size_t count = g.first_of[member + 1] - g.first_of[member];
  const rows_view& of = rows.of[member];
  const auto* const block = reinterpret_cast<const std::byte*>(of.begin);
  return reinterpret_cast<const E*>(block + data_offset(count, of.begin[count], alignof(E)));
}

template <class E>
std::span<const E> data_of_row(const graph_shape& g, const edge_rows& rows, std::size_t v) {
  const std::span<const vertex_id> row = row_of(g, rows, v);
  const std::size_t m = g.owner(v);
  return {data_of_rows<E>(g, rows, m) + rows.of[m].begin[v - g.first_of[m]], row.size()};
}

/// An edge on its way to the member that has its row.
template <class E>
struct arc {
  vertex_id from, to;
  E data;
};
template <>
struct arc<void> {
  vertex_id from, to;
};
/// In its row.
template <class E>
struct arc_end {
  vertex_id to;
  E data;
  explicit arc_end(const arc<E>& a = {}) : to(a.to), data(a.data) {}
};
template <>
struct arc_end<void> {
  vertex_id to;
  explicit arc_end(const arc<void>& a = {}) : to(a.to) {}
};

/// Of a graph, whatever its edges are: so members with edges of different types come to the error that names both.
struct graph_size {
  std::uint64_t vertices, edges;
};

/// How many vertices there are, on all members. Each edge is one between them.
template <class Edge>
std::size_t agree_on_vertices(const team& t, std::span<const Edge> mine, std::size_t n) {
  graph_size here{0, mine.size()};
  for (const Edge& e : mine) {
    const auto greatest = std::max(std::uint64_t(e.from), std::uint64_t(e.to));    // a negative one is very great
    here.vertices = std::max(here.vertices, greatest + (greatest != UINT64_MAX));  // that one is refused, too
  }
  failure why;
  if (n != count_vertices && here.vertices > n) try {
      for (const Edge& e : mine)
        if (std::uint64_t(e.from) >= n || std::uint64_t(e.to) >= n) throw_edge_outside(e.from, e.to, n);
    } catch (const passing&) { throw; } catch (...) {
      why.note();
    }
  const graph_size all = agree(t, "graph", why, here, [](const graph_size& a, const graph_size& b) {
    return graph_size{std::max(a.vertices, b.vertices), a.edges + b.edges};
  });
  if (n == count_vertices) require_dense(n = std::size_t(all.vertices), all.edges);
  require_few_vertices(n);
  return n;
}

/// What rows are made of; of an undirected graph each edge from both its ends.
template <class E, class Edge>
std::vector<arc<E>> arcs_of(std::span<const Edge> mine, bool undirected, bool loops) {
  std::vector<arc<E>> all;
  all.reserve(mine.size() * (undirected ? 2 : 1));
  const auto add = [&](const Edge& e, auto from, auto to) {
    if constexpr (std::is_void_v<E>)
      all.push_back({vertex_id(from), vertex_id(to)});
    else
      all.push_back({vertex_id(from), vertex_id(to), E(e.weight)});
  };
  for (const Edge& e : mine) {
    if (e.from == e.to && !loops) continue;
    add(e, e.from, e.to);
    if (undirected && e.from != e.to) add(e, e.to, e.from);
  }
  return all;
}

/// This rank's rows before they lie where others read them.
template <class E>
struct sorted_rows {
  std::vector<std::uint64_t> begin;
  std::vector<arc_end<E>> ends;

  /// A counting sort by row, and each row by where its edges lead; equal ones stay in order.
  sorted_rows(const std::vector<arc<E>>& arcs, std::size_t first, std::size_t rows, bool duplicates)
      : begin(rows + 2, 0), ends(arcs.size()) {
    for (const auto& a : arcs) ++begin[a.from - first + 2];
    for (std::size_t k = 2; k < begin.size(); ++k) begin[k] += begin[k - 1];
    for (const auto& a : arcs) ends[begin[a.from - first + 1]++] = arc_end<E>(a);
    begin.pop_back();
    std::size_t kept = 0;
    for (std::size_t k = 0, at = 0; k < rows; ++k) {
      const std::size_t end = begin[k + 1];
      kept = close_row(at, end, kept, duplicates);
      at = end;
      begin[k + 1] = kept;
    }
    ends.resize(kept);
  }

 private:
  /// The row [at, end) moves to `kept`; returns where it ends there.
  std::size_t close_row(std::size_t at, std::size_t end, std::size_t kept, bool duplicates) {
    const auto row = std::ranges::subrange(ends.begin() + std::ptrdiff_t(at), ends.begin() + std::ptrdiff_t(end));
    if constexpr (std::is_void_v<E>)
      std::ranges::sort(row, {}, &arc_end<E>::to);
    else
      guarded_stable_sort(ends.data() + at, end - at, [](const auto& a, const auto& b) { return a.to < b.to; });
    const std::size_t from = kept;
    for (const arc_end<E>& e : row)
      if (duplicates || kept == from || ends[kept - 1].to != e.to) ends[kept++] = e;
    return kept;
  }
};

/// Where the rows of all members lie, behind the gathering that makes `blocks`.
void find_rows(const graph_shape& g, edge_rows& rows);
/// What all members have together.
void count_edges(graph_shape& g);

template <class E>
void show_rows(const graph_shape& g, edge_rows& rows, const sorted_rows<E>& made) {
  using value = std::conditional_t<std::is_void_v<E>, char, E>;
  constexpr std::size_t of_edge = std::is_void_v<E> ? 0 : sizeof(value);
  const std::size_t n = made.ends.size(), data = data_offset(g.count, n, alignof(value));
  rows.blocks = block_storage::make(
      g.members, data + n * of_edge, alignof(value),
      {mark_with_type(g.members, g.where.size() * 64 + of_edge, sign_of_type<E>), parts_of_container, &g.where},
      [&](std::byte* at) {
        std::ranges::copy(made.begin, reinterpret_cast<std::uint64_t*>(at));
        auto* const to = reinterpret_cast<vertex_id*>(at + (g.count + 1) * sizeof(std::uint64_t));
        for (std::size_t k = 0; k < n; ++k) to[k] = made.ends[k].to;
        if constexpr (!std::is_void_v<E>)
          for (std::size_t k = 0; k < n; ++k) reinterpret_cast<E*>(at + data)[k] = made.ends[k].data;
      });
  find_rows(g, rows);
}

struct rows_wanted {
  bool undirected, in_edges, duplicates;
};

/// Collective: all members give their arcs.
template <class E>
void make_graph(graph_shape& g, const team& t, std::vector<arc<E>> arcs, std::size_t n, const rows_wanted& want) {
  static_assert(std::is_void_v<E> || std::is_trivially_copyable_v<E>, "armilla: what edges have must be trivially copyable");
  const bool both = want.in_edges && !want.undirected;
  note_type(t, mark_of<E>());
  // Rows as they are made, and where others read them: so many on all members together, however they are dealt.
  const std::uint64_t of_rows = (n / std::size_t(t.size()) + 1) * 2 * sizeof(std::uint64_t);
  require_memory(t, "graph", of_rows, of_rows);
  const auto from_of = [](const arc<E>& a) { return std::size_t(a.from); };
  g.members = t;
  g.undirected = want.undirected;
  g.first_of = deal_rows(t, n, [&](auto weigh) {
    for (const arc<E>& a : arcs) {
      weigh(a.from);
      if (both) weigh(a.to);
    }
  });
  g.where = blocks_between(g.first_of);
  g.owner = row_owners(g.first_of, rows_a_weight(n));
  g.first = g.first_of[std::size_t(t.rank())];
  g.count = g.first_of[std::size_t(t.rank()) + 1] - g.first;
  const auto arrange = [&](edge_rows& rows) {
    const auto mine = entries_of_own_rows(t, std::span<const arc<E>>(arcs), g.owner, from_of);
    std::optional<sorted_rows<E>> made;
    failure why;
    try {
      made.emplace(mine, g.first, g.count, want.duplicates);
    } catch (const passing&) { throw; } catch (...) {
      why.note();
    }
    agree(t, "graph", why);
    show_rows<E>(g, rows, *made);
  };
  arrange(g.out);
  if (both) {
    for (arc<E>& a : arcs) std::swap(a.from, a.to);
    arrange(g.in);
  }
  count_edges(g);
}

}  // namespace detail
}  // namespace armilla
