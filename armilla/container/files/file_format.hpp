// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "armilla/container/files/files_inline.hpp"

namespace armilla::detail {

/// Why the file is not what the reader takes it for: its first bytes say that it is of another known format. Empty: they do not.
std::string text_of_other_format(std::string_view first, const file_use& use);

/// Returns whether a file that begins so is a MatrixMarket file.
bool is_market(std::string_view first);

/// What the first line of a METIS graph says: vertices, edges, which weights there are, and how many a vertex has.
struct metis_header {
  std::uint64_t vertices = 0, edges = 0, format = 0, weights = 1;
  std::uint64_t words = 0;  ///< 0: the file is not such a graph

  /// Of the line of a vertex, before its edges.
  std::uint64_t words_of_vertex() const noexcept { return (format / 10 % 10 != 0 ? weights : 0) + (format / 100 != 0 ? 1 : 0); }
  /// Of the lines of all vertices.
  std::uint64_t words_after() const noexcept { return vertices * words_of_vertex() + 2 * edges * (format % 10 != 0 ? 2 : 1); }
  /// Without weights all words are numbers of vertices.
  bool allows(std::string_view word) const noexcept;
};
metis_header parse_metis_header(std::string_view line);

/// Collective: the header, if the numbers of lines and words are those of a METIS graph. `trusted`: the header is enough.
metis_header find_metis(const file_part& part, bool trusted);

}  // namespace armilla::detail
