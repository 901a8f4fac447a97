// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/wire_up/launcher_watch.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>

#include <fmt/format.h>

#include "armilla/base/core/helper_thread.hpp"
#include "armilla/boot/watch/failure_record.hpp"

namespace armilla::detail {
namespace {

constexpr unsigned others_speak_within_us = 500'000;
constexpr int most_ancestors = 8;  // scripts between a launcher and a rank; more is nonsense

std::string link_target(const std::string& link) {
  char text[64] = "";
  const auto n = readlink(link.c_str(), text, sizeof text - 1);
  return n > 0 ? std::string(text, std::size_t(n)) : std::string();
}

pid_t parent_of(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/status", pid));
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("PPid:")) return pid_t(std::stol(line.substr(5)));
  return 0;
}

bool reads(pid_t pid, const std::string& pipe) {
  const std::string folder = fmt::format("/proc/{}/fd", pid);
  DIR* const all = opendir(folder.c_str());
  if (all == nullptr) return false;
  bool found = false;
  while (const dirent* const entry = readdir(all)) {
    const std::string link = folder + "/" + entry->d_name;
    struct stat how{};
    found = found || (link_target(link) == pipe && lstat(link.c_str(), &how) == 0 && (how.st_mode & S_IRUSR) != 0);
  }
  closedir(all);
  return found;
}

std::string errors_of(pid_t pid) { return fmt::format("/proc/{}/fd/{}", pid, STDERR_FILENO); }

// The other ranks of the host see the launcher's end, too: the first one that notes it says it.
[[noreturn]] void end(job_block& job, rank_t self, int output) {
  const std::string text = "the launcher that started the job has ended, or cannot be reached any more";
  const bool first = record_failure(job, self, failure_kind::lost, 1, text);
  if (!first) usleep(others_speak_within_us);
  const std::string line = fmt::format("armilla: {}; the job was stopped\n", text);
  if (first && output >= 0) [[maybe_unused]]
    const auto written = write(output, line.data(), line.size());
  _exit(1);
}

bool over(const job_block& job, rank_t self) {
  return job.rank[self].stage.load(std::memory_order_acquire) == rank_stage::finished;
}

}  // namespace

int error_output_of_launcher() noexcept try {
  const std::string output = link_target(errors_of(getpid()));
  pid_t above = getppid();
  for (int i = 0; i < most_ancestors && above > 1 && output.starts_with("pipe:"); ++i, above = parent_of(above))
    if (reads(above, output)) return open(errors_of(above).c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY);
  return -1;
} catch (const std::exception&) { return -1; }

void watch_launcher(bootstrap& started, job_block& job, rank_t self, bool speaks) {
  const int parent = int(syscall(SYS_pidfd_open, getppid(), 0)), line = started.lifeline();
  if (parent < 0 && line < 0) return;
  int output = -1;
  if (speaks && (output = error_output_of_launcher()) < 0) output = STDERR_FILENO;
  start_helper_thread("launcher", [=, &job] {
    pollfd list[] = {{parent, POLLIN, 0}, {line, POLLRDHUP, 0}};
    while (poll(list, 2, -1) <= 0) {}
    if (!over(job, self)) end(job, self, output);
  }).detach();
}

}  // namespace armilla::detail
