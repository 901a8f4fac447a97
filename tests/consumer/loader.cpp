// SPDX-License-Identifier: Apache-2.0
// A program of a user that is linked with libarmilla.so, and loads libraries which are linked with it, too.
#include <cstdio>
#include <cstring>

#include "tally.hpp"

int main(int argc, char** argv) {
  return armilla::run(argc, argv, [] {
    int result = 0;
    if (armilla::rank() == 0) {
      armilla::load_library(1, "libtally.so").get();
      armilla::remote<tally_api::tally> on_one = armilla::create<tally_api::make>(1, 40).get();
      const int sum = armilla::call<tally_api::add>(on_one, 2).get();
      bool caught = false;
      try {
        armilla::call<tally_api::refuse>(on_one, 1).get();
      } catch (const armilla::remote_error& why) { caught = why.rank() == 1 && std::strstr(why.text(), "no more") != nullptr; }
      std::printf("loader: %d from rank 1%s\n", sum, caught ? ", and an error of the library is caught" : "");
      result = sum == 42 && caught ? 0 : 1;
    }
    armilla::barrier();
    return result;
  });
}
