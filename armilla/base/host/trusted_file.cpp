// SPDX-License-Identifier: Apache-2.0
#include "armilla/base/host/trusted_file.hpp"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <utility>

#include "armilla/base/host/descriptor.hpp"
#include "armilla/base/host/regular_file.hpp"

namespace armilla::detail {
namespace {

constexpr int most_links = 40;  // as the kernel follows
constexpr const char* demand = "must belong to this user or to root, and not everyone may write it";

// Whom this user namespace has no number for: in a container often root of the host, to whom its folders belong. Where all
// numbers are of users, the one that stands for them is, too.
std::optional<uid_t> nobody() {
  std::string wrong;
  const auto text = read_small_file("/proc/sys/kernel/overflowuid", 32, wrong);
  const auto map = read_small_file("/proc/self/uid_map", 65536, wrong);
  const uid_t number = text ? uid_t(std::strtoul(text->c_str(), nullptr, 10)) : uid_t(65534);
  std::istringstream ranges(map.value_or(""));
  for (std::uint64_t first, outside, count; ranges >> first >> outside >> count;)
    if (number >= first && number - first < count) return std::nullopt;
  return number;
}

bool is_ours(const struct stat& s) noexcept { return s.st_uid == 0 || s.st_uid == ::geteuid(); }
bool is_of_nobody(const struct stat& s) {
  static const std::optional<uid_t> number = nobody();
  return number == s.st_uid;
}
bool is_good_folder(const struct stat& s) {
  return (is_ours(s) || is_of_nobody(s)) && ((s.st_mode & S_IWOTH) == 0 || (s.st_mode & S_ISVTX) != 0);
}
bool is_good_file(const struct stat& s) noexcept { return is_ours(s) && (s.st_mode & S_IWOTH) == 0; }

/// Goes through a path, name by name.
class walk {
 public:
  explicit walk(const std::string& name) : rest_(name) {
    char folder[PATH_MAX];
    if (!name.starts_with('/')) {
      if (::getcwd(folder, sizeof folder) == nullptr) {
        missing();
        return;
      }
      rest_ = folder + ("/" + name);
    }
    enter_root();
  }

  trusted_file run() {
    while (!over_)
      if (const std::string name = next_name(); !name.empty()) step(name);
    return std::move(found_);
  }

 private:
  void enter_root() {
    found_.path.clear();
    enter(descriptor(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC)), "/");
  }

  std::string next_name() {
    while (rest_.starts_with('/')) rest_.erase(0, 1);
    const std::string name = rest_.substr(0, rest_.find('/'));
    rest_.erase(0, name.size());
    if (name.empty()) end("it is a directory");
    return name == "." ? "" : name;
  }

  void step(const std::string& name) {
    if (name == "..") {
      found_.path.erase(std::min(found_.path.rfind('/'), found_.path.size()));
      return enter(descriptor(::openat(folder_.get(), "..", O_PATH | O_DIRECTORY | O_CLOEXEC)), found_.path);
    }
    descriptor next(::openat(folder_.get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    struct stat s{};
    if (next.get() < 0 || ::fstat(next.get(), &s) != 0) return missing();
    if (S_ISLNK(s.st_mode)) return follow(next, s, name);
    found_.path += "/" + name;
    if (S_ISDIR(s.st_mode)) return enter(std::move(next), found_.path);
    if (rest_.find_first_not_of('/') != rest_.npos) return missing(ENOTDIR);
    take(name, s);
  }

  void enter(descriptor next, const std::string& name) {
    struct stat s{};
    if (next.get() < 0 || ::fstat(next.get(), &s) != 0) return missing();
    folder_ = std::move(next);
    if (!is_good_folder(s)) end("the folder " + (name.empty() ? "/" : name) + " " + demand);
  }

  void follow(const descriptor& link, const struct stat& s, const std::string& name) {
    char target[PATH_MAX];
    const ssize_t n = ::readlinkat(link.get(), "", target, sizeof target);
    if (n <= 0 || std::size_t(n) == sizeof target || ++links_ > most_links) return missing(ELOOP);
    if (!is_ours(s) && !is_of_nobody(s))
      return end("the link " + found_.path + "/" + name + " must belong to this user or to root");
    rest_ = std::string(target, std::size_t(n)) + rest_;
    if (target[0] == '/') enter_root();
  }

  // Opened once more, for reading: nobody else can have replaced it.
  void take(const std::string& name, const struct stat& before) {
    if (!S_ISREG(before.st_mode)) return end(text_of_file_kind(before));
    descriptor file(::openat(folder_.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    struct stat s{};
    if (file.get() < 0 || ::fstat(file.get(), &s) != 0) return missing();
    if (!is_good_file(s)) return end(std::string("it ") + demand);
    found_.file = file.release();
    end("");
  }

  void missing(int error = errno) {
    over_ = true;
    found_.there = error != ENOENT && error != ENOTDIR && error != ELOOP;
    found_.wrong = text_of_errno(error);
  }
  void end(std::string wrong) {
    over_ = found_.there = true;
    found_.wrong = std::move(wrong);
  }

  std::string rest_;   // names that are still to be followed
  descriptor folder_;  // where it begins
  int links_ = 0;
  bool over_ = false;
  trusted_file found_;
};

}  // namespace

trusted_file open_trusted(const std::string& name) {
  trusted_file bad;
  bad.wrong = text_of_bad_name(name);
  return bad.wrong.empty() ? walk(name).run() : bad;
}

std::string trusted_path(const std::string& name, std::string& wrong) {
  const trusted_file f = open_trusted(name);
  const descriptor file(f.file);
  wrong = f.there ? f.wrong : "";
  return f.file < 0 ? "" : f.path;
}

std::optional<std::string> read_trusted_file(const std::string& name, std::size_t most, std::string& wrong) {
  const trusted_file f = open_trusted(name);
  const descriptor file(f.file);
  wrong = f.wrong;
  return wrong.empty() ? read_all(file.get(), most, wrong) : std::nullopt;
}

}  // namespace armilla::detail
