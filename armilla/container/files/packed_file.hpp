// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

/// Compressed files. zlib and libzstd are loaded when the first such file is read or written: a program without one does not need
/// them. So is libdeflate, which is faster than zlib, where the system has it.
namespace armilla::detail {

enum class compression : std::uint8_t { none, gzip, zstd };

/// By the first bytes of a file.
compression compression_of(std::string_view first) noexcept;
compression compression_of(int file);
/// By the name of a file that is written: it ends in .gz or .zst.
compression compression_of_name(std::string_view path) noexcept;

/// A member's share of a text as frames of its own, which begin where frame_starts finds them. `wrong`: why there are none. The
/// first and the last member make a file of an empty text a whole one, too.
std::string packed_text(compression kind, std::string_view text, bool first, bool last, std::string& wrong);

/// For each rank where its frames begin: at the first frame at or after `step` times its number, or at the end of the file.
/// Frames are found where their headers lead from one to the next, as in files of zstd and bgzip; else the file is one.
std::vector<std::uint64_t> frame_starts(int file, std::uint64_t bytes, compression kind, std::uint64_t step, std::size_t ranks);

/// Unpacks the bytes [from, to) of a file, which are whole frames.
class packed_reader {
 public:
  packed_reader(int file, compression kind, std::uint64_t from, std::uint64_t to);
  ~packed_reader();
  packed_reader(const packed_reader&) = delete;

  bool done() const noexcept { return done_; }
  /// The next unpacked bytes, valid until the next call; empty at the end. `wrong`: what is wrong with the file.
  std::string_view next(std::string& wrong);
  /// Where in the file the last bytes come from.
  std::uint64_t position() const noexcept { return position_; }

  class unpacker;

 private:
  bool refill(std::string& wrong, std::size_t n);
  bool unpack_member(std::string& wrong);
  std::string_view next_of_member() noexcept;

  int file_;
  std::uint64_t at_, to_, position_ = 0;
  std::string in_, out_;
  std::string_view left_;
  bool full_ = false;  // the last step has filled out_, and there may be more without more input
  bool done_ = false;
  std::string cannot_;
  std::unique_ptr<unpacker> unpacker_;

  /// A member that was unpacked at once, and is returned in pieces.
  struct whole_member {
    std::unique_ptr<char[]> room{};
    std::size_t capacity = 0, bytes = 0, taken = 0;  // of the text
    std::uint64_t begin = 0, packed = 0;             // where it is in the file
  } member_;
  std::unique_ptr<void, void (*)(void*)> whole_{nullptr, nullptr};  // libdeflate's, while it can unpack the file
};

}  // namespace armilla::detail
