// SPDX-License-Identifier: Apache-2.0
// A file that is written is whole, or the old one stays: each writer, whatever goes wrong.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "armilla/array.hpp"
#include "armilla/container/files/files_testing.hpp"
#include "armilla/files.hpp"

namespace am = armilla;
using namespace files_testing;

namespace {

constexpr std::size_t many = 200'000;

struct writer {
  const char* name;
  /// `n`: how many elements each rank writes, of 8 bytes and more.
  void (*write)(const std::string& path, std::size_t n);
};
const std::array<writer, 4> writers = {{
    {"write_lines",
     [](const std::string& path, std::size_t n) { am::write_lines(path, std::vector<std::string>(n, "a line of text")); }},
    {"write_words",
     [](const std::string& path, std::size_t n) { am::write_words(path, std::vector<std::string>(n, "longword")); }},
    {"write_binary", [](const std::string& path, std::size_t n) { am::write_binary(path, std::vector<double>(n, 1.0)); }},
    {"save",
     [](const std::string& path, std::size_t n) {
       am::array<double> x(n * std::size_t(am::ranks()), 1.0);
       x.save(path);
     }},
}};

/// What the file contains, the same on all ranks.
std::string contents(const std::string& path) {
  am::barrier();
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
bool exists(const std::string& path) {
  struct stat s{};
  return ::lstat(path.c_str(), &s) == 0;
}
/// On rank 0, before the others go on.
template <class F>
void prepare(F f) {
  am::barrier();
  if (am::rank() == 0) f();
  am::barrier();
}

}  // namespace

RANK_TEST(a_full_disk_leaves_the_old_file_and_no_other) {
  ::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit little{1'000'000, before.rlim_max};
  for (const writer& w : writers) {
    const text_file file("the old file\n");
    am::barrier();
    ::setrlimit(RLIMIT_FSIZE, &little);
    am::barrier();
    EXPECT_THROWS_SAYING(am::usage_error, "File too large; make room", w.write(file.path(), many));
    am::barrier();
    ::setrlimit(RLIMIT_FSIZE, &before);
    EXPECT_EQ(contents(file.path()), "the old file\n");
    EXPECT(!exists(file.path() + ".tmp"));
    w.write(file.path(), 10);
    EXPECT(contents(file.path()).size() >= 80);
    EXPECT(!exists(file.path() + ".tmp"));
  }
}

RANK_TEST(what_is_not_a_regular_file_is_not_replaced) {
  const text_file place("");
  const std::string fifo = place.path() + ".fifo";
  prepare([&] { EXPECT_EQ(::mkfifo(fifo.c_str(), 0600), 0); });
  const std::pair<std::string, const char*> kinds[] = {
      {fifo, "it is a FIFO"},
      {"/dev/null", "it is a device"},
      {"/tmp", "it is a directory"},
      {"", "the name is empty"},
      {place.path() + std::string("\0x", 2), "the name contains a NUL"},
      {"/no/such/folder/file", "No such file or directory"},
  };
  for (const auto& [path, why] : kinds)
    for (const writer& w : writers) {
      EXPECT_THROWS_SAYING(am::usage_error, why, w.write(path, 3));
      EXPECT(path.find('\0') != path.npos || !exists(path + ".tmp"));
    }
  prepare([&] { ::unlink(fifo.c_str()); });
}

RANK_TEST(a_link_is_followed_and_rights_are_kept) {
  for (const writer& w : writers) {
    const text_file file("old");
    const std::string link = file.path() + ".link";
    prepare([&] {
      EXPECT_EQ(::symlink(file.path().c_str(), link.c_str()), 0);
      EXPECT_EQ(::chmod(file.path().c_str(), 0640), 0);
    });
    w.write(link, 3);
    struct stat s{}, of_link{};
    EXPECT_EQ(::stat(file.path().c_str(), &s), 0);
    EXPECT_EQ(::lstat(link.c_str(), &of_link), 0);
    EXPECT(S_ISLNK(of_link.st_mode));
    EXPECT_EQ(s.st_mode & 07777, 0640U);
    EXPECT(contents(file.path()).size() > 20);
    prepare([&] { ::unlink(link.c_str()); });
  }
}

RANK_TEST(a_file_that_may_not_be_written_is_not_replaced) {
  if (::geteuid() == 0) return;  // root may write to all files
  for (const writer& w : writers) {
    const text_file file("old");
    prepare([&] { EXPECT_EQ(::chmod(file.path().c_str(), 0440), 0); });
    EXPECT_THROWS_SAYING(am::usage_error, "Permission denied", w.write(file.path(), 3));
    EXPECT_EQ(contents(file.path()), "old");
  }
}

RANK_TEST(two_jobs_that_write_to_one_path_do_not_mix) {
  for (const writer& w : writers) {
    const text_file file("old");
    const std::string beside = file.path() + ".tmp";
    int held = -1;
    prepare([&] {
      held = ::open(beside.c_str(), O_CREAT | O_WRONLY, 0600);
      EXPECT_EQ(::flock(held, LOCK_EX), 0);
      EXPECT_EQ(::write(held, "half", 4), 4);
    });
    EXPECT_THROWS_SAYING(am::usage_error, "another job writes '", w.write(file.path(), 3));
    EXPECT_EQ(contents(beside), "half");
    EXPECT_EQ(contents(file.path()), "old");
    prepare([&] { ::close(held); });  // as the job that dies
    w.write(file.path(), 3);
    EXPECT(contents(file.path()) != "old");
    EXPECT(!exists(beside));
  }
}

RANK_TEST(a_link_in_the_place_of_the_new_file_is_not_followed) {
  for (const writer& w : writers) {
    const text_file file("old");
    const std::string beside = file.path() + ".tmp", victim = file.path() + ".victim";
    prepare([&] {
      std::ofstream(victim) << "of another";
      EXPECT_EQ(::symlink(victim.c_str(), beside.c_str()), 0);
    });
    EXPECT_THROWS_SAYING(am::usage_error, "cannot be written beside it", w.write(file.path(), 3));
    EXPECT_EQ(contents(victim), "of another");
    EXPECT_EQ(contents(file.path()), "old");
    prepare([&] { ::unlink(beside.c_str()), ::unlink(victim.c_str()); });
  }
}
