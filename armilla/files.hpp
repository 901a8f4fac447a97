// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/container/files/files_inline.hpp"
#include "armilla/container/place/failure_agreement.hpp"
#include "armilla/range.hpp"
#include "armilla/sendable.hpp"
#include "armilla/team.hpp"

/// Files that all ranks of a team read or write together, each its share.
///
/// Use them for text, CSV, edges and binary data. To write containers and views, see armilla/write.hpp. To store a container
/// and read it back on any number of ranks, use its `save` and `load`.
///
///     for (std::string_view w : am::read_words("text.txt").local()) count.update(w, 1, std::plus<>{});
///
/// **Shares.** Each rank has a contiguous share of the bytes. Each line, word or record belongs to the rank in whose share it
/// begins.
///
/// **Opening** is collective: each rank then reads its share into memory. Afterwards `local()` does not need the file.
///
/// **Compressed files** (gzip, zstd) are recognized by their content and unpacked by all readers except `read_binary`. If the
/// file shows where its frames are (those of bgzip and zstd do), each rank unpacks the frames that begin in its share, so
/// shares are even in compressed bytes. A file of one frame is unpacked by one rank, which sends the others their shares
/// meanwhile. Writers of text compress a file whose name ends in `.gz` or `.zst`. Each rank writes its own frames, which
/// bgzip, gzip and zstd unpack, and which all ranks can read in parallel.
///
/// **Errors.** If one rank fails, all throw `usage_error`: for a file that cannot be read, differs between ranks or changes
/// meanwhile, is not a regular file, is compressed in another way or has another kind of content. A file with a NUL among its
/// first 64 bytes is not text, unless NUL is the separator of `read_csv`. Lines that do not fit throw in the loop, unless
/// `skip_bad` skips them. `skip_bad` itself is refused where any line fits (`read_lines`, `read_words`).
///
/// **Cost.** One copy of the share, from the file into memory.
namespace armilla {

/// How a file is read. The same on all members.
struct file_options {
  team members{};           ///< the ranks that read the file; the empty team: all ranks of the job
  bool skip_bad = false;    ///< skip lines that do not fit, and count them in `skipped()`; otherwise the loop throws usage_error
  bool header = false;      ///< CSV: the first record names the columns; members of an aggregate are then found by name
  char separator = ',';     ///< CSV: between fields
  char quote = '"';         ///< CSV: around fields that hold separators or ends of lines; 0: quotes are plain text
  bool skip_space = false;  ///< read_csv: spaces and tabs around a field are not part of it, unless they are in quotes
  char comment = 0;         ///< read_csv: skips lines that begin with it where a record would begin; 0: there are no comments
  char decimal = '.';       ///< CSV: the decimal point of numbers
  std::vector<std::string> columns{};  ///< CSV: the names of the columns, in the order of the fields; implies `header`
  std::vector<std::string> missing{};  ///< CSV: strings that mean an empty std::optional, as the empty field does: {"NA", "nan"}
};

/// An edge of a file or a graph: the numbers of two vertices.
struct edge {
  std::uint64_t from = 0, to = 0;
  friend bool operator==(const edge&, const edge&) = default;
};

/// An edge with a weight.
template <class W>
struct weighted_edge {
  std::uint64_t from = 0, to = 0;
  W weight{};
  friend bool operator==(const weighted_edge&, const weighted_edge&) = default;
};

/// A rank's share of a text file that all ranks have opened: the result of `read_lines` and the like.
///
/// It can be copied. Its string views point into memory that lives as long as any copy of it, or of its `local()`.
template <class Reader>
class file_range {
 public:
  using value_type = typename Reader::value;

  /// One pass over this rank's share, from its beginning: an input range. It keeps the memory alive.
  class pass {
   public:
    class iterator {
     public:
      using value_type = typename Reader::value;
      using difference_type = std::ptrdiff_t;
      using iterator_concept = std::input_iterator_tag;

      iterator() = default;
      const value_type& operator*() const noexcept { return in_->now_; }
      const value_type* operator->() const noexcept { return &in_->now_; }
      iterator& operator++() {
        in_->step();
        return *this;
      }
      void operator++(int) { ++*this; }
      friend bool operator==(const iterator& i, std::default_sentinel_t) noexcept { return i.at_end(); }

