// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/corpus_pack.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace armilla::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view head = "armilla corpus 1";
constexpr std::size_t bytes_a_line = 32;

std::uint32_t checksum(const std::vector<std::byte>& bytes) {
  std::uint32_t sum = 2166136261u;
  for (const std::byte b : bytes) sum = (sum ^ std::uint32_t(b)) * 16777619u;
  return sum;
}

// Names become files, so none may lead out of its folder.
bool is_name(std::string_view name) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
  };
  return !name.empty() && name.front() != '.' && std::ranges::all_of(name, allowed);
}

void require_name(std::string_view name) {
  if (!is_name(name))
    throw corpus_error(fmt::format("'{}' is no name of an entry; letters, digits, - and _ and . inside are", name));
}

bool by_name(const corpus_entry& a, const corpus_entry& b) { return a.name < b.name; }

std::string_view next_word(std::string_view& line) {
  const std::size_t n = std::min(line.find(' '), line.size());
  const std::string_view word = line.substr(0, n);
  line.remove_prefix(std::min(n + 1, line.size()));
  return word;
}

template <class Number>
bool parse(std::string_view text, Number& n, int base = 10) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n, base);
  return !text.empty() && error == std::errc() && end == text.data() + text.size();
}

class parser {
 public:
  parser(std::string_view text, const std::string& where) : left_(text), where_(where) {}

  corpus run() {
    do next();
    while (line_.starts_with('#'));
    if (line_ != head) fail(fmt::format("does not begin with '{}'", head));
    corpus all;
    for (next(); line_.starts_with("entry "); next()) {
      all.push_back(read_entry_lines());
      if (all.size() > 1 && !by_name(all[all.size() - 2], all.back()))
        fail(fmt::format("entry '{}' does not follow '{}' in order", all.back().name, all[all.size() - 2].name));
    }
    read_end(all.size());
    return all;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw corpus_error(fmt::format("{}, line {}: {}: the pack is damaged; take it from git again, or pack its folder anew",
                                   where_, number_, what));
  }

  void next() {
    ++number_;
    if (left_.empty()) fail("it ends without its last line, 'end' and the number of entries");
    const std::size_t n = left_.find('\n');
    if (n == left_.npos) fail("the line does not end");
    line_ = left_.substr(0, n);
    left_.remove_prefix(n + 1);
  }

  corpus_entry read_entry_lines() {
    std::string_view rest = line_;
    next_word(rest);
    corpus_entry e{.name = std::string(next_word(rest)), .bytes = {}};
    std::size_t size = 0;
    std::uint32_t sum = 0;
    if (!is_name(e.name)) fail(fmt::format("'{}' is no name of an entry", e.name));
    if (!parse(next_word(rest), size) || !parse(rest, sum, 16))
      fail("after 'entry' stand a name, a number of bytes, and a checksum");
    while (e.bytes.size() < size) read_bytes(e, std::min(bytes_a_line, size - e.bytes.size()));
    if (checksum(e.bytes) != sum)
      fail(fmt::format("the bytes of entry '{}' have checksum {:08x} and not {:08x}", e.name, checksum(e.bytes), sum));
    return e;
  }

  void read_bytes(corpus_entry& e, std::size_t count) {
    next();
    std::string_view digits = line_;
    if (!digits.starts_with("  ") || digits.size() != 2 + 2 * count)
      fail(fmt::format("{} bytes of entry '{}' are to stand here", count, e.name));
    for (digits.remove_prefix(2); !digits.empty(); digits.remove_prefix(2)) {
      std::uint8_t byte = 0;
      if (!parse(digits.substr(0, 2), byte, 16)) fail(fmt::format("'{}' is no byte", digits.substr(0, 2)));
      e.bytes.push_back(std::byte(byte));
    }
  }

  void read_end(std::size_t entries) {
    std::string_view rest = line_;
    std::size_t told = 0;
    if (next_word(rest) != "end" || !parse(rest, told)) fail(fmt::format("'{}' is neither an entry nor the end", line_));
    if (told != entries) fail(fmt::format("it holds {} entries and not {}", entries, told));
    if (!left_.empty()) fail("more lines follow the end");
  }

  std::string_view left_;
  const std::string& where_;
  std::string_view line_;
  int number_ = 0;
};

std::string read_file(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in.good() && !in.eof()) throw corpus_error(file.string() + " cannot be read");
  return text;
}

void write_file(const fs::path& file, std::string_view text) {
  std::ofstream out(file, std::ios::binary);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.close();
  if (!out) throw corpus_error(file.string() + " cannot be written");
}

}  // namespace

corpus parse_pack(std::string_view text, const std::string& where) { return parser(text, where).run(); }

std::string pack_text(corpus entries) {
  std::ranges::sort(entries, by_name);
  const auto twice = std::ranges::adjacent_find(entries, {}, &corpus_entry::name);
  if (twice != entries.end()) throw corpus_error(fmt::format("two entries are named '{}'; rename one", twice->name));
  std::string text =
      "# SPDX-License-Identifier: Apache-2.0\n# Written by fuzz-corpus; tests/fuzz/corpus_pack.hpp says what the lines mean.\n";
  text += fmt::format("{}\n", head);
  for (const corpus_entry& e : entries) {
    require_name(e.name);
    text += fmt::format("entry {} {} {:08x}", e.name, e.bytes.size(), checksum(e.bytes));
    for (std::size_t i = 0; i < e.bytes.size(); ++i)
      text += fmt::format("{}{:02x}", i % bytes_a_line == 0 ? "\n  " : "", std::uint8_t(e.bytes[i]));
    text += '\n';
  }
  return text + fmt::format("end {}\n", entries.size());
}

corpus read_pack(const fs::path& file) { return parse_pack(read_file(file), file.string()); }

void write_pack(const fs::path& file, const corpus& entries) {
  const fs::path beside = file.string() + ".new";
  write_file(beside, pack_text(entries));
  fs::rename(beside, file);
}

corpus_entry read_entry(const fs::path& file) {
  const std::string text = read_file(file);
  const auto* const first = reinterpret_cast<const std::byte*>(text.data());
  require_name(file.filename().string());
  return {.name = file.filename().string(), .bytes = {first, first + text.size()}};
}

corpus read_folder(const fs::path& folder) {
  corpus all;
  for (const auto& file : fs::directory_iterator(folder))
    if (file.is_regular_file()) all.push_back(read_entry(file.path()));
  std::ranges::sort(all, by_name);
  return all;
}

void unpack(const corpus& entries, const fs::path& folder) {
  fs::create_directories(folder);
  for (const corpus_entry& e : entries)
    write_file(folder / e.name, {reinterpret_cast<const char*>(e.bytes.data()), e.bytes.size()});
}

bool add_entry(corpus& entries, corpus_entry added) {
  if (std::ranges::find(entries, added.bytes, &corpus_entry::bytes) != entries.end()) return false;
  if (std::ranges::find(entries, added.name, &corpus_entry::name) != entries.end())
    throw corpus_error(fmt::format("another entry is named '{}'; rename the file", added.name));
  entries.push_back(std::move(added));
  return true;
}

}  // namespace armilla::fuzz
