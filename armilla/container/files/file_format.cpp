// SPDX-License-Identifier: Apache-2.0
#include "armilla/container/files/file_format.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "armilla/base/host/regular_file.hpp"
#include "armilla/boot/host/descriptor.hpp"
#include "armilla/collectives.hpp"
#include "armilla/container/image/save_format.hpp"
#include "armilla/error.hpp"

namespace armilla::detail {
namespace {

using namespace std::literals;

/// A format that its first bytes tell from others.
struct known_format {
  std::string_view first;
  const char* what;
};

constexpr known_format packed_formats[] = {
    {"\x1f\x8b"sv, "it is compressed; decompress it first: gunzip"},
    {"BZh91AY&SY"sv, "it is compressed; decompress it first: bunzip2"},
    {"\xfd"
     "7zXZ\0"sv,
     "it is compressed; decompress it first: unxz"},
    {"\x28\xb5\x2f\xfd"sv, "it is compressed; decompress it first: unzstd"},
    {"\x04\x22\x4d\x18"sv, "it is compressed; decompress it first: unlz4"},
    {"PK\x03\x04"sv, "it is a zip archive; unpack it first: unzip"},
    {"PAR1"sv, "it is a Parquet file, not text; convert it first"},
    {"ARROW1\0\0"sv, "it is an Arrow file, not text; convert it first"},
    {"Obj\x01"sv, "it is an Avro file, not text; convert it first"},
    {"SQLite format 3\0"sv, "it is an SQLite database, not text; export its tables first"},
    {"CDF\x01"sv, "it is a NetCDF file, not text; convert it first: ncdump"},
    {"CDF\x02"sv, "it is a NetCDF file, not text; convert it first: ncdump"},
    {"CDF\x05"sv, "it is a NetCDF file, not text; convert it first: ncdump"},
    {"\x7f"
     "ELF"sv,
     "it is a program or a library, not text"},
    {"\xff\xfe"sv, "it is text in UTF-16; convert it first: iconv -f UTF-16 -t UTF-8"},
    {"\xfe\xff"sv, "it is text in UTF-16; convert it first: iconv -f UTF-16 -t UTF-8"},
};
/// Also refused as elements, since no one takes their first bytes for a number by chance.
constexpr known_format marked_formats[] = {
    {"\x93NUMPY"sv, "it is a NumPy array with a header; read it with read_npy"},
    {"\x89HDF\r\n\x1a\n"sv, "it is an HDF5 file; read it with read_hdf5"},
};
constexpr const char* written_by_save = "it was written by save; load it into a container";
constexpr const char* read_as_market = "it is a MatrixMarket file; read it with read_matrix_market or read_graph";

std::size_t words_of(std::string_view line) {
  const char *at = line.data(), *const end = at + line.size();
  std::size_t n = 0;
  while (!next_word(at, end).empty()) ++n;
  return n;
}

/// The first bytes of the file, on the first member, whose part may be less. Collective.
std::string head_of(const file_part& part) {
  std::string head(std::size_t(1) << 16, 0);
  if (part.packed()) {
    const std::uint64_t before = std::min<std::uint64_t>(part.offset(), head.size());
    const std::size_t mine = std::min(head.size() - std::size_t(before), std::size_t(part.end() - part.begin()));
    const std::vector<char> all = part.members().all_gather_v(std::vector<char>(part.begin(), part.begin() + mine));
    return {all.begin(), all.end()};
  }
  if (!part.is_first()) return {};
  const descriptor file(open_regular(part.path()).file);
  const ssize_t got = file.get() < 0 ? 0 : ::pread(file.get(), head.data(), head.size(), 0);
  head.resize(got > 0 ? std::size_t(got) : 0);
  return head;
}

/// A graph of METIS has a line for each vertex. So its lines are of many lengths, or of two numbers where there are as many
/// edges as vertices. Both are rare in a list of edges, and its first lines show it. A list that begins with # is none.
metis_header look_for_metis(const file_part& part, const std::string& head, bool trusted) {
  const char *at = head.data(), *const end = at + head.size();
  if (at == end || *at == '#') return {};
  std::string_view line;
  while (at != end && (line = next_line(at, end), line.starts_with('%'))) continue;
  const metis_header h = parse_metis_header(line);
  bool may_be = trusted || h.vertices == h.edges;
  while (!may_be && at != end) {
    line = next_line(at, end);
    may_be = !line.starts_with('%') && words_of(line) != h.words && (at != end || head.size() == part.file_size());
  }
  return may_be ? h : metis_header{};
}

/// Of a part of the file.
struct metis_lines {
  std::uint64_t lines = 0, words = 0, bad = 0;