     private:
      friend pass;
      explicit iterator(pass& in) : in_(&in) {}
      bool at_end() const noexcept { return in_->over_; }
      pass* in_ = nullptr;
    };

    iterator begin() {
      at_ = part_->begin();
      step();
      return iterator(*this);
    }
    std::default_sentinel_t end() const noexcept { return {}; }

   private:
    friend file_range;
    pass(std::shared_ptr<detail::file_part> part, Reader reader) : part_(std::move(part)), reader_(std::move(reader)) {}
    void step() { over_ = !reader_.next(*part_, at_, now_); }

    std::shared_ptr<detail::file_part> part_;
    Reader reader_;
    const char* at_ = nullptr;
    value_type now_{};
    bool over_ = false;
  };

  /// Returns a pass over this rank's lines, words or records.
  pass local() const { return pass(part_, reader_); }
  /// Returns the ranks that have a share.
  const team& members() const noexcept { return part_->members(); }
  /// Returns how many lines were skipped on this rank.
  std::size_t skipped() const noexcept { return part_->skipped(); }

  file_range(std::shared_ptr<detail::file_part> part, Reader reader) : part_(std::move(part)), reader_(std::move(reader)) {}

 private:
  std::shared_ptr<detail::file_part> part_;
  Reader reader_;
};

/// This rank's elements of a binary file. It keeps their memory alive, even in a loop over a temporary `binary_range`.
template <class T>
class binary_elements : public std::span<const T> {
 public:
  binary_elements(std::span<const T> elements, std::shared_ptr<detail::file_part> held)
      : std::span<const T>(elements), held_(std::move(held)) {}

 private:
  std::shared_ptr<detail::file_part> held_;
};

/// A rank's share of a binary file: the result of `read_binary`. The elements live as long as it; a loop over
/// `read_binary<T>(path).local()` keeps them alive.
template <class T>
class binary_range {
 public:
  using value_type = T;
  explicit binary_range(std::shared_ptr<detail::file_part> part) : part_(std::move(part)) {}

  /// Returns this rank's elements.
  binary_elements<T> local() && { return {std::as_const(*this).local(), part_}; }
  std::span<const T> local() const& noexcept {
    return {reinterpret_cast<const T*>(part_->begin()), std::size_t(part_->end() - part_->begin()) / sizeof(T)};
  }
  std::uint64_t size() const noexcept { return part_->file_size() / sizeof(T); }  ///< the number of elements in the file
  std::uint64_t offset() const noexcept { return part_->offset() / sizeof(T); }   ///< the index of this rank's first element

