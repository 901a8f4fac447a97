// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "armilla/base/error.hpp"

namespace armilla::detail {
namespace {

constexpr std::size_t longest_line = 1 << 20;  // a longer one is passed on in pieces

void write_all(int to, const char* from, std::size_t n) noexcept {
  while (n > 0) {
    const auto written = write(to, from, n);
    if (written < 0 && errno == EAGAIN) {
      pollfd ready{to, POLLOUT, 0};
      poll(&ready, 1, 1000);
    } else if (written < 0 && errno != EINTR) {
      return;
    } else if (written > 0) {
      from += written;
      n -= std::size_t(written);
    }
  }
}

}  // namespace

output_labels::~output_labels() {
  for (auto& s : streams_)
    if (s.from >= 0) close(s.from);
}

int output_labels::open_stream(const std::string& label, int to) {
  int pipe_ends[2];
  if (pipe2(pipe_ends, O_CLOEXEC) != 0)
    throw_limit("start", std::string("no pipe for the output of a rank: ") + std::strerror(errno) +
                             "; raise ulimit -n or leave ARMILLA_LABEL");
  fcntl(pipe_ends[0], F_SETFL, O_NONBLOCK);
  streams_.push_back({pipe_ends[0], to, label, {}});
  return pipe_ends[1];
}

output_labels::ends output_labels::open(const std::string& label) {
  ends e;
  e.output = open_stream(label, STDOUT_FILENO);
  e.errors = open_stream(label, STDERR_FILENO);
  return e;
}

void output_labels::started(ends e) noexcept {
  if (e.output >= 0) close(e.output);
  if (e.errors >= 0) close(e.errors);
}

void output_labels::watch(std::vector<pollfd>& list) const {
  for (const auto& s : streams_)
    if (s.from >= 0) list.push_back({s.from, POLLIN, 0});
}

void output_labels::pass_lines(stream& s, bool all) {
  std::string out;
  std::size_t at = 0;
  for (std::size_t end; (end = s.partial.find('\n', at)) != std::string::npos; at = end + 1)
    out.append(s.label).append(s.partial, at, end - at + 1);
  s.partial.erase(0, at);
  if (!s.partial.empty() && (all || s.partial.size() > longest_line)) {
    out.append(s.label).append(s.partial).append("\n");
    s.partial.clear();
  }
  write_all(s.to, out.data(), out.size());
}

void output_labels::read_some(stream& s) {
  char bytes[65536];
  ssize_t n = 1;
  for (int i = 0; i < 16 && (n = read(s.from, bytes, sizeof bytes)) > 0; ++i) {  // the others shall have their turn
    s.partial.append(bytes, std::size_t(n));
    pass_lines(s, false);
  }
  if (n == 0) {
    close(s.from);
    s.from = -1;
  }
}

void output_labels::forward() {
  for (auto& s : streams_)
    if (s.from >= 0) read_some(s);
}

void output_labels::finish() {
  forward();
  for (auto& s : streams_) pass_lines(s, true);
}

}  // namespace armilla::detail