  void add(const metis_header& h, std::string_view line) {
    if (line.starts_with('%')) return;
    ++lines;
    const char *at = line.data(), *const end = at + line.size();
    for (std::string_view word = next_word(at, end); !word.empty(); word = next_word(at, end)) {
      ++words;
      bad += h.allows(word) ? 0 : 1;
    }
  }
};

}  // namespace

bool metis_header::allows(std::string_view word) const noexcept {
  std::uint64_t number = 0;
  return parse_field(word, number) && (format != 0 || number - 1 < vertices);
}

metis_header parse_metis_header(std::string_view line) {
  metis_header h;
  const char *in = line.data(), *const end = in + line.size();
  const std::size_t words = words_of(line);
  bool good = words >= 2 && words <= 4 && parse_field(next_word(in, end), h.vertices) && parse_field(next_word(in, end), h.edges);
  if (words > 2) good = good && parse_field(next_word(in, end), h.format);
  if (words > 3) good = good && parse_field(next_word(in, end), h.weights);
  if (good) h.words = words;
  return h;
}

bool is_market(std::string_view first) {
  constexpr std::string_view banner = "%%matrixmarket";
  return first.size() >= banner.size() && std::ranges::equal(first.substr(0, banner.size()), banner, [](char a, char b) {
           return (a >= 'A' && a <= 'Z' ? char(a - 'A' + 'a') : a) == b;
         });
}

std::string text_of_other_format(std::string_view first, const file_use& use) {
  if (use.content == file_content::elements && use.unit == 1) return {};
  const auto& magic = saved_header::good_magic;
  if (first.starts_with(std::string_view(reinterpret_cast<const char*>(magic.data()), magic.size()))) return written_by_save;
  for (const known_format& s : marked_formats)
    if (first.starts_with(s.first)) return s.what;
  if (use.content == file_content::elements) return {};
  for (const known_format& s : packed_formats)
    if (first.starts_with(s.first)) return s.what;
  if (const std::size_t nul = first.find('\0'); nul != first.npos && use.csv.separator != 0)
    return fmt::format(
        "byte {} is NUL, so it is not text in UTF-8; read_binary reads elements, and iconv converts UTF-16 and UTF-32", nul);
  return use.content == file_content::table && is_market(first) ? read_as_market : "";
}

metis_header find_metis(const file_part& part, bool trusted) {
  const std::string head = head_of(part);
  const metis_header h = part.members().broadcast(part.is_first() ? look_for_metis(part, head, trusted) : metis_header{}, 0);
  if (h.words == 0 || trusted) return h;
  metis_lines mine;
  for (const char* at = part.begin(); at != part.end();) mine.add(h, next_line(at, part.end()));
  const metis_lines all = part.members().all_reduce(mine, [](const metis_lines& a, const metis_lines& b) {
    return metis_lines{a.lines + b.lines, a.words + b.words, a.bad + b.bad};
  });
  const bool line_a_vertex = all.lines == h.vertices + 1 || all.lines == h.vertices;  // the last line may be empty
  const std::uint64_t bad_in_header = h.format == 0 && h.edges - 1 >= h.vertices ? 1 : 0;
  const bool good = line_a_vertex && all.words == h.words + h.words_after() && all.bad == bad_in_header;
  return good ? h : metis_header{};
}

void refuse_metis(const file_part& part) {
  if (const metis_header h = find_metis(part, false); h.words != 0)
    throw_usage("read_edges", fmt::format("'{}' is a METIS graph of {} vertices, whose lines are not edges; read it with "
                                          "read_graph, or begin the file with a line '#' if it is a list of edges",
                                          part.path(), h.vertices));
}

}  // namespace armilla::detail
