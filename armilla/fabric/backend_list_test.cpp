// SPDX-License-Identifier: Apache-2.0
#include "armilla/fabric/backend_list.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "armilla/fabric/backends.hpp"

namespace armilla::detail {
namespace {

namespace fs = std::filesystem;

/// A folder of backends that are none: their libraries are empty files.
class backend_list_test : public testing::Test {
 protected:
  backend_list_test() {
    for (const char* name : {"kin_a", "kin_b"}) unsetenv(name);
    fs::remove_all(root);
    fs::create_directories(root / "first");
    fs::create_directories(root / "second");
  }
  ~backend_list_test() override { fs::remove_all(root); }

  void put(const char* folder, const std::string& name, const char* says = nullptr) const {
    std::ofstream(root / folder / ("libarmilla-" + name + ".so")) << "no library";
    if (says != nullptr) std::ofstream(root / folder / ("libarmilla-" + name + ".backend")) << says;
  }
  std::vector<std::string> folders() const { return {root / "first", root / "second", root / "none"}; }
  std::vector<backend_entry> all() const { return list_backends(folders()); }
  std::string meant(const char* name) {
    problem.clear();
    const std::vector<backend_entry> found = all();
    const backend_entry* const one = named_backend(found, name, problem);
    return one != nullptr ? one->name : "";
  }

  const fs::path root = fs::temp_directory_path() / ("armilla-backends-" + std::to_string(getpid()));
  std::string problem;
};

TEST_F(backend_list_test, what_lies_in_the_folders_is_found_by_name_and_the_first_folder_counts) {
  put("second", "paper");
  put("first", "unix");
  put("second", "unix");
  std::ofstream(root / "first" / "libarmilla.so") << "the library itself";
  std::ofstream(root / "first" / "libarmilla-.so") << "no name";
  const std::vector<backend_entry> found = all();
  EXPECT_EQ(names_of(found), "paper, unix");
  EXPECT_EQ(found.at(1).file, root / "first" / "libarmilla-unix.so");
  EXPECT_EQ(names_of({}), "none");
}

TEST_F(backend_list_test, a_backend_that_says_nothing_of_itself_is_used_where_it_is_named) {
  put("first", "unix");
  EXPECT_EQ(meant("unix"), "unix");
  EXPECT_TRUE(usable_backends(all(), &backend_entry::between_hosts).empty());
  EXPECT_TRUE(usable_backends(all(), &backend_entry::joins).empty());
}

TEST_F(backend_list_test, the_best_is_tried_first) {
  put("first", "good", "between-hosts 10\n");
  put("first", "better", "# the best\n\nbetween-hosts 20\njoins 5\n");
  EXPECT_EQ(names_of(usable_backends(all(), &backend_entry::between_hosts)), "better, good");
  EXPECT_EQ(names_of(usable_backends(all(), &backend_entry::joins)), "better");
}

constexpr const char* a_of_kin = "kin pair\nbetween-hosts 10\nsign 1 variable kin_a the first is meant\n";
constexpr const char* b_of_kin = "kin pair\nbetween-hosts 10\nsign 2 variable kin_b the second is meant\n";

TEST_F(backend_list_test, of_one_kin_the_strongest_sign_decides) {
  put("first", "a", a_of_kin);
  put("first", "b", b_of_kin);
  setenv("kin_a", "", 1);
  EXPECT_EQ(meant("pair"), "a");
  setenv("kin_b", "1", 1);
  EXPECT_EQ(meant("pair"), "b");
  EXPECT_EQ(names_of(usable_backends(all(), &backend_entry::between_hosts)), "b");
  EXPECT_EQ(meant("a"), "a") << "it is named";
}

TEST_F(backend_list_test, without_a_sign_none_of_a_kin_is_meant) {
  put("first", "a", a_of_kin);
  put("first", "b", b_of_kin);
  EXPECT_EQ(meant("pair"), "");
  EXPECT_NE(problem.find("it means one of a, b, and nothing says which"), std::string::npos) << problem;
  EXPECT_TRUE(usable_backends(all(), &backend_entry::between_hosts).empty());
}

TEST_F(backend_list_test, a_symbol_of_the_program_is_a_sign) {
  const backend_entry e = read_backend_entry("sign 9 symbol malloc the program has memory\nsign 3 variable PATH it has a path\n");
  ASSERT_NE(sign_of(e), nullptr);
  EXPECT_EQ(sign_of(e)->text, "the program has memory");
  EXPECT_EQ(sign_of(read_backend_entry("sign 9 symbol armilla_no_such_symbol nothing\n")), nullptr);
}

TEST_F(backend_list_test, an_unknown_name_is_told_what_there_is) {
  put("first", "unix");
  EXPECT_EQ(meant("uxni"), "");
  EXPECT_EQ(problem,
            "there is no such fabric; built in are auto, shm, threads and loop, backends found: unix; did you mean unix?");
}

TEST_F(backend_list_test, a_line_that_is_none_is_named_and_the_backend_not_tried_by_itself) {
  for (const char* bad : {"between-hosts many", "joins", "kin", "sign 1 file x text", "sign 1 variable x", "colour red"})
    EXPECT_NE(read_backend_entry(bad).problem.find(std::string("'") + bad + "'"), std::string::npos) << bad;
  put("first", "odd", "between-hosts 10\ncolour red\n");
  EXPECT_NE(all().at(0).problem.find("libarmilla-odd.backend: 'colour red'"), std::string::npos);
  EXPECT_TRUE(usable_backends(all(), &backend_entry::between_hosts).empty());
}

TEST_F(backend_list_test, what_cannot_be_loaded_says_the_loaders_reason) {
  put("first", "unix");
  const backend loaded = load_backend("unix", folders());
  EXPECT_FALSE(loaded);
  EXPECT_NE(loaded.problem.find("libarmilla-unix.so cannot be loaded: "), std::string::npos) << loaded.problem;
  EXPECT_NE(loaded.problem.find("file too short"), std::string::npos) << loaded.problem;
}

TEST_F(backend_list_test, what_others_may_write_is_not_loaded) {
  put("first", "unix");
  fs::permissions(root / "first" / "libarmilla-unix.so", fs::perms::others_write, fs::perm_options::add);
  EXPECT_NE(load_backend("unix", folders()).problem.find("must belong to this user or to root"), std::string::npos);
}

}  // namespace
}  // namespace armilla::detail
