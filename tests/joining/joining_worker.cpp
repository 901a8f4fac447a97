// SPDX-License-Identifier: Apache-2.0
// Joins the job of joining_server: takes tasks from rank 0 until it has had one above 99, and says so.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include <armilla/armilla.hpp>

#include "joining_methods.hpp"

namespace am = armilla;

namespace {

void work() {
  int had = 0;
  while (am::call<joining::next_task>(0).get() < 100) ++had;
  char folder[4096] = {};
  const char* const variable = std::getenv("JOINING_VARIABLE");
  std::printf("rank %d of program '%s' in %s with %s\n", int(am::rank()),
              std::string(am::program_name(am::this_program())).c_str(), getcwd(folder, sizeof folder) != nullptr ? folder : "?",
              variable != nullptr ? variable : "nothing");
  std::fflush(stdout);
  am::call<joining::say_done>(0, had).get();
}

}  // namespace

int main(int argc, char** argv) {
  am::on_join(work);
  return am::run(argc, argv, [] { return 1; });
}
