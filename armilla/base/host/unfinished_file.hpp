// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

#include "armilla/base/host/regular_file.hpp"

namespace armilla::detail {

/// A file that one process writes beside its name, and that gets the name when all is in it. So the name stands for a whole file,
/// the old one or the new one.
class unfinished_file {
 public:
  explicit unfinished_file(const std::string& name);
  /// Removes the file unless it is finished.
  ~unfinished_file();
  unfinished_file(const unfinished_file&) = delete;

  /// Nothing is written after an error.
  void write(std::string_view text) noexcept;
  /// Gives the file its name.
  void finish() noexcept;
  /// Why the file is not there; empty: nothing went wrong so far.
  const std::string& wrong() const noexcept { return target_.wrong; }

 private:
  void note(int error) noexcept;

  write_target target_;
  std::string temporary_;
  int file_ = -1;
};

/// Writes all of a file. Empty: done; else why not, and then the old file is there.
std::string write_whole_file(const std::string& name, std::string_view text);
/// Why a file of that name cannot be written; empty: it can.
std::string text_of_unwritable(const std::string& name);

}  // namespace armilla::detail
