// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "armilla/container/files/csv_record.hpp"
#include "armilla/container/files/packed_file.hpp"
#include "armilla/team.hpp"

namespace armilla::detail {

/// Where a file may be cut.
enum class cut_at { line, word, record, bytes };

/// What a reader takes a file for. A file that is something else is refused by its first bytes.
enum class file_content {
  elements,  ///< as in memory
  text,      ///< any
  table,     ///< lines or records
  market,    ///< MatrixMarket
};

/// How a file is read, alike on all members.
struct file_use {
  const char* operation = "";
  cut_at where = cut_at::line;
  file_content content = file_content::text;
  team members{};  ///< the empty one: all ranks
  bool skip_bad = false;
  csv_format csv{};      ///< of cut_at::record
  std::size_t unit = 1;  ///< of cut_at::bytes: the file is a whole number of them
  /// Memory of the caller for this rank's part of a file that is not compressed; see room_for_part. A part that does not fit is
  /// in memory of its own.
  std::span<char> room{};
};

/// The bytes of `room` in which a part of one of `ranks` fits, if no record is long.
std::size_t room_for_part(std::uint64_t file_size, rank_t ranks) noexcept;

/// This rank's part of a file, in memory.
class file_part {
 public:
  /// Collective.
  file_part(const std::string& path, const file_use& use);
  file_part(const file_part&) = delete;

  const char* begin() const noexcept { return memory_.at + begin_; }
  const char* end() const noexcept { return memory_.at + end_; }
  /// Of `begin()`, in the file; and how many bytes the whole file has.
  std::uint64_t offset() const noexcept { return read_from_ + begin_; }
  std::uint64_t file_size() const noexcept { return file_size_; }
  /// The file begins with this part.
  bool is_first() const noexcept { return use_.members.rank() == 0; }
  const team& members() const noexcept { return use_.members; }

  /// What is at `at` does not fit: throws a usage_error that names file and line, or counts it if such lines are skipped.
  /// `advice`: what to do about it; null: correct the line, or skip_bad.
  void complain(const char* at, std::string_view what, const char* advice = nullptr);
  std::size_t skipped() const noexcept { return skipped_; }
  const std::string& path() const noexcept { return path_; }
  /// The file is compressed; then sizes and offsets are those of its text.
  bool packed() const noexcept { return packed_; }

 private:
  struct opened;
  struct pages {
    char* at = nullptr;
    std::size_t bytes = 0;
    bool lent = false;  // by the caller
    pages() = default;
    pages(const pages&) = delete;
    ~pages();
  };
  void read_share(const opened& file);
  void read_and_count(const opened& file, std::size_t need);
  struct share_states {
    record_state before = record_state::begin, after = record_state::begin;
  };
  share_states states_of_share(const opened& file) const;
  void cut(const opened& file, share_states states);
  bool read_more(const opened& file);
  void unpack_share(const opened& file, compression kind);
  void append(pages& to, std::size_t& size, std::string_view bytes);
  std::size_t head_of_share(char before, record_state state) const;
  void give_heads(std::size_t head);
  bool reserve(pages& memory, std::size_t bytes);
  void skip_mark();
  void check_text();
  void check_records();
  void note(std::string_view wrong);
  std::uint64_t line_of(const char* at) const;

  std::string path_;
  file_use use_;
  pages memory_;
  std::size_t size_ = 0;             // of what is in memory_
  std::size_t begin_ = 0, end_ = 0;  // of the part, in memory_
  std::uint64_t read_from_ = 0, file_size_ = 0;
  std::string wrong_;
  std::size_t skipped_ = 0;
  bool packed_ = false;
  std::uint64_t lines_before_ = 0;       // if it is compressed
  std::optional<std::uint64_t> quotes_;  // in the share, if they were counted while it was read
  std::size_t counted_ = 0;              // where the share ends, in memory_
};

}  // namespace armilla::detail
