// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "armilla/base/host/regular_file.hpp"
#include "armilla/boot/host/descriptor.hpp"
#include "armilla/team.hpp"

namespace armilla::detail {

/// A file that the members of a team write together beside its name, and that gets the name when all is in it. So the name always
/// stands for a whole file, the old one or the new one.
///
/// The first member makes it and holds a lock on it: another job that writes to the same path at the same time is refused. A job
/// that died has left its file, which is removed.
class new_file {
 public:
  /// `verb`: in errors, "cannot save 'path'". `durable`: it is on the disk before it gets its name.
  new_file(const team& members, const char* operation, const char* verb, const std::string& path, bool durable);
  /// Removes the file unless it has its name.
  ~new_file();
  new_file(const new_file&) = delete;

  /// Collective: makes the file, with that many bytes.
  void open(std::uint64_t bytes);
  /// Nothing went wrong so far on this member.
  bool usable() const noexcept { return wrong_.empty(); }
  int number() const noexcept { return file_.get(); }
  void note(const std::string& wrong);
  /// Collective: what all have written is in the file.
  void end_data();
  /// Collective: with these first bytes, of the first member, it takes the place of the old file.
  void publish(std::span<const std::byte> first);

 private:
  bool is_first() const { return members_.rank() == 0; }
  void agree(const std::string& wrong) const;
  std::string make(std::uint64_t bytes);
  std::string open_locked(bool& made);
  std::string put_in_place(std::span<const std::byte> first);

  const team& members_;
  const char* operation_;
  const char* verb_;
  const std::string& path_;
  bool durable_;
  write_target target_;
  std::string temporary_;
  descriptor file_{-1};
  bool made_ = false;
  std::string wrong_;
};

/// How many bytes are read or written between two reports of progress.
inline constexpr std::size_t moved_at_once = std::size_t(16) << 20;

/// 0, or an error of errno. What is written counts as work done (`expect_work`).
int write_all(int file, const std::byte* from, std::uint64_t n, std::uint64_t to);

}  // namespace armilla::detail
