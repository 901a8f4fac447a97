// SPDX-License-Identifier: Apache-2.0
#include "armilla/library.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "armilla/error.hpp"

namespace {

using armilla::detail::find_library;
namespace files = std::filesystem;

class libraries : public testing::Test {
 protected:
  libraries() {
    char name[] = "/tmp/armilla-libraries-XXXXXX";
    root_ = files::canonical(mkdtemp(name));
    files::create_directories(root_ / "allowed/inner");
    files::create_directories(root_ / "allowed-too");
    for (const char* file : {"allowed/a.so", "allowed/inner/b.so", "secret.so", "allowed-too/c.so"})
      std::ofstream(root_ / file) << "x";
    files::create_symlink(root_ / "secret.so", root_ / "allowed/link.so");
    files::create_symlink(root_ / "allowed/a.so", root_ / "allowed/inner/back.so");
    files::create_symlink(root_, root_ / "allowed/up");
    files::create_symlink(root_ / "allowed", root_ / "alias");
  }
  ~libraries() override { files::remove_all(root_); }

  std::string folder(const char* name) const { return (root_ / name).string(); }
  std::string find(const std::string& name) const { return find_library(name, folder("allowed")); }
  std::string why_not(const std::string& name, const std::string& folders) const {
    try {
      return "found " + find_library(name, folders);
    } catch (const armilla::usage_error& e) { return e.what(); }
  }
  std::string why_not(const std::string& name) const { return why_not(name, folder("allowed")); }

  files::path root_;
};

TEST_F(libraries, are_found_in_the_folders_and_below) {
  EXPECT_EQ(find("a.so"), folder("allowed/a.so"));
  EXPECT_EQ(find("./inner/../a.so"), folder("allowed/a.so"));
  EXPECT_EQ(find("inner/b.so"), folder("allowed/inner/b.so"));
  EXPECT_EQ(find("inner/back.so"), folder("allowed/a.so"));  // a link that stays inside
  EXPECT_EQ(find_library("a.so", folder("alias")), folder("allowed/a.so"));
  EXPECT_EQ(find_library("c.so", "/nowhere::" + folder("allowed") + ":" + folder("allowed-too") + ":"),
            folder("allowed-too/c.so"));
}

TEST_F(libraries, that_lie_outside_are_refused) {
  for (const char* name : {"../secret.so", "inner/../../secret.so", "link.so", "up/secret.so", "../allowed-too/c.so"})
    EXPECT_NE(why_not(name).find("lies outside"), std::string::npos) << name << ": " << why_not(name);
  EXPECT_NE(why_not(folder("allowed/a.so")).find("absolute path"), std::string::npos);
  EXPECT_NE(why_not("none.so").find("in none of the folders"), std::string::npos);
  EXPECT_NE(why_not("inner").find("is not loaded: "), std::string::npos) << why_not("inner");  // a folder
  EXPECT_NE(why_not("").find("no file name"), std::string::npos);
  EXPECT_NE(why_not(std::string("a.so\0x", 6)).find("no file name"), std::string::npos);
  EXPECT_NE(why_not("a.so", "").find("names no folder"), std::string::npos);
  EXPECT_NE(why_not("a.so", ":").find("in none of the folders"), std::string::npos);  // the current folder is none
}

}  // namespace
