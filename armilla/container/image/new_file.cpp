// SPDX-License-Identifier: Apache-2.0
#include "armilla/container/image/new_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include <fmt/format.h>

#include "armilla/container/image/save_agreement.hpp"
#include "armilla/team/collectives/named_algorithm.hpp"

namespace armilla::detail {
namespace {

/// Errors that the file system reports late. A file system of another machine does so at each close.
int late_error(int file, bool durable) noexcept {
  if (durable) return ::fsync(file) != 0 ? errno : 0;
  const int copy = ::fcntl(file, F_DUPFD_CLOEXEC, 0);
  return copy < 0 || ::close(copy) != 0 ? errno : 0;
}

bool names_one_file(int file, const std::string& name) noexcept {
  struct stat mine{}, named{};
  return ::fstat(file, &mine) == 0 && ::lstat(name.c_str(), &named) == 0 && mine.st_ino == named.st_ino &&
         mine.st_dev == named.st_dev;
}

int sync_folder_of(const std::string& path) noexcept {
  const std::size_t slash = path.rfind('/');
  const descriptor names(
      ::open(slash == std::string::npos ? "." : path.substr(0, slash + 1).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return names.get() >= 0 && ::fsync(names.get()) != 0 && errno != EINVAL && errno != EBADF ? errno : 0;
}

}  // namespace

int write_all(int file, const std::byte* from, std::uint64_t n, std::uint64_t to) {
  while (n != 0) {
    const ssize_t put = ::pwrite(file, from, std::size_t(std::min<std::uint64_t>(n, moved_at_once)), off_t(to));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return errno;
    if (put == 0) return ENOSPC;
    from += put, to += std::uint64_t(put), n -= std::uint64_t(put);
    count_work(std::uint64_t(put));
  }
  return 0;
}

new_file::new_file(const team& members, const char* operation, const char* verb, const std::string& path, bool durable)
    : members_(members), operation_(operation), verb_(verb), path_(path), durable_(durable) {}

new_file::~new_file() {
  if (made_) ::unlink(temporary_.c_str());
}

void new_file::note(const std::string& wrong) {
  if (wrong_.empty()) wrong_ = wrong;
}

void new_file::agree(const std::string& wrong) const { agree_on_file(members_, operation_, verb_, path_, wrong); }

void new_file::open(std::uint64_t bytes) {
  target_ = target_of(path_);
  wrong_ = target_.wrong;
  temporary_ = target_.name + ".tmp";
  if (wrong_.empty() && is_first()) wrong_ = make(bytes);
  agree(wrong_);
  if (is_first()) return;
  file_.reset(::open(temporary_.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW));
  if (file_.get() < 0) wrong_ = text_of_errno(errno);
}

void new_file::end_data() {
  if (wrong_.empty())
    if (const int error = late_error(file_.get(), durable_); error != 0) wrong_ = text_of_errno(error);
  agree(wrong_);
}

void new_file::publish(std::span<const std::byte> first) { agree(is_first() ? put_in_place(first) : std::string()); }

std::string new_file::make(std::uint64_t bytes) {
  while (!made_)
    if (std::string wrong = open_locked(made_); !wrong.empty()) return wrong;
  if (target_.replaces && ::fchmod(file_.get(), target_.mode) != 0) return text_of_errno(errno);
  return ::ftruncate(file_.get(), off_t(bytes)) == 0 ? std::string() : text_of_errno(errno);
}

/// Makes the file and locks it. Removes one that no job holds; then nothing is made yet, nor if another job was quicker.
std::string new_file::open_locked(bool& made) {
  file_.reset(::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666));
  const bool fresh = file_.get() >= 0;
  if (!fresh && errno == EEXIST) {
    file_.reset(::open(temporary_.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (file_.get() < 0 && errno == ENOENT) return {};
  }
  if (file_.get() < 0 && errno == ENOENT) return text_of_errno(errno);
  if (file_.get() < 0) return fmt::format("'{}' cannot be written beside it: {}", temporary_, text_of_errno(errno));
  if (::flock(file_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    return fmt::format("another job writes '{}' now; give another name, or wait for it", temporary_);
  if (!names_one_file(file_.get(), temporary_)) return {};  // another job has given its file the name, or removed this one
  made = fresh;
  return fresh || ::unlink(temporary_.c_str()) == 0 ? std::string() : text_of_errno(errno);
}

std::string new_file::put_in_place(std::span<const std::byte> first) {
  if (const int error = write_all(file_.get(), first.data(), first.size(), 0); error != 0) return text_of_errno(error);
  if (!first.empty())
    if (const int error = late_error(file_.get(), durable_); error != 0) return text_of_errno(error);
  if (::rename(temporary_.c_str(), target_.name.c_str()) != 0) return text_of_errno(errno);
  made_ = false;
  const int error = durable_ ? sync_folder_of(target_.name) : 0;
  return error == 0 ? std::string() : text_of_errno(error);
}

}  // namespace armilla::detail
