// SPDX-License-Identifier: Apache-2.0
#include "armilla/base/host/regular_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace armilla::detail {
namespace {

ssize_t read_some(int file, char* to, std::size_t n) noexcept {
  for (;;) {
    const ssize_t got = ::read(file, to, n);
    if (got >= 0 || errno != EINTR) return got;
  }
}

/// Opens the file and looks at its kind. A FIFO has no writer to wait for with O_NONBLOCK, and a terminal does not become ours.
regular_file open_named(const std::string& path) {
  regular_file f;
  f.wrong = text_of_bad_name(path);
  if (!f.wrong.empty()) return f;
  struct stat s{};
  f.file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (f.file < 0) {
    const int error = errno;  // ENXIO: a socket
    f.wrong = ::stat(path.c_str(), &s) == 0 && !S_ISREG(s.st_mode) ? text_of_file_kind(s) : text_of_errno(error);
    return f;
  }
  f.wrong = ::fstat(f.file, &s) != 0 ? text_of_errno(errno) : text_of_file_kind(s);
  f.bytes = std::uint64_t(s.st_size);
  f.changed_s = s.st_mtim.tv_sec, f.changed_ns = s.st_mtim.tv_nsec;
  return f;
}

void close(regular_file& f) noexcept {
  if (f.file >= 0) ::close(f.file);
  f.file = -1;
}

}  // namespace

std::string text_of_file_kind(const struct stat& status) {
  if (S_ISREG(status.st_mode)) return {};
  if (S_ISDIR(status.st_mode)) return "it is a directory; give the name of a file";
  const char* const kind = S_ISFIFO(status.st_mode) ? "a FIFO" : S_ISSOCK(status.st_mode) ? "a socket" : "a device";
  return std::string("it is ") + kind + ", not a regular file; give the name of a regular file";
}

std::string text_of_bad_name(const std::string& path) {
  if (path.empty()) return "the name is empty; give the name of a file";
  if (path.find('\0') != path.npos) return "the name contains a NUL; give a name without one";
  return {};
}

std::string text_of_errno(int error, const char* otherwise) {
  const char* what = otherwise;
  if (error == ENOSPC || error == EDQUOT || error == EFBIG) what = "make room, or give a path with more of it";
  if (error == EIO) what = "the disk is failing";
  return std::strerror(error) + std::string("; ") + what;
}

regular_file open_regular(const std::string& path) {
  regular_file f = open_named(path);
  char first = 0;
  if (f.wrong.empty() && f.bytes == 0 && ::pread(f.file, &first, 1, 0) == 1)
    f.wrong = "it has contents but no size, as files of /proc do; copy it to a regular file first";
  if (!f.wrong.empty()) close(f);
  return f;
}

namespace {
constexpr const char* changed = "it changed while it was read; read it when nothing writes to it";
}

std::string text_of_change(const regular_file& since) {
  struct stat now{};
  if (::fstat(since.file, &now) != 0) return text_of_errno(errno);
  const bool same = std::uint64_t(now.st_size) == since.bytes && now.st_mtim.tv_sec == since.changed_s &&
                    now.st_mtim.tv_nsec == since.changed_ns;
  return same ? "" : changed;
}

std::string read_at(int file, std::uint64_t from, std::size_t n, void* to) {
  constexpr std::size_t most = std::size_t(1) << 30;  // Linux moves less than 2 GiB at once
  for (auto* at = static_cast<char*>(to); n != 0;) {
    const ssize_t got = ::pread(file, at, std::min(n, most), off_t(from));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return text_of_errno(errno);
    if (got == 0) return changed;
    at += got, from += std::uint64_t(got), n -= std::size_t(got);
  }
  return {};
}

write_target target_of(const std::string& path) {
  write_target t{path, false, 0, text_of_bad_name(path)};
  if (!t.wrong.empty()) return t;
  struct stat there{};
  if (::lstat(path.c_str(), &there) == 0 && S_ISLNK(there.st_mode)) {
    const std::unique_ptr<char, decltype(&std::free)> resolved(::realpath(path.c_str(), nullptr), &std::free);
    if (resolved == nullptr) return t.wrong = text_of_errno(errno), t;
    t.name = resolved.get();
  }
  t.replaces = ::stat(t.name.c_str(), &there) == 0;
  if (!t.replaces) return t;
  t.mode = there.st_mode & 07777;
  t.wrong = text_of_file_kind(there);
  if (t.wrong.empty() && ::faccessat(AT_FDCWD, t.name.c_str(), W_OK, AT_EACCESS) != 0) t.wrong = text_of_errno(errno);
  return t;
}

std::optional<std::string> read_all(int file, std::size_t most, std::string& wrong) {
  std::string all;
  char some[4096];
  for (ssize_t got = 1; got != 0;) {
    got = read_some(file, some, sizeof some);
    if (got < 0) return wrong = text_of_errno(errno), std::nullopt;
    all.append(some, std::size_t(got));
    if (all.size() > most) return wrong = "it has more than " + std::to_string(most) + " bytes; give another file", std::nullopt;
  }
  return all;
}

std::optional<std::string> read_small_file(const std::string& path, std::size_t most, std::string& wrong) {
  regular_file f = open_named(path);
  wrong = f.wrong;
  std::optional<std::string> all = wrong.empty() ? read_all(f.file, most, wrong) : std::nullopt;
  close(f);
  return all;
}

}  // namespace armilla::detail
