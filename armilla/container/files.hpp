// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/team/team.hpp"
#include "armilla/wire/sendable.hpp"

/// Files that all ranks of a team read or write together, each its part.
///
///     for (std::string_view w : am::read_words("text.txt").local()) count.update(w, 1, std::plus<>{});
///
/// A rank's part is its share of the bytes, cut at the next boundary: each line, word or record belongs to the rank in whose
/// share it begins. Opening is collective: the part is read into memory there, and what fails on one rank (no such file, a file
/// that changes meanwhile) is a usage_error on all. `local()` then goes over the part without the file.
namespace armilla {

/// How a file is read; the same on all members.
struct file_options {
  team members{};         ///< the empty one: all ranks
  bool skip_bad = false;  ///< lines that do not fit are left out and counted in `skipped()`, else a usage_error in the loop
  bool header = false;    ///< read_csv: the first record names the columns, and is left out
  char separator = ',';   ///< read_csv
};

/// An edge as read from a file: two numbers of vertices.
struct edge {
  std::uint64_t from = 0, to = 0;
  friend bool operator==(const edge&, const edge&) = default;
};
/// And a weight.
template <class W>
struct weighted_edge {
  std::uint64_t from = 0, to = 0;
  W weight{};
  friend bool operator==(const weighted_edge&, const weighted_edge&) = default;
};

namespace detail {

/// Where a file may be cut.
enum class cut_at { line, word, record, bytes };

/// This rank's part of a file, in memory.
class file_part {
 public:
  /// Collective. `unit`: of cut_at::bytes, the file is a whole number of them.
  file_part(const char* operation, const std::string& path, const team& members, cut_at where, std::size_t unit = 1);
  file_part(const file_part&) = delete;
  ~file_part();

  const char* begin() const noexcept { return memory_ + begin_; }
  const char* end() const noexcept { return memory_ + end_; }
  /// Of `begin()`, in the file; and how many bytes the whole file has.
  std::uint64_t offset() const noexcept { return read_from_ + begin_; }
  std::uint64_t file_size() const noexcept { return file_size_; }
  bool is_first() const noexcept { return offset() == 0; }
  const team& members() const noexcept { return members_; }

  /// A line does not fit: throws a usage_error that names file and line, or counts it.
  void complain(const char* at, const std::string& what);
  std::size_t skipped() const noexcept { return skipped_; }
  void set_skip_bad(bool skip) noexcept { skip_bad_ = skip; }

 private:
  struct opened;
  void read_share(const opened& file, cut_at where);
  char quotes_before(const opened& file) const;
  void cut(const opened& file, cut_at where, char quoted);
  bool read_more(const opened& file);
  void reserve(std::size_t bytes);

  const char* operation_;
  std::string path_;
  team members_;
  char* memory_ = nullptr;
  std::size_t capacity_ = 0, size_ = 0;  // of memory_
  std::size_t begin_ = 0, end_ = 0;      // of the part, in memory_
  std::uint64_t read_from_ = 0, file_size_ = 0;
  int error_ = 0;
  std::size_t skipped_ = 0;
  bool skip_bad_ = false;
};

/// All of the next line of [at, end), without its end; `at` goes behind it.
std::string_view next_line(const char*& at, const char* end) noexcept;
std::string_view next_word(const char*& at, const char* end) noexcept;
/// The fields of the next record. Those in quotes that hold a doubled quote are rewritten into `room`. False: a quote is not
/// closed.
bool next_record(const char*& at, const char* end, char separator, std::vector<std::string_view>& fields,
                 std::vector<std::string>& room);

/// A field's value. False: it is none.
template <class T>
bool parse_field(std::string_view field, T& value) {
  if constexpr (std::is_arithmetic_v<T>) {
    while (!field.empty() && field.front() == ' ') field.remove_prefix(1);
    while (!field.empty() && field.back() == ' ') field.remove_suffix(1);
    if (!field.empty() && field.front() == '+') field.remove_prefix(1);
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    return error == std::errc{} && end == field.data() + field.size() && !field.empty();
  } else {
    value = T(field);
    return true;
  }
}

struct line_reader {
  using value = std::string_view;
  bool next(file_part& part, const char*& at, value& line) {
    if (at == part.end()) return false;
    line = next_line(at, part.end());
    return true;
  }
};
struct word_reader {
  using value = std::string_view;
  bool next(file_part& part, const char*& at, value& word) {
    word = next_word(at, part.end());
    return !word.empty();
  }
};

std::string text_of_bad_fields(std::size_t have, std::size_t wanted);
std::string text_of_bad_field(std::string_view field, std::size_t column);

/// Rows of a table of comma-separated values. Without types: the fields as texts.
template <class... T>
struct csv_reader {
  using value = std::conditional_t<sizeof...(T) == 0, std::vector<std::string_view>, std::tuple<T...>>;
  csv_reader(char between, bool with_header) : separator(between), header(with_header) {}
  char separator;
  bool header;

