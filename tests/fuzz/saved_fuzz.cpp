// SPDX-License-Identifier: Apache-2.0
// The file of a saved container. The first byte of an input says which checksums are made right, so that what lies behind them is
// reached; the rest is the file. Either it is refused, or each of its elements is decoded or refused by an error of the library.
// All else is for the sanitizers to find.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "armilla/container/grid/row_image.hpp"
#include "armilla/container/image/checksum.hpp"
#include "armilla/container/image/save.hpp"
#include "armilla/container/image/save_format.hpp"
#include "armilla/error.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace armilla::fuzz {
namespace {

using namespace detail;

enum right : std::uint8_t { header_right = 1, contents_right = 2, pieces_right = 4 };

void require(bool good) {
  if (!good) std::abort();
}

/// A file in memory that is aligned as a piece that has been read.
class file_image {
 public:
  file_image(const std::byte* bytes, std::size_t n) : words_((n + 7) / 8), size_(n) {
    if (n != 0) std::memcpy(words_.data(), bytes, n);
  }
  std::span<std::byte> bytes() { return {reinterpret_cast<std::byte*>(words_.data()), size_}; }

  void make_right(std::uint8_t what) {
    saved_header h;
    if (size_ < sizeof h) return;
    std::memcpy(&h, bytes().data(), sizeof h);
    if (h.data_begin <= size_ && h.data_begin >= sizeof h) {
      if ((what & pieces_right) != 0) make_pieces_right(h);
      if ((what & contents_right) != 0)
        h.contents_checksum = checksum_of(bytes().data() + sizeof h, std::size_t(h.data_begin - sizeof h));
    }
    if ((what & header_right) != 0) {
      h.file_bytes = size_;
      h.checksum = checksum_of(&h, offsetof(saved_header, checksum));
    }
    std::memcpy(bytes().data(), &h, sizeof h);
  }

 private:
  void make_pieces_right(const saved_header& h) {
    if (h.name_bytes > size_) return;
    for (std::uint64_t k = 0, at = h.table_begin(); k < h.pieces && at + sizeof(saved_piece) <= h.data_begin; ++k) {
      saved_piece p;
      std::memcpy(&p, bytes().data() + at, sizeof p);
      if (p.offset <= size_ && p.bytes <= size_ - p.offset)
        p.checksum = checksum_of(bytes().data() + p.offset, std::size_t(p.bytes));
      std::memcpy(bytes().data() + at, &p, sizeof p);
      at += sizeof p;
    }
  }

  std::vector<std::uint64_t> words_;
  std::size_t size_;
};

/// The elements of a piece of these columns.
template <class Key, class Value>
void decode_piece(std::span<const std::byte> piece, std::uint64_t n) {
  column_rest keys(nullptr, 0), values(nullptr, 0);
  if (!split_piece(piece.data(), piece.size(), keys, values)) return;
  try {
    for (; n != 0; --n) {
      const Key key(column<Key>::take(keys));
      static_cast<void>(key);
      if constexpr (!std::is_void_v<Value>) static_cast<void>(column<Value>::take(values));
    }
  } catch (const error&) {}  // what it is for
}

/// Rows of these columns.
template <class Id>
void decode_rows(std::span<const std::byte> piece, std::uint64_t n) {
  column_rest keys(nullptr, 0), values(nullptr, 0);
  if (!split_piece(piece.data(), piece.size(), keys, values)) return;
  try {
    for (; n != 0; --n) {
      const taken_row<Id> row(keys);
      for (std::size_t k = 0; k < row.size(); ++k) {
        static_cast<void>(row[k]);
        static_cast<void>(column<double>::take(values));
      }
    }
  } catch (const error&) {}
}

void decode_all(std::span<const std::byte> file, const saved_contents& all) {
  for (const saved_piece& p : all.pieces) {
    require(p.offset <= file.size() && p.bytes <= file.size() - p.offset);
    const auto piece = file.subspan(std::size_t(p.offset), std::size_t(p.bytes));
    if (checksum_of(piece.data(), piece.size()) != p.checksum || all.header.element_bytes != 0) continue;
    decode_piece<std::string, void>(piece, p.elements);
    decode_piece<std::string, std::vector<int>>(piece, p.elements);
    decode_piece<int, std::map<int, std::string>>(piece, p.elements);
    decode_rows<std::uint32_t>(piece, p.elements);
    decode_rows<std::uint64_t>(piece, p.elements);
  }
}

/// Writes good files.
template <class Key, class Value = void>
struct writer {
  std::vector<std::byte> data;
  saved_contents all;

