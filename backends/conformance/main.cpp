// SPDX-License-Identifier: Apache-2.0
/// armilla-network-conformance NETWORK.so [--bootstrap OTHER.so | --ranks N] [--holds] [--measure [--plain HELPER.so] [--part
/// 0.1]]
///
/// Loads a backend, joins the launcher's job or starts N ranks on this host, and examines what armilla/fabric/network.hpp and
/// armilla/boot/host/bootstrap.hpp promise, or measures it (a part of the usual number of times). --holds: it must have memory
/// that needs nothing of its owner. It contains nothing of the library but these headers. Exit code 0: all is as promised.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "backends/conformance/checks.hpp"
#include "backends/conformance/forked.hpp"

int main(int argc, char** argv) {
  const char* path = nullptr;
  const char* boot_path = nullptr;
  const char* plain = nullptr;
  bool measured = false;
  bool holds = false;
  double part = 1;
  int ranks = 0;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--bootstrap") == 0 && i + 1 < argc)
      boot_path = argv[++i];
    else if (std::strcmp(argv[i], "--ranks") == 0 && i + 1 < argc)
      ranks = std::atoi(argv[++i]);
    else if (std::strcmp(argv[i], "--plain") == 0 && i + 1 < argc)
      plain = argv[++i];
    else if (std::strcmp(argv[i], "--part") == 0 && i + 1 < argc)
      part = std::strtod(argv[++i], nullptr);
    else if (std::strcmp(argv[i], "--measure") == 0)
      measured = true;
    else if (std::strcmp(argv[i], "--holds") == 0)
      holds = true;
    else
      path = argv[i];
  }
  if (path == nullptr || !(part > 0 && part <= 1)) {
    std::fprintf(
        stderr,
        "usage: %s NETWORK.so [--bootstrap OTHER.so | --ranks N] [--holds] [--measure [--plain HELPER.so] [--part 0.1]]\n",
        argv[0]);
    return 2;
  }
  conformance::joined j;
  j.open(path, boot_path, ranks > 0 ? conformance::fork_ranks(ranks) : nullptr);
  if (measured) {
    conformance::measure(j, plain, part);
  } else {
    conformance::check_bootstrap(j);
    conformance::check_quiet(j);
    if (holds && !j.net->holds()) j.fail("it holds no memory");
    conformance::check_held(j);
    conformance::traffic t(j);
    conformance::check_frames(j, t);
    conformance::check_bulk(j, t);
    t.settle();
  }
  if (j.rank == 0) std::printf("conformance: %d ranks, %s over %s: all as promised\n", j.ranks, j.boot->name(), j.net->version());
  std::fflush(stdout);
  j.close();
  return 0;
}
