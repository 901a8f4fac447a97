// SPDX-License-Identifier: Apache-2.0
// armilla-host: ranks without work of their own. They answer other ranks until the job ends, and load the shared libraries that
// those ask for, from the folders of ARMILLA_LIBRARIES:
//
//     ARMILLA_LIBRARIES=./plugins armilla-run -n 1 ./master : -n 3 armilla-host
//
// Paper: MRPC, section 4: "the other nodes remain idle waiting for an incoming request to dynamically load processor objects".
#include <armilla/armilla.hpp>

#include "tools/arguments/arguments.hpp"

namespace {

const armilla::tools::program description{
    .name = "armilla-host",
    .summary = "ranks without work of their own: they answer other ranks, and load libraries at their request.",
    .usage = "",
    .options = {},
    .more =
        "It takes no arguments. ARMILLA_LIBRARIES names the folders of the libraries:\n"
        "  ARMILLA_LIBRARIES=FOLDER[:FOLDER...] armilla-run -n 1 ./program : -n 3 armilla-host\n"};

}  // namespace

int main(int argc, char** argv) {
  if (!armilla::tools::parse_or_exit(description, argc, argv).empty())
    return armilla::tools::complain(description, "it takes no arguments");
  return armilla::run(argc, argv, [] {});  // the end of a job is a fence, which answers until all ranks have come to it
}
