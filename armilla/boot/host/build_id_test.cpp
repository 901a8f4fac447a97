// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/host/build_id.hpp"

#include <elf.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

namespace armilla::detail {
namespace {

constexpr const char* said_before = "build id: ";

/// A copy of this program, whose linker's build id can be changed.
class copied_program {
 public:
  copied_program() : path_(testing::TempDir() + "armilla_build_id_" + std::to_string(getpid())) {
    std::ifstream file("/proc/self/exe", std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
    store();
  }
  ~copied_program() { std::filesystem::remove(path_); }
  copied_program(const copied_program&) = delete;

  /// False: the linker gave none.
  bool change_id_of_linker() {
    for (std::size_t at = 0; (at = bytes_.find(std::string("GNU\0", 4), at)) != std::string::npos; ++at) {
      Elf64_Nhdr note;
      if (at < sizeof note) continue;
      std::memcpy(&note, bytes_.data() + at - sizeof note, sizeof note);
      if (note.n_namesz != 4 || note.n_type != NT_GNU_BUILD_ID || note.n_descsz > 64) continue;
      bytes_[at + 4] = char(bytes_[at + 4] ^ 1);
      store();
      return true;
    }
    return false;
  }
  std::string say_build_id() const {
    FILE* const run = popen((path_ + " --gtest_also_run_disabled_tests --gtest_filter=build_id.DISABLED_is_said").c_str(), "r");
    std::string found;
    for (char line[256]; run != nullptr && std::fgets(line, sizeof line, run) != nullptr;)
      if (std::strncmp(line, said_before, std::strlen(said_before)) == 0) found = line + std::strlen(said_before);
    if (run != nullptr) pclose(run);
    return found;
  }

 private:
  void store() const {
    std::ofstream(path_, std::ios::binary).write(bytes_.data(), std::streamsize(bytes_.size()));
    std::filesystem::permissions(path_, std::filesystem::perms::owner_all);
  }
  std::string path_, bytes_;
};

// What the copies run.
TEST(build_id, DISABLED_is_said) { std::printf("%s%llu\n", said_before, (unsigned long long)build_id()); }

TEST(build_id, goes_with_the_program_and_not_with_its_file) {
  copied_program copy;
  EXPECT_EQ(copy.say_build_id(), std::to_string(build_id()) + "\n");
  if (!copy.change_id_of_linker()) GTEST_SKIP() << "the linker gives no build ids";
  const std::string other = copy.say_build_id();
  EXPECT_NE(other, "");
  EXPECT_NE(other, std::to_string(build_id()) + "\n");
}

}  // namespace
}  // namespace armilla::detail
