// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/container/grid/graph_file.hpp"
#include "armilla/graph.hpp"

/// Reads graphs from files of any common format, with vertices that have names.
///
///     const auto g = am::read_graph("friends.txt", {.undirected = true});      // alice bob
///     const auto level = am::bfs(g, g.vertex("alice"));
///     const auto names = g.names();
///     am::write_csv("levels.csv", am::views::zip(names, level));               // alice,0
///
/// **Formats** are recognized by the content: MatrixMarket files of coordinates, METIS graphs, DIMACS (`p sp` with lines
/// `a from to weight`; `p edge` or `p col` with lines `e from to`), and lists of edges: in each line two vertices and perhaps a
/// weight, separated by white space, commas or semicolons, with comments that begin with # or %. Binary files of pairs of
/// numbers cannot be recognized: select them by `read_graph_options::format`.
///
/// **Vertices** of a list are numbers or any strings. Dense numbers are used as they are. Strings, and numbers that are not
/// dense, are renumbered in the order in which they first occur in the file, on any number of ranks. For any file, `name(v)`
/// returns the name of a vertex, and `vertex(name)` the vertex of a name.
///
/// **Quotes.** A name that contains white space or separators is in quotes, with quotes inside it doubled: `"St. Gallen" Zurich`.
/// In files whose fields are separated by tabs, quotes are plain text.
///
/// **Direction.** If the edges of a file have no direction (symmetric MatrixMarket, METIS, DIMACS `e`), a directed graph gets
/// each edge in both directions.
///
/// **Errors.** Throws `usage_error` or `remote_error` on all members, with file, line and reason: for files that `read_lines`
/// refuses, for a line that is not an edge, for numbers or a count of edges or lines that contradict the header, and for a
/// weight that is missing or does not fit `E`. Throws `limit_error` on all members for 2^32 or more vertices.
///
/// **Cost.** That of constructing a graph. Renumbering takes, in addition, three messages for each name in a rank's share, sent
/// in batches, and a dictionary that is distributed over the ranks.
namespace armilla {

/// The format of a graph's file.
enum class graph_format {
  detect,     ///< recognize the format by the content; never a binary one
  edges,      ///< a list of edges
  market,     ///< MatrixMarket
  metis,      ///< METIS
  dimacs,     ///< DIMACS
  binary_32,  ///< pairs of 32-bit numbers as in memory
  binary_64   ///< pairs of 64-bit numbers
};

/// Whether the vertices of a list of edges are renumbered.
enum class vertex_naming {
  if_needed,  ///< if one is not a dense number, which is below a million plus 64 for each edge
  always,     ///< even if all are dense numbers
  never       ///< a vertex that is not a dense number is an error
};

/// How a graph is read. The same on all members.
struct read_graph_options {
  bool undirected = false;                          ///< each edge leads both ways
  bool in_edges = false;                            ///< also store, for each vertex, the edges that lead to it
  bool keep_duplicates = false;                     ///< keep parallel edges; otherwise the first one remains
  bool keep_loops = false;                          ///< keep edges from a vertex to itself
  team members{};                                   ///< the ranks that have the graph; the empty team: all ranks of the job
  graph_format format = graph_format::detect;       ///< of the file
  vertex_naming naming = vertex_naming::if_needed;  ///< of lists
  std::uint64_t base = 0;                           ///< lists, binary: the number of the first vertex, if numbers remain
  std::optional<double> default_weight{};  ///< for edges without one. Not set: 1 in formats without weights, else an error
  bool header = false;                     ///< lists: the first line names the columns, and is skipped
  char separator = 0;                      ///< lists: between fields; 0: detect it, ' ': any white space
  bool skip_bad = false;                   ///< skip bad lines; the header's counts may then differ
};

/// A graph whose vertices have names: the result of `read_graph`. It is a `graph<V, E>`, and can be used wherever one can.
///
/// If it is moved to a `graph`, the names are lost. `save` does not store them.
template <class V = void, class E = void>
class named_graph : public graph<V, E> {
 public:
  /// Creates a graph without vertices and without ranks, such as a moved-from one. Not collective.
  named_graph() = default;
  /// For the library.
  named_graph(graph<V, E> g, detail::vertex_names names) : graph<V, E>(std::move(g)), names_(std::move(names)) {
    names_.settle(this->shape());
  }

  /// Returns the name of vertex `v`: its string or number in the file. Throws `usage_error` if there is no such vertex. Cost: a
  /// load, or a message each way if another rank stores the vertex.
  std::string name(std::size_t v) const { return names_.name(this->shape(), v); }

  /// Returns the vertex with that name. Throws `usage_error` if there is none. Cost: a message each way, unless the file's
  /// numbers are the vertices.
  vertex_id vertex(std::string_view name) const {
    const std::optional<vertex_id> found = find_vertex(name);
    if (!found) [[unlikely]]
      detail::throw_no_vertex_named(name, this->size());
    return *found;
  }
  /// Returns the vertex with that name, or `nullopt` if there is none. Cost: as `vertex`.
  std::optional<vertex_id> find_vertex(std::string_view name) const { return names_.find(this->shape(), name); }

  /// Returns the names of all vertices, distributed like the vertices. Collective. To write results, call `write_csv` with a
  /// `zip` of names and values.
  array<std::string> names(const made_at& at = std::source_location::current()) const { return names_.all(this->shape(), at); }

 private:
  detail::vertex_names names_;
};

/// Reads a graph from a file. Collective. With a type `E`, edges have weights: `read_graph<double>(path)`. With `V`, vertices
/// have values: `graph::values()`.
///
///     am::named_graph<void, double> roads = am::read_graph<double>("roads.csv", {.undirected = true, .header = true});
///     am::graph<> mesh = am::read_graph("mesh.graph", {.undirected = true});
template <class E = void, class V = void>
  requires std::is_void_v<E> || std::is_arithmetic_v<E>
named_graph<V, E> read_graph(const std::string& path, const read_graph_options& how = {},
                             const made_at& at = std::source_location::current()) {
  using edge_type = std::conditional_t<std::is_void_v<E>, edge, weighted_edge<std::conditional_t<std::is_void_v<E>, char, E>>>;
  [[maybe_unused]] const auto given = detail::default_weight<E>(how.default_weight.value_or(1));
  detail::graph_file file = detail::read_graph_file(path, how);
  std::vector<edge_type> mine;
  detail::failure why;
  try {
    mine.reserve(file.edges.size());
    for (const detail::file_edge& e : file.edges)
      if constexpr (std::is_void_v<E>) {
        mine.push_back({e.from, e.to});
      } else {
        E weight = given;
        if (e.weight.data() == nullptr ||
            (e.weight.empty() ? how.default_weight.has_value() : detail::parse_field(e.weight, weight)))
          mine.push_back({e.from, e.to, weight});
        else
          detail::complain_of_weight(*file.part, e);
      }
    file.edges = {};
  } catch (const detail::passing&) { throw; } catch (...) {
    why.note();
  }
  const team members = file.part->members();
  detail::agree(members, "read_graph", why);
  file.part.reset();  // its memory
  graph<V, E> made(file.vertices, mine,
                   {.undirected = how.undirected,
                    .in_edges = how.in_edges,
                    .keep_duplicates = how.keep_duplicates,
                    .keep_loops = how.keep_loops,
                    .members = members},
                   at);
  return {std::move(made), std::move(file.names)};
}

}  // namespace armilla
