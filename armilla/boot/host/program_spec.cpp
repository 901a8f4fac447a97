// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/host/program_spec.hpp"

#include <fcntl.h>
#include <limits.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "armilla/base/host/valgrind.hpp"

namespace armilla::detail {
namespace {

// By opening them: an emulator leads the link to the program then, and to itself where only its name is looked at.
bool same_file(const char* a, const char* b) {
  struct stat first{}, second{};
  const auto look = [](const char* name, struct stat& about) {
    const int file = open(name, O_PATH | O_CLOEXEC);
    const bool there = file >= 0 && fstat(file, &about) == 0;
    if (file >= 0) close(file);
    return there;
  };
  return look(a, first) && look(b, second) && first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

// Where there is no /proc: the name that the kernel was given, right as long as the working folder is the same.
std::string started_as() {
  const auto* const name = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  char path[PATH_MAX];
  return name != nullptr && realpath(name, path) != nullptr ? path : "/proc/self/exe";
}

std::string own_path() {
  constexpr const char* link = "/proc/self/exe";
  char path[4096];
  const auto n = readlink(link, path, sizeof path - 1);
  if (n <= 0) return started_as();
  path[n] = 0;
  // The file may have been replaced since. Under valgrind the link leads to valgrind, and reading it to the program.
  return under_valgrind() || same_file(path, link) ? path : link;
}

// As the kernel was given them: `main` may have changed its argv before `run`.
std::vector<std::string> own_arguments() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  const std::string all((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::vector<std::string> arguments;
  for (std::size_t at = 0, end; at < all.size(); at = end + 1) {
    end = std::min(all.find('\0', at), all.size());
    arguments.push_back(all.substr(at, end - at));
  }
  return arguments;
}

}  // namespace

program_spec this_program(int argc, char** argv) {
  program_spec self;
  self.path = own_path();
  self.arguments = own_arguments();
  if (self.arguments.empty() && argv != nullptr) self.arguments.assign(argv, argv + argc);
  if (self.arguments.empty()) self.arguments.push_back(self.path);
  return self;
}

}  // namespace armilla::detail