 private:
  std::shared_ptr<detail::file_part> part_;
};

namespace detail {

inline csv_format format_of(const file_options& how) { return {how.separator, how.quote, how.skip_space, how.comment}; }
inline field_rules rules_of(const file_options& how) { return {how.decimal, how.missing}; }
/// What of the options concerns any reader.
inline file_use use_of(const char* operation, cut_at where, file_content content, const file_options& how) {
  return {operation, where, content, how.members, how.skip_bad, format_of(how)};
}
/// Throws usage_error if it is set where nothing can be skipped: `why`.
void refuse_skip_bad(const char* operation, bool skip_bad, const char* why);
template <class Reader>
file_range<Reader> open_file(const std::string& path, const file_use& use, Reader reader) {
  return {std::make_shared<file_part>(path, use), std::move(reader)};
}
/// `text`: a file whose name ends in .gz or .zst is compressed.
void write_parts(const char* operation, const std::string& path, const team& members, std::string_view bytes, bool text);

/// Writes the members' strings, which `write_lines` and `write_words` have made, unless one of them has failed.
void write_texts(const char* operation, const std::string& path, const team& members, const std::string& texts, failure& why);

/// This rank is the first member; the empty team: of all ranks.
bool is_first(const team& members);

/// Adds a line. Throws std::invalid_argument if the text holds the end of one.
void append_line(std::string& all, std::string_view text);

}  // namespace detail

/// Reads lines, as string_views without their ends (`\n` or `\r\n`; the last line needs none). Collective. Skips a byte order
/// mark at the beginning of the file.
inline auto read_lines(const std::string& path, const file_options& how = {}) {
  using namespace detail;
  refuse_skip_bad("read_lines", how.skip_bad, "any line fits");
  return open_file(path, use_of("read_lines", cut_at::line, file_content::text, how), line_reader{});
}

/// Reads words, which spaces, tabs and ends of lines separate, as string_views. Collective.
inline auto read_words(const std::string& path, const file_options& how = {}) {
  using namespace detail;
  refuse_skip_bad("read_words", how.skip_bad, "any word fits");
  return open_file(path, use_of("read_words", cut_at::word, file_content::text, how), word_reader{});
}

/// Reads records of comma-separated values (RFC 4180: fields in quotes may contain separators, doubled quotes and ends of lines).
/// Collective.
///
///     struct sale { std::string town; std::optional<double> price; std::chrono::sys_days day; };
///
/// Columns are found by the names of the members, or by other names:
///
///     for (const sale& s : am::read_csv<sale>("sales.csv", {.header = true}).local()) use(s.town, 1, s.price.value_or(0));
///     am::read_csv<sale>("verkauf.csv", {.separator = ';', .decimal = ',', .columns = {"Ort", "Preis", "Tag"}});
///
/// **Items.** With an aggregate type, an item is an aggregate, whose members are the fields. With several types, it is a tuple.
/// Without types, it is a `std::vector<std::string_view>`. Views of fields are valid until the next step of the loop.
///
/// **Columns.** `columns` names the column of each field of an item. The file may have more columns, in any order. For an
/// aggregate, `header` alone selects the columns by the names of its members. Throws `usage_error` on all members if the first
/// record lacks one of the names, or has it twice. Without names, the fields are in the order of the file.
///
/// **Fields** are numbers, strings, `bool` (true, false, yes, no, 1, 0), dates and times (`std::chrono::sys_time`: 2026-11-30,
/// 2026-11-30T12:00:00.5, with Z or +01:00 at the end; without either, it is in UTC) and `std::optional` of these, which is empty
/// for an empty field and for those of `missing`. A string in quotes is always a value, also an empty
/// one if the file has more than one column.
///
/// **Errors.** A record with a different number of fields, or with a field that is not of its type, does not fit. Throws
/// `usage_error` on all members, with line and field, for a quote that is not around a whole field; `skip_bad` skips such a
/// record if it is one line.
template <class... T>
auto read_csv(const std::string& path, const file_options& how = {}) {
  using namespace detail;
  using reader = csv_reader<T...>;
  const file_use use = use_of("read_csv", how.quote == 0 ? cut_at::line : cut_at::record, file_content::table, how);
  require_distinct("read_csv", use.csv, how.decimal);
  std::vector<std::string> names = names_of_columns<T...>(how.columns, how.header);
  if constexpr (sizeof...(T) != 0)
    if (!names.empty()) require_names("read_csv", names.size(), count_fields<typename reader::value>());
  auto part = std::make_shared<file_part>(path, use);
  chosen_columns columns;
  bool mine = false;  // this member has the header
  if (how.header || !names.empty()) {
    const rank_t first = member_with_first_record(*part, use.csv);
    mine = part->members().rank() == first;
    if (!names.empty()) columns = choose_columns(*part, use.csv, std::move(names), first);
  }
  return file_range<reader>(std::move(part), reader(use.csv, mine, std::move(columns), rules_of(how)));
}

/// Reads an edge from each line: the numbers of two vertices, and with `read_edges<double>` a weight. Collective. Ignores the
/// rest of a line, and lines that begin with # or %. Throws `usage_error` on all members for a MatrixMarket or METIS file.
template <class W = void>
auto read_edges(const std::string& path, const file_options& how = {}) {
  using namespace detail;
  using reader =
      edge_reader<std::conditional_t<std::is_void_v<W>, edge, weighted_edge<std::conditional_t<std::is_void_v<W>, int, W>>>>;
  auto part = std::make_shared<file_part>(path, use_of("read_edges", cut_at::line, file_content::table, how));
  refuse_metis(*part);
  return file_range<reader>(std::move(part), reader{});
}

/// Reads elements as they are in memory. Collective. Also throws `usage_error` for a file that does not have a whole number of
/// them, and for one in a format of its own, such as those of `save` and NumPy.
template <class T>
  requires trivially_sendable<T>
binary_range<T> read_binary(const std::string& path, const team& members = {}) {
  const detail::file_use use{.operation = "read_binary",
                             .where = detail::cut_at::bytes,
                             .content = detail::file_content::elements,
                             .members = members,
                             .unit = sizeof(T)};
  return binary_range<T>(std::make_shared<detail::file_part>(path, use));
}

/// Writes the strings of all members, one in each line, in the order of the members. Collective; when it returns, the whole file
/// is written.
///
/// An existing file is replaced. Throws `usage_error` on all members if the file cannot be written. Throws `remote_error` on all
/// members for a string that contains the end of a line, and for what the range throws; the file is then unchanged.
template <class R>
  requires(!distributed_range<R> && std::ranges::input_range<R> &&
           std::convertible_to<std::ranges::range_reference_t<R>, std::string_view>)
void write_lines(const std::string& path, R&& lines, const team& members = {}) {
  std::string all;
  detail::failure why;
  try {
    for (const auto& line : lines) detail::append_line(all, std::string_view(line));
  } catch (const detail::passing&) { throw; } catch (...) {
    why.note();
  }
  detail::write_texts("write_lines", path, members, all, why);
}

/// Does the same, and writes `header` as the first line.
template <class R>
  requires(!distributed_range<R> && std::ranges::input_range<R> &&
           std::convertible_to<std::ranges::range_reference_t<R>, std::string_view>)
void write_lines(const std::string& path, std::string_view header, R&& lines, const team& members = {}) {
  std::string all;
  detail::failure why;
  try {
    if (detail::is_first(members)) detail::append_line(all, header);
    for (const auto& line : lines) detail::append_line(all, std::string_view(line));
  } catch (const detail::passing&) { throw; } catch (...) {
    why.note();
  }
  detail::write_texts("write_lines", path, members, all, why);
}

/// Writes the records of all members as comma-separated values, in the order of the members: aggregates, tuples, pairs or
/// arrays with fields as `read_csv` reads them (RFC 4180, but lines end in `\n`). Collective.
///
/// With `columns`, the first record has these names; for aggregates, `header` alone writes the names of the members. Numbers
/// have as many digits as distinguish them. Times are in UTC. An empty `std::optional` is the first string of `missing`, if
/// there is one, or an empty field. Otherwise as `write_lines`.
template <class R>
  requires(!distributed_range<R> && std::ranges::input_range<R> && detail::csv_record<std::ranges::range_value_t<R>>)
void write_csv(const std::string& path, R&& records, const file_options& how = {}) {
  const detail::csv_format format = detail::format_of(how);
  const detail::field_rules rules = detail::rules_of(how);
  detail::require_writable(format, how.decimal);
  std::string all = detail::header_record<std::ranges::range_value_t<R>>(how.columns, how.header, format);
  detail::failure why;
  try {
    if (!detail::is_first(how.members)) all.clear();
    for (const auto& record : records) detail::append_record(all, record, format, rules);
  } catch (const detail::passing&) { throw; } catch (...) {
    why.note();
  }
  detail::write_texts("write_csv", path, how.members, all, why);
}

/// Writes the words of all members, with a space between them, in lines of about 80 characters, as `read_words` reads them. Each
/// member begins a line. Otherwise as `write_lines`; a word must not be empty or contain white space.
template <class R>
  requires(!distributed_range<R> && std::ranges::input_range<R> &&
           std::convertible_to<std::ranges::range_reference_t<R>, std::string_view>)
void write_words(const std::string& path, R&& words, const team& members = {}) {
  std::string all;
  detail::failure why;
  try {
    detail::word_lines lines;
    for (const auto& word : words) lines.append(all, std::string_view(word));
  } catch (const detail::passing&) { throw; } catch (...) {
    why.note();
  }
  detail::write_texts("write_words", path, members, all, why);
}

/// Writes the elements of all members as they are in memory, in the order of the members. Otherwise as `write_lines`.
template <class R>
  requires(!distributed_range<R> && std::ranges::contiguous_range<R> && trivially_sendable<std::ranges::range_value_t<R>>)
void write_binary(const std::string& path, const R& elements, const team& members = {}) {
  const std::span all(std::ranges::data(elements), std::ranges::size(elements));
  detail::write_parts("write_binary", path, members, {reinterpret_cast<const char*>(all.data()), all.size_bytes()}, false);
}

}  // namespace armilla
