// SPDX-License-Identifier: Apache-2.0
// armilla-host: ranks without work of their own. They answer other ranks until the job ends, and load the shared libraries that
// those ask for, from the folders of ARMILLA_LIBRARIES:
//
//     ARMILLA_LIBRARIES=./plugins armilla-run -n 1 ./master : -n 3 armilla-host
//
// Paper: MRPC, section 4: "the other nodes remain idle waiting for an incoming request to dynamically load processor objects".
#include <cstdio>
#include <cstring>

#include <armilla/armilla.hpp>

int main(int argc, char** argv) {
  if (argc > 1) {
    const bool help = std::strcmp(argv[1], "--help") == 0 || std::strcmp(argv[1], "-h") == 0;
    std::fprintf(help ? stdout : stderr,
                 "armilla-host: idle ranks that load what other ranks ask for; it takes no arguments.\n"
                 "  ARMILLA_LIBRARIES=FOLDER[:FOLDER...] armilla-run -n 1 ./program : -n 3 armilla-host\n");
    return help ? 0 : 2;
  }
  return armilla::run(argc, argv, [] {});  // the end of a job is a fence, which answers until all ranks have come to it
}
