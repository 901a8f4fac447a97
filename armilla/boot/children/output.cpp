// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/children/output.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <new>
#include <string>

#include "armilla/base/values/clock.hpp"
#include "armilla/boot/host/units.hpp"
#include "armilla/error.hpp"

namespace armilla::detail {
namespace {

constexpr std::size_t longest_line = 1 << 20;  // a longer one is passed on in pieces
constexpr std::size_t room_bytes = std::size_t(256) << 10;
constexpr int pipe_bytes = 256 << 10;
constexpr int reads_in_turn = 4;                  // the others shall have their turn
constexpr std::size_t stdio_bytes = 4096;         // what is written for want of room is no prompt
constexpr std::uint64_t answer_ns = 100 * milli;  // a line without an end that stands so long is one

// A write says that a pipe has no reader any more. A handler, as what is ignored stays so in programs that are executed.
void outlive_readers() noexcept {
  struct sigaction how{};
  if (sigaction(SIGPIPE, nullptr, &how) != 0 || how.sa_handler != SIG_DFL) return;
  how = {};
  how.sa_handler = [](int) {};
  how.sa_flags = SA_RESTART;
  sigaction(SIGPIPE, &how, nullptr);
}

// Somebody may be there to answer.
bool has_input() noexcept {
  struct stat about{};
  return isatty(STDIN_FILENO) == 1 || (fstat(STDIN_FILENO, &about) == 0 && (S_ISFIFO(about.st_mode) || S_ISSOCK(about.st_mode)));
}

bool same_file(int a, int b) noexcept {
  struct stat first{}, second{};
  return fstat(a, &first) == 0 && fstat(b, &second) == 0 && first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

}  // namespace

output_lines::output_lines() : same_(same_file(STDOUT_FILENO, STDERR_FILENO)) {
  for (sink* const s : {&output_, &errors_}) {
    struct stat about{};
    if (fstat(s->to, &about) != 0) continue;
    s->pipe = S_ISFIFO(about.st_mode) || S_ISSOCK(about.st_mode);
    s->device = S_ISCHR(about.st_mode);
    // Opened once more, a pipe takes what it has room for, and those who share ours with us still wait.
    const std::string name = "/proc/self/fd/" + std::to_string(s->to);
    const int own = S_ISFIFO(about.st_mode) ? ::open(name.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY) : -1;
    if (own >= 0) s->to = own, s->pipe = false;
  }
}

output_lines::~output_lines() {
  for (auto& s : streams_)
    if (s.from >= 0) close(s.from);
  for (const sink* const s : {&output_, &errors_})
    if (s->to > STDERR_FILENO) close(s->to);
}

int output_lines::open_stream(sink& into, bool labelled, bool asks, const std::string& label) {
  int pipe_ends[2];
  if (pipe2(pipe_ends, O_CLOEXEC) != 0) return -1;
  add_stream(pipe_ends[0], into, labelled, asks, label);
  return pipe_ends[1];
}

void output_lines::add_stream(int from, sink& into, bool labelled, bool asks, const std::string& label) {
  fcntl(from, F_SETFL, O_NONBLOCK);
  fcntl(from, F_SETPIPE_SZ, pipe_bytes);  // refused: the usual one
  if (room_.empty()) room_.resize(room_bytes), outlive_readers();
  streams_.push_back({from, &into, labelled, asks, label});
}

void output_lines::take(int output, int errors, const std::string& label) {
  add_stream(output, output_, true, false, label);
  add_stream(errors, errors_, true, false, label);
}

output_lines::ends output_lines::open(const std::string& label) {
  ends e;
  e.output = open_stream(output_, true, false, label);
  if (e.output >= 0) e.errors = open_stream(errors_, true, false, label);
  if (e.errors < 0)
    throw_limit("start", std::string("no pipe for the output of a rank: ") + std::strerror(errno) +
                             "; raise ulimit -n or unset ARMILLA_LABEL");
  return e;
}

// One pipe for both, where both go to one file: the order of what a process writes stays.
output_lines::ends output_lines::open_plain(bool asks) noexcept try {
  asks = asks && has_input();
  ends e;
  if (!output_.device) e.output = open_stream(output_, false, asks, "");
  if (same_ && e.output >= 0)
    e.errors = fcntl(e.output, F_DUPFD_CLOEXEC, 0);
  else if (!errors_.device)
    e.errors = open_stream(errors_, false, asks, "");
  return e;
} catch (const std::bad_alloc&) { return {}; }

void output_lines::started(ends e) noexcept {
  if (e.output >= 0) close(e.output);
  if (e.errors >= 0) close(e.errors);
}

void output_lines::watch(std::vector<pollfd>& list) const {
  for (const auto& s : streams_)
    if (s.into->waiting.empty()) list.push_back({s.from, POLLIN, 0});
  for (const sink* const s : {&output_, &errors_})
    if (!s->waiting.empty()) list.push_back({s->to, POLLOUT, 0});
}

int output_lines::patience_ms() const noexcept {
  std::uint64_t until = never;
  for (const auto& s : streams_)
    if (s.is_prompt && s.into->waiting.empty()) until = std::min(until, s.since_ns + answer_ns);
  const std::uint64_t now = now_ns();
  return until == never ? -1 : until <= now ? 0 : int((until - now) / milli) + 1;
}

// A pipe that can be written to has room for PIPE_BUF bytes at least, so no such write waits.
void output_lines::write_out(sink& s) {
  std::size_t at = 0;
  while (at < s.waiting.size()) {
    std::size_t n = s.waiting.size() - at;
    if (s.pipe) {
      pollfd ready{s.to, POLLOUT, 0};
      if (poll(&ready, 1, 0) == 0) break;
      n = std::min(n, std::size_t(PIPE_BUF));
    }
    const ssize_t written = write(s.to, s.waiting.data() + at, n);
    if (written > 0) {
      at += std::size_t(written);
    } else if (written < 0 && errno == EAGAIN) {
      break;
    } else if (written == 0 || errno != EINTR) {
      s.closed = s.closed || errno == EPIPE;
      if (errno != EPIPE && s.failed == 0) s.failed = written == 0 ? ENOSPC : errno;
      at = s.waiting.size();  // a full disk, or no reader
    }
  }
  s.waiting.erase(0, at);
}

// Nobody reads there any more: the processes that write learn of it as they would from the file itself.
void output_lines::let_go(const sink& gone) {
  for (auto& s : streams_)
    if (s.into == &gone && s.from >= 0) close(s.from), s.from = -1;
}

void output_lines::pass_lines(stream& s, bool all) {
  std::string& out = s.into->waiting;
  std::size_t at = 0;
  if (s.labelled) {
    for (std::size_t end; (end = s.partial.find('\n', at)) != std::string::npos; at = end + 1)
      out.append(s.label).append(s.partial, at, end - at + 1);
  } else {
    at = s.partial.rfind('\n') + 1;  // 0 if there is none
    out.append(s.partial, 0, at);
  }
  s.partial.erase(0, at);
  if (!s.partial.empty() && (all || s.partial.size() > longest_line)) {
    out.append(s.label).append(s.partial).append(s.labelled ? "\n" : "");
    s.partial.clear();
  }
  s.is_prompt = s.is_prompt && !s.partial.empty();
  write_out(*s.into);
  if (s.into->closed) let_go(*s.into);
}

void output_lines::read_some(stream& s) {
  for (int i = 0; i < reads_in_turn && s.from >= 0 && s.into->waiting.empty(); ++i) {
    const ssize_t n = read(s.from, room_.data(), room_.size());
    if (n < 0) break;
    if (n == 0) {
      close(s.from);
      s.from = -1;
      break;
    }
    s.partial.append(room_.data(), std::size_t(n));
    s.is_prompt = s.asks && std::size_t(n) % stdio_bytes != 0;
    s.since_ns = s.is_prompt ? now_ns() : 0;
    pass_lines(s, false);
  }
  const bool stands = s.is_prompt && now_ns() >= s.since_ns + answer_ns;
  if ((stands || s.from < 0) && s.into->waiting.empty()) pass_lines(s, true);
}

void output_lines::forward() {
  for (sink* const s : {&output_, &errors_})
    if (!s->waiting.empty()) write_out(*s);
  for (auto& s : streams_)
    if (s.into->waiting.empty()) read_some(s);
  streams_.remove_if([](const stream& s) { return s.from < 0 && s.partial.empty(); });
}

bool output_lines::finish() {
  for (auto before = streams_.size() + 1; streams_.size() != before && !is_blocked();) {
    before = streams_.size();
    forward();
  }
  for (auto& s : streams_)
    if (s.into->waiting.empty()) pass_lines(s, true);
  if (is_blocked()) forward();
  return !is_blocked();
}

void output_lines::wait_beside(std::vector<pollfd> others) const {
  watch(others);
  poll(others.data(), nfds_t(others.size()), patience_ms());
}

}  // namespace armilla::detail
