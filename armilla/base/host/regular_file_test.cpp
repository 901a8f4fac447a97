// SPDX-License-Identifier: Apache-2.0
#include "armilla/base/host/regular_file.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

namespace {

using armilla::detail::open_regular;
using armilla::detail::read_small_file;

bool says(const std::string& text, const char* part) { return text.find(part) != text.npos; }

/// A name in the file system, removed at the end of the scope.
struct name {
  std::string path = "/tmp/armilla_regular_file_test." + std::to_string(::getpid());
  ~name() { std::remove(path.c_str()); }
};

void make_socket(const std::string& path) {
  const int s = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un at{};
  at.sun_family = AF_UNIX;
  std::strcpy(at.sun_path, path.c_str());
  EXPECT_EQ(::bind(s, reinterpret_cast<const sockaddr*>(&at), sizeof at), 0);
  ::close(s);
}

std::string refusal(const std::string& path) {
  const auto found = open_regular(path);
  if (found.file >= 0) ::close(found.file);
  EXPECT_TRUE(found.wrong.empty() == (found.file >= 0));
  return found.wrong;
}
std::string small_refusal(const std::string& path) {
  std::string wrong;
  EXPECT_TRUE(read_small_file(path, 1000, wrong).has_value() == wrong.empty());
  return wrong;
}

}  // namespace

TEST(regular_file, what_is_not_a_regular_file_is_refused_without_waiting) {
  const name fifo, socket;
  EXPECT_EQ(::mkfifo(fifo.path.c_str(), 0600), 0);
  EXPECT_TRUE(says(refusal(fifo.path), "it is a FIFO, not a regular file"));
  EXPECT_TRUE(says(small_refusal(fifo.path), "it is a FIFO, not a regular file"));
  std::remove(fifo.path.c_str());
  make_socket(socket.path);
  for (const auto& refused : {refusal, small_refusal}) {
    EXPECT_TRUE(says(refused(socket.path), "it is a socket"));
    EXPECT_TRUE(says(refused("/dev/zero"), "it is a device"));
    EXPECT_TRUE(says(refused("/dev/null"), "it is a device"));
    EXPECT_TRUE(says(refused("/tmp"), "it is a directory"));
    EXPECT_TRUE(says(refused("/no/such/file"), "No such file or directory"));
    EXPECT_TRUE(says(refused(""), "the name is empty"));
    EXPECT_TRUE(says(refused(std::string("/etc/hosts\0x", 12)), "the name contains a NUL"));
  }
}

TEST(regular_file, a_file_of_proc_is_read_whole_or_refused) {
  EXPECT_TRUE(says(refusal("/proc/self/status"), "it has contents but no size"));
  std::string wrong;
  const auto text = read_small_file("/proc/self/comm", 1000, wrong);
  EXPECT_TRUE(text && text->ends_with('\n') && text->size() > 1);
}

TEST(regular_file, regular_files_are_opened) {
  const name file;
  std::ofstream(file.path) << "12345";
  const auto found = open_regular(file.path);
  EXPECT_TRUE(found.file >= 0 && found.wrong.empty());
  EXPECT_EQ(found.bytes, 5U);
  ::close(found.file);
  std::string wrong;
  EXPECT_EQ(read_small_file(file.path, 5, wrong).value_or(""), "12345");
  EXPECT_TRUE(!read_small_file(file.path, 4, wrong) && says(wrong, "more than 4 bytes"));
  std::ofstream(file.path).close();
  EXPECT_EQ(refusal(file.path), "");
  EXPECT_EQ(read_small_file(file.path, 4, wrong).value_or("none"), "");
}

TEST(regular_file, a_piece_is_read_and_a_change_is_told) {
  const name file;
  std::ofstream(file.path) << "12345";
  const auto found = open_regular(file.path);
  char piece[3] = {};
  EXPECT_EQ(armilla::detail::read_at(found.file, 2, 3, piece), "");
  EXPECT_EQ(std::string(piece, 3), "345");
  EXPECT_TRUE(says(armilla::detail::read_at(found.file, 3, 3, piece), "it changed while it was read"));
  EXPECT_EQ(armilla::detail::text_of_change(found), "");
  std::ofstream(file.path, std::ios::app) << "6";
  EXPECT_TRUE(says(armilla::detail::text_of_change(found), "it changed while it was read"));
  ::close(found.file);
}
