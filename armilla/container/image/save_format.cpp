// SPDX-License-Identifier: Apache-2.0
#include "armilla/container/image/save_format.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>

#include <fmt/format.h>

#include "armilla/base/values/escaped.hpp"
#include "armilla/container/image/checksum.hpp"

namespace armilla::detail {
namespace {

constexpr const char* names[] = {"",
                                 "array, vector, bag, list or queue",
                                 "matrix",
                                 "unordered_map",
                                 "unordered_set",
                                 "unordered_multimap",
                                 "unordered_multiset",
                                 "map",
                                 "set",
                                 "bitmap",
                                 "disjoint_set",
                                 "graph",
                                 "sparse_matrix"};

constexpr const char* damaged = "; the file is damaged: load another one";

std::uint64_t checksum_of_header(const saved_header& h) noexcept { return checksum_of(&h, offsetof(saved_header, checksum)); }

/// What lies between the header and the data.
std::span<const std::byte> named_part(std::span<const std::byte> bytes, const saved_header& h) {
  return bytes.subspan(sizeof(saved_header), std::size_t(h.data_begin - sizeof(saved_header)));
}

/// Where the text may be that says what the program called the container. The space up to the data may be too short for it, and
/// files have been written that have zeros there.
std::size_t text_begin(const saved_header& h) noexcept { return std::size_t(h.table_begin() + h.pieces * sizeof(saved_piece)); }
std::string text_of(std::span<const std::byte> bytes, const saved_header& h) {
  constexpr std::size_t most = 512;
  const auto* const first = reinterpret_cast<const char*>(bytes.data()) + text_begin(h);
  return escaped({first, ::strnlen(first, std::min(std::size_t(h.data_begin) - text_begin(h), most))});
}

/// Whether the extents have so many cells.
bool has_cells(const saved_grid& g, std::uint64_t cells) noexcept {
  std::uint64_t all = 1;
  for (std::uint64_t d = 0; d < g.dimensions; ++d) {
    if (g.extents[d] != 0 && all > (std::uint64_t{1} << 60) / g.extents[d]) return false;
    all *= g.extents[d];
  }
  return all == cells;
}

std::string judge_places(const saved_header& h, std::uint64_t file_bytes) {
  if (file_bytes != h.file_bytes)
    return fmt::format("it has {} bytes and should have {}: it was {} after it was saved; load another one", file_bytes,
                       h.file_bytes, file_bytes < h.file_bytes ? "cut" : "added to");
  // Each is held against the file before it is used in a sum.
  if (h.name_bytes > file_bytes || h.pieces > file_bytes / sizeof(saved_piece) || file_bytes < h.data_begin ||
      h.data_begin != data_begin_for(std::size_t(h.name_bytes), h.pieces))
    return std::string("its header contradicts itself") + damaged;
  if (h.kind == 0 || h.kind >= std::size(names))
    return fmt::format("it holds a container of kind {}, which this version does not know; load it with a newer version", h.kind);
  if (h.grid.dimensions > 3 || (h.kind == std::uint64_t(saved_kind::matrix)) != (h.grid.dimensions != 0) ||
      (h.grid.dimensions != 0 && (h.element_bytes == 0 || h.grid.block_count() > saved_grid::most_blocks ||
                                  h.grid.block_count() == 0 || !has_cells(h.grid, h.elements))))
    return std::string("its header contradicts itself") + damaged;
  return {};
}

std::string saved_from(const saved_contents& all) {
  return all.made.empty() ? all.made : " (it was saved from " + all.made + ")";
}

std::string judge_pieces(const saved_contents& all) {
  const saved_header& h = all.header;
  std::uint64_t at = h.data_begin, elements = 0;
  for (const saved_piece& p : all.pieces) {
    const bool fits = p.offset == at && p.bytes <= h.file_bytes - at && p.elements != 0 && p.elements <= h.elements - elements;
    const bool raw = h.element_bytes != 0;
    const std::uint64_t most = raw ? p.bytes / h.element_bytes : std::max<std::uint64_t>(p.bytes, piece_bytes);
    if (!fits || p.elements > most || (raw ? p.elements * h.element_bytes != p.bytes : p.bytes < piece_head || p.bytes % 8 != 0))
      return fmt::format("piece {} of {} does not lie where it should{}", &p - all.pieces.data(), all.pieces.size(), damaged);
    at += p.bytes, elements += p.elements;
  }
  if (at != h.file_bytes || elements != h.elements)
    return fmt::format("its pieces have {} elements and its header {}{}", elements, h.elements, damaged);
  return {};
}

}  // namespace

std::uint64_t saved_grid::block_count() const noexcept {
  std::uint64_t all = 1;
  for (std::uint64_t d = 0; d < dimensions; ++d)
    all = blocks[d] > most_blocks ? most_blocks + 1 : std::min(all * blocks[d], most_blocks + 1);
  return all;
}

const char* name_of(saved_kind k) noexcept { return names[std::size_t(k)]; }

std::uint64_t data_begin_for(std::size_t name_bytes, std::uint64_t pieces) noexcept {
  saved_header h;
  h.name_bytes = name_bytes;
  return align_up(std::size_t(h.table_begin() + pieces * sizeof(saved_piece)), saved_header::data_align);
}

std::vector<std::byte> written_contents(saved_contents& all) {
  saved_header& h = all.header;
  h.name_bytes = all.element.size();
  h.pieces = all.pieces.size();
  h.data_begin = data_begin_for(all.element.size(), h.pieces);
  h.file_bytes = h.data_begin;
  for (const saved_piece& p : all.pieces) h.file_bytes += p.bytes, h.elements += p.elements;
  std::vector<std::byte> bytes(h.data_begin);
  std::memcpy(bytes.data() + sizeof h, all.element.data(), all.element.size());
  if (h.pieces != 0) std::memcpy(bytes.data() + h.table_begin(), all.pieces.data(), h.pieces * sizeof(saved_piece));
  if (const std::size_t at = text_begin(h); all.made.size() <= bytes.size() - at)
    std::memcpy(bytes.data() + at, all.made.data(), all.made.size());
  const auto named = named_part(bytes, h);
  h.contents_checksum = checksum_of(named.data(), named.size());
  h.checksum = checksum_of_header(h);
  std::memcpy(bytes.data(), &h, sizeof h);
  return bytes;
}

std::string judge_header(std::span<const std::byte> first, std::uint64_t file_bytes, saved_header& header) {
  if (file_bytes == 0) return "it is empty; was it saved to the end?";
  const std::size_t there = std::min(first.size(), sizeof header.magic);
  if (std::memcmp(first.data(), &saved_header::good_magic, there) != 0)
    return "it is no saved container; read_binary and its like read other files";
  if (first.size() < sizeof header)
    return fmt::format("it has {} bytes, which is no whole header: it was cut; load another one", file_bytes);
  std::memcpy(&header, first.data(), sizeof header);
  if (header.byte_order != saved_header::native_order)
    return header.byte_order == __builtin_bswap32(saved_header::native_order)
               ? "it was saved on a machine of the other byte order; load it on such a machine"
               : std::string("its header is wrong") + damaged;
  if (header.version > saved_header::newest)
    return fmt::format("it is of version {} of the format, and this library reads versions up to {}; load it with a newer one",
                       header.version, saved_header::newest);
  if (header.version == 0 || checksum_of_header(header) != header.checksum) return std::string("its header is wrong") + damaged;
  return judge_places(header, file_bytes);
}

std::string judge_contents(std::span<const std::byte> bytes, saved_contents& all) {
  const saved_header& h = all.header;
  const auto named = named_part(bytes, h);
  if (checksum_of(named.data(), named.size()) != h.contents_checksum)
    return std::string("its table of pieces is wrong") + damaged;
  all.element.assign(reinterpret_cast<const char*>(named.data()), std::size_t(h.name_bytes));
  all.pieces.resize(std::size_t(h.pieces));
  if (h.pieces != 0) std::memcpy(all.pieces.data(), bytes.data() + h.table_begin(), h.pieces * sizeof(saved_piece));
  all.made = text_of(bytes, h);
  return judge_pieces(all);
}

std::string judge_type(const saved_contents& all, const saved_type& wanted) {
  const saved_header& h = all.header;
  if (h.kind != std::uint64_t(wanted.kind))
    return fmt::format("it holds a container of kind {}, and this one is of kind {}; load it into one of its kind{}",
                       names[h.kind], name_of(wanted.kind), saved_from(all));
  if (h.grid.dimensions != wanted.dimensions)
    return fmt::format("it holds a matrix of {} dimensions, and this one has {}; load it into one of as many", h.grid.dimensions,
                       wanted.dimensions);
  if (all.element != wanted.element || h.element_bytes != wanted.element_bytes)
    return fmt::format("its elements are {}{}, and those of this container {}{}; load it into one of its elements{}", all.element,
                       h.element_bytes != 0 ? fmt::format(" of {} bytes", h.element_bytes) : "", wanted.element,
                       wanted.element_bytes != 0 ? fmt::format(" of {} bytes", wanted.element_bytes) : "", saved_from(all));
  return {};
}

bool split_piece(const std::byte* bytes, std::size_t n, column_rest& keys, column_rest& values) noexcept {
  std::uint64_t first = 0;
  if (n < piece_head) return false;
  std::memcpy(&first, bytes, sizeof first);
  n -= piece_head;
  if (first > n || first % 8 != 0) return false;
  keys = column_rest(bytes + piece_head, std::size_t(first));
  values = column_rest(bytes + piece_head + first, n - std::size_t(first));
  return true;
}

}  // namespace armilla::detail
