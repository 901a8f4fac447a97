// SPDX-License-Identifier: Apache-2.0
#include "armilla/base/host/trusted_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace armilla::detail {
namespace {

/// A folder with another one in it and a file in that: "outer/inner/file".
class trusted : public testing::Test {
 protected:
  trusted() {
    mkdtemp(outer.data());
    outer = std::filesystem::canonical(outer);
    std::filesystem::create_directory(outer + "/inner");
    file = outer + "/inner/file";
    std::ofstream(file) << "text\n";
  }
  ~trusted() override { std::filesystem::remove_all(outer); }

  std::string wrong(const std::string& name) {
    std::string why;
    const std::string path = trusted_path(name, why);
    EXPECT_EQ(path.empty(), !why.empty()) << name;
    return why;
  }
  static void give_to_a_stranger(const std::string& name) { ASSERT_EQ(lchown(name.c_str(), 12345, gid_t(-1)), 0); }

  std::string outer = testing::TempDir() + "armilla_trusted_XXXXXX", file;
  const char* const demand = "must belong to this user or to root, and not everyone may write it";
};

TEST_F(trusted, a_file_of_this_user_is_and_goes_by_its_real_name) {
  std::string why;
  std::filesystem::create_symlink("inner", outer + "/link");
  EXPECT_EQ(trusted_path(file, why), file);
  EXPECT_EQ(trusted_path(outer + "/link/../link//./file", why), file);
  EXPECT_EQ(read_trusted_file(file, 100, why).value_or("none"), "text\n");
}

TEST_F(trusted, a_file_that_everyone_may_write_is_not) {
  chmod(file.c_str(), 0666);
  EXPECT_EQ(wrong(file), std::string("it ") + demand);
}

TEST_F(trusted, nor_one_in_a_folder_that_everyone_may_write_unless_it_is_sticky) {
  for (const std::string& folder : {outer + "/inner", outer}) {
    chmod(folder.c_str(), 0777);
    EXPECT_EQ(wrong(file), "the folder " + folder + " " + demand);
    chmod(folder.c_str(), 01777);
    EXPECT_EQ(wrong(file), "");
    chmod(folder.c_str(), 0755);
  }
}

TEST_F(trusted, nor_what_another_user_can_lead_elsewhere) {
  if (geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  std::filesystem::create_symlink(file, outer + "/link");
  EXPECT_EQ(wrong(outer + "/link"), "");
  give_to_a_stranger(outer + "/link");
  EXPECT_EQ(wrong(outer + "/link"), "the link " + outer + "/link must belong to this user or to root");
  give_to_a_stranger(outer + "/inner");
  EXPECT_EQ(wrong(file), "the folder " + outer + "/inner " + demand);
  ASSERT_EQ(chown((outer + "/inner").c_str(), 0, gid_t(-1)), 0);
  give_to_a_stranger(file);
  EXPECT_EQ(wrong(file), std::string("it ") + demand);
}

TEST_F(trusted, what_is_no_file_is_not_opened) {
  ASSERT_EQ(mkfifo((outer + "/fifo").c_str(), 0600), 0);
  EXPECT_EQ(wrong(outer + "/fifo"), "it is a FIFO, not a regular file; give the name of a regular file");
  EXPECT_EQ(wrong(outer + "/inner"), "it is a directory");
  std::filesystem::create_symlink("round", outer + "/round");
  std::string why;
  for (const std::string& name : {outer + "/none", file + "/none", outer + "/round"}) {
    EXPECT_EQ(trusted_path(name, why), "") << name;
    EXPECT_EQ(why, "") << name;
  }
}

TEST_F(trusted, a_long_file_is_refused) {
  std::string why;
  EXPECT_FALSE(read_trusted_file(file, 4, why));
  EXPECT_EQ(why, "it has more than 4 bytes; give another file");
  EXPECT_FALSE(read_trusted_file(outer + "/none", 4, why));
  EXPECT_EQ(why, "No such file or directory; the path must be good on every rank");
}

}  // namespace
}  // namespace armilla::detail
