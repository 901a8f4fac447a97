// SPDX-License-Identifier: Apache-2.0
// What `armilla-top --serve` becomes: armilla-top-page PROCESS PORT ADDRESS INTERVAL. A program of its own, so that armilla-top
// does not need the HTTP library where no page is wanted.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "armilla/base/core/error_text.hpp"
#include "armilla/error.hpp"
#include "feed.hpp"
#include "web.hpp"

namespace {

using namespace armilla::top;

void warn(const web& page, const std::string& bind) {
  if (is_loopback(bind)) return;
  fmt::print(stderr,
             "armilla-top: warning: with --bind {}, other hosts reach this page, and what it shows travels unencrypted; whoever "
             "reads its address sees the job. Safer: without --bind, and from the other host ssh -L {}:127.0.0.1:{} THIS-HOST\n",
             bind, page.port(), page.port());
}

// Until a signal, or until the job has ended and the last page is closed.
void serve(feed& from, const web& page) {
  sigset_t ends;
  sigemptyset(&ends);
  for (const int each : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&ends, each);
  bool said = false;
  for (;;) {
    const timespec nap{0, 200'000'000};
    if (sigtimedwait(&ends, nullptr, &nap) > 0) return;
    if (!from.over()) continue;
    if (!said) fmt::print("The job has ended.{}\n", page.pages() > 0 ? " The page is served until it is closed." : "");
    std::fflush(stdout);
    said = true;
    if (page.pages() == 0) return;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return std::fputs("armilla-top-page: start it by armilla-top --serve\n", stderr), 2;
  sigset_t ends;  // before there are threads
  sigemptyset(&ends);
  for (const int each : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&ends, each);
  sigprocmask(SIG_BLOCK, &ends, nullptr);
  try {
    feed from(armilla::attach(argv[1]), std::chrono::milliseconds(std::atoi(argv[4])));
    const web page(from, argv[3], std::atoi(argv[2]));
    warn(page, argv[3]);
    fmt::print("{}\n", page.address());
    std::fflush(stdout);
    serve(from, page);
  } catch (const armilla::error& why) {
    fmt::print(stderr, "armilla-top: {}\n", armilla::detail::without_prefix(why.what(), armilla::no_rank));
    return 1;
  }
  return 0;
}