  writer(saved_kind kind, std::string_view name, std::uint64_t element_bytes = 0) {
    all.header.kind = std::uint64_t(kind);
    all.header.element_bytes = element_bytes;
    all.element = name;
  }
  void add(std::uint64_t elements, const std::vector<std::byte>& piece) {
    all.pieces.push_back({0, piece.size(), elements, checksum_of(piece.data(), piece.size())});
    data.insert(data.end(), piece.begin(), piece.end());
  }
  void add_columns(std::uint64_t elements, column_bytes& keys, column_bytes& values) {
    const view<std::uint64_t> first = keys.words(), second = values.words();
    std::vector<std::uint64_t> piece = {8 * first.size()};
    piece.insert(piece.end(), first.data(), first.data() + first.size());
    piece.insert(piece.end(), second.data(), second.data() + second.size());
    const auto* const bytes = reinterpret_cast<const std::byte*>(piece.data());
    add(elements, {bytes, bytes + 8 * piece.size()});
  }
  std::vector<std::byte> finish() {
    std::uint64_t at = data_begin_for(all.element.size(), all.pieces.size());
    for (saved_piece& p : all.pieces) {
      p.offset = at;
      at += p.bytes;
    }
    std::vector<std::byte> file = {std::byte{header_right | contents_right | pieces_right}};
    const std::vector<std::byte> before = written_contents(all);
    file.insert(file.end(), before.begin(), before.end());
    file.insert(file.end(), data.begin(), data.end());
    return file;
  }
};

}  // namespace

const int mutations = 60'000;

std::vector<std::vector<std::byte>> samples() {
  std::vector<std::vector<std::byte>> files;
  writer<double> numbers(saved_kind::sequence, "float64", sizeof(double));
  files.push_back(numbers.finish());
  numbers.all.header.elements = 0;
  numbers.add(10, std::vector<std::byte>(80));
  numbers.add(5, std::vector<std::byte>(40));
  files.push_back(numbers.finish());

  writer<float> matrix(saved_kind::matrix, "float32", sizeof(float));
  matrix.all.header.grid = {2, {3, 4, 0}, {1, 2, 0}};
  matrix.add(6, std::vector<std::byte>(24));
  matrix.add(6, std::vector<std::byte>(24));
  files.push_back(matrix.finish());

  writer<std::string> texts(saved_kind::unordered_set, "string");
  column_bytes keys, values;
  for (const char* text : {"", "one", "another text"}) column<std::string>::put(keys, text);
  texts.add_columns(3, keys, values);
  files.push_back(texts.finish());

  // Not good: a piece whose end is a number before its begin, and one that makes up for it.
  writer<std::string> around(saved_kind::unordered_set, "string");
  around.data = texts.data;
  around.all.pieces = {{0, ~std::uint64_t{0} - 79, 1, 0}, {0, 80 + around.data.size(), 3, 0}};
  files.push_back(around.finish());

  writer<std::string, std::vector<int>> words(saved_kind::unordered_map, "(string, list<int32>)");
  for (int i = 0; i < 3; ++i) column<std::vector<int>>::put(values, std::vector<int>(std::size_t(i), i));
  words.add_columns(3, keys, values);
  files.push_back(words.finish());

  writer<int, std::map<int, std::string>> tree(saved_kind::map, "(int32, map<int32, string>)");
  keys.clear(), values.clear();
  for (int i = 0; i < 2; ++i) {
    column<int>::put(keys, i);
    column<std::map<int, std::string>>::put(values, {{i, "text"}, {i + 1, ""}});
  }
  tree.add_columns(2, keys, values);
  files.push_back(tree.finish());

  writer<std::uint32_t, double> graph(saved_kind::graph, "(list<uint32>, list<float64>)");
  graph.all.header.grid.extents = {4, 1, 0};
  keys.clear(), values.clear();
  for (std::uint64_t v = 0; v < 4; ++v) {
    put_row<std::uint32_t>(keys, v, std::size_t(v), [](std::size_t k) { return std::uint32_t(k); });
    for (std::uint64_t k = 0; k < v; ++k) column<double>::put(values, 0.5);
  }
  graph.add_columns(4, keys, values);
  files.push_back(graph.finish());
  return files;
}

void try_input(const std::byte* bytes, std::size_t n) {
  if (n == 0) return;
  file_image file(bytes + 1, n - 1);
  file.make_right(std::uint8_t(*bytes));
  const std::span<std::byte> all = file.bytes();
  saved_contents contents;
  if (!judge_header(all.first(std::min(all.size(), sizeof(saved_header))), all.size(), contents.header).empty()) return;
  require(contents.header.data_begin <= all.size());
  if (!judge_contents(all.first(std::size_t(contents.header.data_begin)), contents).empty()) return;
  static_cast<void>(judge_type(contents, {saved_kind::sequence, 8, "float64"}));
  decode_all(all, contents);
}

}  // namespace armilla::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  armilla::fuzz::try_input(reinterpret_cast<const std::byte*>(data), size);
  return 0;
}
