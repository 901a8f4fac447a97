// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "armilla/container/place/column.hpp"

/// The file of a saved container, byte by byte: docs/spec/save.md. Nothing here opens a file or sends: bytes to values and back.
namespace armilla::detail {

/// What kinds of containers a file tells apart; each number is for ever.
enum class saved_kind : std::uint32_t {
  sequence = 1,  ///< array, vector, bag, list, queues
  matrix,
  unordered_map,
  unordered_set,
  unordered_multimap,
  unordered_multiset,
  map,
  set,
  bitmap,
  disjoint_set,
  graph,
  sparse_matrix,
};
/// Those above `set` have numbers of their own, in place of extents.
constexpr bool has_numbers(saved_kind k) noexcept { return k > saved_kind::set; }
const char* name_of(saved_kind k) noexcept;

/// What of a container must be the same when it is loaded.
struct saved_type {
  saved_kind kind;
  std::uint64_t element_bytes;  ///< of elements that lie as in memory; 0: they are marshalled, in two columns
  std::string_view element;     ///< its structure, as in signatures of methods
  std::uint64_t dimensions = 0;
};

/// What belongs to an image as a whole, such as the bits of a bitmap.
using image_numbers = std::array<std::uint64_t, 3>;

/// Of a matrix: how its cells are cut into the blocks of which the file has one behind the other. Of a container
/// that has numbers these are the extents, and all else is 0.
struct saved_grid {
  std::uint64_t dimensions = 0;
  image_numbers extents{}, blocks{};
  static constexpr std::uint64_t most_blocks = std::uint64_t{1} << 24;
  /// More than that are no count.
  std::uint64_t block_count() const noexcept;
};

/// Some elements that follow each other.
struct saved_piece {
  std::uint64_t offset = 0;  ///< in the file
  std::uint64_t bytes = 0, elements = 0, checksum = 0;
};
/// A piece ends behind the element with which it has so many bytes; or so many elements, should they take no bytes.
inline constexpr std::size_t piece_bytes = std::size_t{1} << 20;

struct saved_header {
  static constexpr std::array<unsigned char, 8> good_magic = {0x89, 'A', 'R', 'M', '\r', '\n', 0x1a, '\n'};
  static constexpr std::uint32_t newest = 1, native_order = 0x01020304;
  static constexpr std::size_t data_align = 4096;

  std::array<unsigned char, 8> magic = good_magic;
  std::uint32_t version = newest;
  std::uint32_t byte_order = native_order;
  std::uint64_t kind = 0;
  std::uint64_t element_bytes = 0;
  std::uint64_t elements = 0;
  saved_grid grid;
  std::uint64_t name_bytes = 0;  ///< of the element's structure, which follows the header
  std::uint64_t pieces = 0;      ///< whose table follows that, at a multiple of 8
  std::uint64_t data_begin = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t contents_checksum = 0;  ///< of what lies between the header and the data
  std::uint64_t checksum = 0;           ///< of the header before it

  std::uint64_t table_begin() const noexcept { return align_up(std::size_t(sizeof(saved_header) + name_bytes), 8); }
};
static_assert(sizeof(saved_header) == 144 && sizeof(saved_piece) == 32);

/// What stands before the data of a file.
struct saved_contents {
  saved_header header;
  std::string element;
  std::string made;  ///< what the program called the container; empty: not known
  std::vector<saved_piece> pieces;
};

/// Fills in the header what follows from the rest, and gives all that stands before the data.
std::vector<std::byte> written_contents(saved_contents& all);
/// Where the data of a file with so many pieces begin.
std::uint64_t data_begin_for(std::size_t name_bytes, std::uint64_t pieces) noexcept;

/// What is wrong with the first bytes of a file of `file_bytes`; empty: `header` is good, and name and table lie in the file.
std::string judge_header(std::span<const std::byte> first, std::uint64_t file_bytes, saved_header& header);
/// What is wrong with name and table; `bytes` are all before the data. `all.header` is good.
std::string judge_contents(std::span<const std::byte> bytes, saved_contents& all);
/// What in a good file is not what the container wants.
std::string judge_type(const saved_contents& all, const saved_type& wanted);

/// A piece of marshalled elements: u64 bytes of the first column, the columns. False: it is none.
bool split_piece(const std::byte* bytes, std::size_t n, column_rest& keys, column_rest& values) noexcept;
inline constexpr std::size_t piece_head = 8;

}  // namespace armilla::detail