  bool next(file_part& part, const char*& at, value& row) {
    if (header && part.is_first() && at == part.begin() && at != part.end()) static_cast<void>(take(part, at));
    while (at != part.end()) {
      const char* const line = at;
      if (!take(part, at)) {
        part.complain(line, "a quote is not closed");
      } else if (fields_.size() == 1 && fields_[0].empty()) {
        continue;  // a blank line
      } else if constexpr (sizeof...(T) == 0) {
        row = fields_;
        return true;
      } else if (fields_.size() != sizeof...(T)) {
        part.complain(line, text_of_bad_fields(fields_.size(), sizeof...(T)));
      } else if (const std::size_t bad = parse(row, std::index_sequence_for<T...>{}); bad != sizeof...(T)) {
        part.complain(line, text_of_bad_field(fields_[bad], bad));
      } else {
        return true;
      }
    }
    return false;
  }

 private:
  bool take(file_part& part, const char*& at) { return next_record(at, part.end(), separator, fields_, room_); }
  /// The first field that is no value of its type, or their number.
  template <std::size_t... I>
  std::size_t parse(std::tuple<T...>& row, std::index_sequence<I...>) {
    std::size_t bad = sizeof...(T);
    static_cast<void>(((parse_field(fields_[I], std::get<I>(row)) || (bad = I, false)) && ...));
    return bad;
  }
  std::vector<std::string_view> fields_;
  std::vector<std::string> room_;
};

/// Two numbers and perhaps a weight a line; what begins with # or % is a comment.
template <class Edge>
struct edge_reader {
  using value = Edge;
  bool next(file_part& part, const char*& at, value& e) {
    while (at != part.end()) {
      const char* const line = at;
      const std::string_view text = next_line(at, part.end());
      const char* in = text.data();
      const std::string_view first = next_word(in, text.data() + text.size());
      if (first.empty() || first[0] == '#' || first[0] == '%') continue;
      bool good = parse_field(first, e.from) && parse_field(next_word(in, text.data() + text.size()), e.to);
      if constexpr (requires { e.weight; }) good = good && parse_field(next_word(in, text.data() + text.size()), e.weight);
      if (good && next_word(in, text.data() + text.size()).empty()) return true;
      part.complain(line, "'" + std::string(text) + "' is no edge");
    }
    return false;
  }
};

}  // namespace detail

/// What a rank has of a file that all ranks have opened, by `read_lines` and the like. A value that can be copied; its texts
/// point into memory that lives as long as a copy of it, or of `local()`, does.
template <class Reader>
class file_range {
 public:
  using value_type = typename Reader::value;

  /// One pass over this rank's part, from its beginning. Holds the memory.
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

  pass local() const { return pass(part_, reader_); }
  /// The ranks that have a part.
  const team& members() const noexcept { return part_->members(); }
  /// How many bad lines have been left out on this rank.
  std::size_t skipped() const noexcept { return part_->skipped(); }

  file_range(std::shared_ptr<detail::file_part> part, Reader reader) : part_(std::move(part)), reader_(std::move(reader)) {}

 private:
  std::shared_ptr<detail::file_part> part_;
  Reader reader_;
};

/// This rank's elements of a file of them.
template <class T>
class binary_range {
 public:
  using value_type = T;
  explicit binary_range(std::shared_ptr<detail::file_part> part) : part_(std::move(part)) {}

