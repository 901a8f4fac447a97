// SPDX-License-Identifier: Apache-2.0
/// ofi_signals_test LIBRARY.so: the program's handlers of signals are as they were when the backend is loaded and opened,
/// although libraries of libfabric's providers set their own. Exit code 0: all is as promised.
#include <signal.h>

#include <cstdio>
#include <cstring>

#include "backends/conformance/loaded.hpp"

namespace {

constexpr int signals[] = {SIGILL, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGTERM, SIGINT};

void own(int) {}

int changed(const char* when) {
  int count = 0;
  for (const int each : signals) {
    struct sigaction now{};
    sigaction(each, nullptr, &now);
    if (now.sa_handler == (each == SIGTERM ? own : SIG_DFL)) continue;
    std::fprintf(stderr, "%s: the handler of signal %d (%s) is not the program's\n", when, each, strsignal(each));
    ++count;
  }
  return count;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  for (const int each : signals) signal(each, each == SIGTERM ? own : SIG_DFL);
  const conformance::plugin& backend = conformance::load(argv[1]);
  int count = changed("loaded");
  conformance::network_settings settings;
  settings.listens_on = "lo";
  char why[512] = "";
  conformance::network* const net = backend.open(0, 1, settings, nullptr, why, sizeof why);
  if (net == nullptr) std::fprintf(stderr, "%s\n", why);
  count += changed("opened");
  if (net != nullptr) net->finish();
  delete net;
  return net == nullptr || count != 0 ? 1 : 0;
}
