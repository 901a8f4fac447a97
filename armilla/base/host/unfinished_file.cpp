// SPDX-License-Identifier: Apache-2.0
#include "armilla/base/host/unfinished_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

namespace armilla::detail {

unfinished_file::unfinished_file(const std::string& name)
    : target_(target_of(name)), temporary_(target_.name + "." + std::to_string(::getpid()) + ".tmp") {
  if (!target_.wrong.empty()) return;
  const auto make = [&] { return ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666); };
  file_ = make();
  // One that died had this number.
  if (file_ < 0 && errno == EEXIST && ::unlink(temporary_.c_str()) == 0) file_ = make();
  if (file_ < 0 || (target_.replaces && ::fchmod(file_, target_.mode) != 0)) note(errno);
}

unfinished_file::~unfinished_file() {
  if (file_ < 0) return;
  ::close(file_);
  ::unlink(temporary_.c_str());
}

void unfinished_file::note(int error) noexcept {
  if (target_.wrong.empty()) target_.wrong = text_of_errno(error, "name a file in a folder that exists and may be written to");
}

void unfinished_file::write(std::string_view text) noexcept {
  while (!text.empty() && wrong().empty()) {
    const ssize_t put = ::write(file_, text.data(), text.size());
    if (put < 0 && errno != EINTR) note(errno);
    if (put > 0) text.remove_prefix(std::size_t(put));
  }
}

void unfinished_file::finish() noexcept {
  if (!wrong().empty()) return;
  const int copy = ::fcntl(file_, F_DUPFD_CLOEXEC, 0);  // some file systems report errors when a file is closed
  if (copy < 0 || ::close(copy) != 0) return note(errno);
  if (::rename(temporary_.c_str(), target_.name.c_str()) != 0) return note(errno);
  ::close(std::exchange(file_, -1));
}

std::string write_whole_file(const std::string& name, std::string_view text) {
  unfinished_file file(name);
  file.write(text);
  file.finish();
  return file.wrong();
}

std::string text_of_unwritable(const std::string& name) { return unfinished_file(name).wrong(); }

}  // namespace armilla::detail