  std::span<const T> local() const noexcept {
    return {reinterpret_cast<const T*>(part_->begin()), std::size_t(part_->end() - part_->begin()) / sizeof(T)};
  }
  std::uint64_t size() const noexcept { return part_->file_size() / sizeof(T); }  ///< of the file
  std::uint64_t offset() const noexcept { return part_->offset() / sizeof(T); }   ///< of this rank's first element

 private:
  std::shared_ptr<detail::file_part> part_;
};

namespace detail {

template <class Reader>
file_range<Reader> open_file(const char* operation, const std::string& path, const file_options& how, cut_at where,
                             Reader reader) {
  auto part = std::make_shared<file_part>(operation, path, how.members, where);
  part->set_skip_bad(how.skip_bad);
  return {std::move(part), std::move(reader)};
}
void write_parts(const char* operation, const std::string& path, const team& members, const char* bytes, std::size_t size);

}  // namespace detail

/// Lines, as string_views without their ends (`\n` or `\r\n`; the last needs none). All members call it. Cost: the part is copied
/// once, from the file into memory. Errors: usage_error on all members for a file that cannot be read on one of them, differs
/// between them or changes meanwhile.
inline auto read_lines(const std::string& path, const file_options& how = {}) {
  return detail::open_file("read_lines", path, how, detail::cut_at::line, detail::line_reader{});
}
/// What stands between spaces, tabs and ends of lines. Else as `read_lines`.
inline auto read_words(const std::string& path, const file_options& how = {}) {
  return detail::open_file("read_words", path, how, detail::cut_at::word, detail::word_reader{});
}
/// Records of comma-separated values (RFC 4180: fields in quotes may hold separators, doubled quotes and ends of lines). With
/// types, `read_csv<std::string, int, double>(path)`: tuples; a record of other fields is a bad line. Without:
/// std::vector<std::string_view>. Views of fields are good until the loop's next step.
template <class... T>
auto read_csv(const std::string& path, const file_options& how = {}) {
  return detail::open_file("read_csv", path, how, detail::cut_at::record, detail::csv_reader<T...>(how.separator, how.header));
}
/// An edge a line, two numbers of vertices; `read_edges<double>` with a weight. Lines that begin with # or % are comments.
template <class W = void>
auto read_edges(const std::string& path, const file_options& how = {}) {
  using reader = detail::edge_reader<
      std::conditional_t<std::is_void_v<W>, edge, weighted_edge<std::conditional_t<std::is_void_v<W>, int, W>>>>;
  return detail::open_file("read_edges", path, how, detail::cut_at::line, reader{});
}
/// Elements as they lie in memory. Errors: also a file that is no whole number of them.
template <class T>
  requires trivially_sendable<T>
binary_range<T> read_binary(const std::string& path, const team& members = {}) {
  return binary_range<T>(std::make_shared<detail::file_part>("read_binary", path, members, detail::cut_at::bytes, sizeof(T)));
}

/// Writes the members' texts, each a line, in the order of the members; a file that is there is replaced. All members call it,
/// and know behind it that the whole file is written. Errors: usage_error on all members.
template <std::ranges::input_range R>
  requires std::convertible_to<std::ranges::range_reference_t<R>, std::string_view>
void write_lines(const std::string& path, R&& lines, const team& members = {}) {
  std::string all;
  for (const auto& line : lines) all.append(std::string_view(line)) += '\n';
  detail::write_parts("write_lines", path, members, all.data(), all.size());
}
/// The members' elements as they lie in memory, in the order of the members. Else as `write_lines`.
template <std::ranges::contiguous_range R>
  requires trivially_sendable<std::ranges::range_value_t<R>>
void write_binary(const std::string& path, const R& elements, const team& members = {}) {
  const std::span all(std::ranges::data(elements), std::ranges::size(elements));
  detail::write_parts("write_binary", path, members, reinterpret_cast<const char*>(all.data()), all.size_bytes());
}

}  // namespace armilla
