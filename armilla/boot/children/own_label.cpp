// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/children/own_label.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "armilla/boot/children/output.hpp"
#include "armilla/error.hpp"

namespace armilla::detail {
namespace {

struct two_ends {
  descriptor from, to;
  two_ends() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
      throw_limit("start", fmt::format("no pipe for the output of this rank: {}; raise ulimit -n or unset ARMILLA_LABEL",
                                       std::strerror(errno)));
    from.reset(ends[0]), to.reset(ends[1]);
  }
};

// What launchers have given to the rank, and wait for the end of.
void close_all_but(std::span<const int> kept) {
  std::vector<int> others;
  if (DIR* const folder = opendir("/proc/self/fd"); folder != nullptr) {
    while (const dirent* const entry = readdir(folder)) {
      const int fd = entry->d_name[0] == '.' ? STDOUT_FILENO : std::atoi(entry->d_name);
      if (fd != dirfd(folder) && fd != STDOUT_FILENO && fd != STDERR_FILENO && std::ranges::find(kept, fd) == kept.end())
        others.push_back(fd);
    }
    closedir(folder);
  }
  for (const int fd : others) close(fd);
}

[[noreturn]] void pass_on_lines(int output, int errors, int number) {
  for (const int each : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2}) std::signal(each, SIG_IGN);
  close_all_but(std::array{output, errors, number});
  rank_t mine = no_rank;
  ssize_t n = -1;
  while ((n = read(number, &mine, sizeof mine)) < 0 && errno == EINTR) {}
  const bool known = n == ssize_t(sizeof mine);
  output_lines lines;
  lines.take(output, errors, known ? fmt::format("[{}] ", mine) : "");
  for (std::vector<pollfd> list; lines.watch(list), !list.empty(); list.clear()) {
    poll(list.data(), nfds_t(list.size()), lines.patience_ms());
    lines.forward();
  }
  while (!lines.finish()) lines.wait_beside({});
  _exit(0);
}

}  // namespace

// By way of a child that ends at once: no rank shall find a child of its own that it has not started.
own_label::own_label() {
  two_ends output, errors, number;
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    if (fork() != 0) _exit(0);
    try {
      pass_on_lines(output.from.release(), errors.from.release(), number.from.get());
    } catch (...) { _exit(1); }
  }
  if (child < 0)
    throw_limit("start",
                fmt::format("no process that labels the output of this rank: {}; unset ARMILLA_LABEL", std::strerror(errno)));
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {}
  dup2(output.to.get(), STDOUT_FILENO);
  dup2(errors.to.get(), STDERR_FILENO);
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  number_ = std::move(number.to);
}

void own_label::tell(rank_t mine) noexcept {
  [[maybe_unused]] const auto n = write(number_.get(), &mine, sizeof mine);  // as a whole: it is short
  number_.reset(-1);
}

}  // namespace armilla::detail
