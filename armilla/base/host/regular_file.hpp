// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

struct stat;

/// Files that a user names, opened so that nothing waits for a writer of a pipe and no device is taken for a file.
namespace armilla::detail {

/// Why `status` is not that of a regular file; empty if it is.
std::string text_of_file_kind(const struct stat& status);
/// Why no file can have this name: it is empty or contains a NUL; empty if one can.
std::string text_of_bad_name(const std::string& path);
/// What errno says, and what to do. `otherwise`: what to do unless there is no room or the disk is failing.
std::string text_of_errno(int error, const char* otherwise = "the path must be good on every rank");

/// A regular file that is open for reading; the caller closes it. `file` is -1 if `wrong` says why there is none.
struct regular_file {
  int file = -1;
  std::uint64_t bytes = 0;
  std::int64_t changed_s = 0, changed_ns = 0;
  std::string wrong;
};
/// Opens it. A file without a size that has contents, as in /proc, is refused too.
regular_file open_regular(const std::string& path);

/// Empty, or that the open file is not as it was when it was opened.
std::string text_of_change(const regular_file& since);
/// Reads the `n` bytes at `from`. Returns an empty string, or what is wrong; a file that ends before has changed.
std::string read_at(int file, std::uint64_t from, std::size_t n, void* to);

/// Where a file that is written goes, and what is there: behind a symbolic link, what the link names.
struct write_target {
  std::string name;
  bool replaces = false;  ///< a file that the process may write to
  unsigned mode = 0;      ///< its rights
  std::string wrong;      ///< why nothing can be written there
};
write_target target_of(const std::string& path);

/// What an open file holds from its offset on. Empty: `wrong` says why; also if it is longer than `most`.
std::optional<std::string> read_all(int file, std::size_t most, std::string& wrong);
/// All of a small file, which may be one of /proc. Empty: there is none, and `wrong` says why. `most`: longer files are refused.
std::optional<std::string> read_small_file(const std::string& path, std::size_t most, std::string& wrong);

}  // namespace armilla::detail
