// SPDX-License-Identifier: Apache-2.0
// armilla-top: what the ranks of a running job do, live in the terminal or once.
//
//     armilla-top
//     armilla-top --once --json solver
//     armilla-top --serve
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>

#include <fmt/format.h>

#include "armilla/base/core/error_text.hpp"
#include "armilla/error.hpp"
#include "named_containers.hpp"
#include "show.hpp"
#include "tools/arguments/arguments.hpp"

namespace {

using namespace armilla::top;
using armilla::detail::method_rates;
using std::chrono::milliseconds;

struct wishes {
  bool once = false, json = false, waits = false, methods = false, containers = false;
  bool serve = false;
  int interval_ms = 1000, port = 0;
  std::string bind;
};

armilla::tools::program description(wishes& w) {
  using armilla::tools::into;
  return {
      .name = "armilla-top",
      .summary =
          "shows what the ranks of a running job of yours on this host do: messages and bytes a second, by rank and by "
          "method, waits, memory.",
      .usage = "[OPTIONS] [JOB]",
      .options = {{"--once", "", "Look for one interval, print that, and end", into(w.once)},
                  {"--json", "", "With --once: print one JSON object", into(w.json)},
                  {"--methods", "", "Begin with what comes in by method, as key m does; with --once, that table",
                   into(w.methods)},
                  {"--containers", "", "Begin with its containers and what it exposes, as key c does; with --once, that table",
                   into(w.containers)},
                  {"--waits", "", "Ask the ranks who waits for what, print that, and end", into(w.waits)},
                  {"--serve", "[PORT]", "Serve the same as a web page, and print its address; without PORT, any that is free",
                   [&w](const std::string& port) {
                     w.serve = true;
                     if (!port.empty()) into(w.port, 1, 65535)(port);
                   }},
                  {"--bind", "ADDRESS", "With --serve: reached at this address, also from other hosts (127.0.0.1)", into(w.bind)},
                  {"--interval", "MS", "Milliseconds between two looks (1000)", into(w.interval_ms, 10, 3'600'000)}},
      .more =
          "JOB: a process of the job, or the name of its program; without it, your only job. A number right behind --serve is "
          "the "
          "port.\n"
          "Keys: q ends, s sorts by the next column, m shows methods, c containers, w asks who waits for what.\n"};
}

/// Keys come one by one while it lives; a Ctrl-C leaves the terminal as any program's would.
class raw_keys {
 public:
  raw_keys() noexcept : set_(tcgetattr(STDIN_FILENO, &before_) == 0) {
    if (!set_) return;
    termios now = before_;
    now.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG);
    tcsetattr(STDIN_FILENO, TCSANOW, &now);
  }
  raw_keys(const raw_keys&) = delete;
  ~raw_keys() {
    if (set_) tcsetattr(STDIN_FILENO, TCSANOW, &before_);
  }
  /// The next key within that time, 'q' for Ctrl-C; 0: none came.
  char next(int ms) const noexcept {
    pollfd keys{STDIN_FILENO, POLLIN, 0};
    char key = 0;
    if (!set_) return std::this_thread::sleep_for(milliseconds(ms)), char(0);
    if (poll(&keys, 1, ms) <= 0 || read(STDIN_FILENO, &key, 1) != 1) return 0;
    return key == 3 ? 'q' : key;
  }

 private:
  termios before_{};
  bool set_;
};

std::size_t lines_of_terminal() noexcept {
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 3 ? size.ws_row - 1u : 10'000u;
}

// Samples are of the whole time, not of its first bundles.
constexpr int sample_every_ms = 100;

/// `wait(ms)` in parts, until it gives a key; the ranks are asked in between.
template <class Wait>
char wait_asking(method_rates& methods, int ms, Wait&& wait) {
  for (; ms > 0; ms -= sample_every_ms) {
    if (const char key = wait(std::min(ms, sample_every_ms)); key != 0) return key;
    methods.ask();
  }
  return 0;
}

void print_once(watcher& look, const wishes& w) {
  const auto nap = [](int ms) { return std::this_thread::sleep_for(milliseconds(ms)), char(0); };
  std::optional<method_rates> asked;
  std::optional<named_containers> containers;
  if (w.json || w.containers) containers.emplace(look.job());
  if (w.json || w.methods) {
    wait_asking(asked.emplace(look.job()), w.interval_ms, nap);
  } else {
    nap(w.interval_ms);
  }
  snapshot s = look.next();
  if (asked) s.methods = asked->rates();
  const bool all_answer = std::ranges::all_of(s.ranks, [](const rank_rates& r) { return r.last.known; });
  if (w.containers || (w.json && all_answer)) s.containers = containers_of(look.job());  // which waits for the other hosts
  if (containers) {
    containers->ask();
    containers->add_to(s.containers);
  }
  fmt::print("{}", w.json         ? text_of(json_of(s, true), 2) + "\n"
                   : w.methods    ? methods_table_of(s, s.methods.size() + 2)
                   : w.containers ? containers_table_of(s, s.containers.size() + 2)
                                  : table_of(s, order::rank, s.ranks.size() + 4));
}

void draw(const std::string& text) {
  fmt::print("\033[H\033[J{}", text);
  std::fflush(stdout);
}

// Until key m, or another that ends it: that one is returned.
char show_methods(watcher& look, const wishes& w, const raw_keys& keys) {
  method_rates asked(look.job());
  while (look.job().alive()) {
    const char key = wait_asking(asked, w.interval_ms, [&](int ms) { return keys.next(ms); });
    if (key != 0) return key == 'm' ? char(0) : key;
    snapshot s;
    s.job = look.job().summary();
    s.methods = asked.rates();
    draw(methods_table_of(s, lines_of_terminal()));
  }
  return 0;
}

// The same until key c.
char show_containers(watcher& look, const wishes& w, const raw_keys& keys) {
  snapshot s;
  named_containers asked(look.job());
  while (look.job().alive()) {
    s.job = look.job().summary();
    try {
      asked.ask();
      s.containers = containers_of(look.job());
      asked.add_to(s.containers);
    } catch (const armilla::timeout_error&) {}  // another host does not answer now: the last ones stay
    draw(containers_table_of(s, lines_of_terminal() - 1));
    if (const char key = keys.next(w.interval_ms); key != 0) return key == 'c' ? char(0) : key;
  }
  return 0;
}

// Until the next key.
void show_waits(const armilla::client& job, const raw_keys& keys) {
  draw(fmt::format("Who waits for what:\n{}\nAny key: back to the table.\n", job.who_waits()));
  while (job.alive() && keys.next(1000) == 0) {}
}

void watch(watcher& look, const wishes& w) {
  const raw_keys keys;
  order by = order::rank;
  if (w.methods && show_methods(look, w, keys) == 'q') return;
  if (w.containers && show_containers(look, w, keys) == 'q') return;
  for (snapshot s = look.next(); look.job().alive();) {
    snapshot sorted = s;
    sort_by(sorted.ranks, by);
    draw(table_of(sorted, by, lines_of_terminal()));
    char key = keys.next(w.interval_ms);
    if (key == 'm' || key == 'c') {
      key = key == 'm' ? show_methods(look, w, keys) : show_containers(look, w, keys);
      s = look.next();
    }
    if (key == 'q') return;
    if (key == 'w') show_waits(look.job(), keys);
    if (key == 's') by = order((int(by) + 1) % (int(order::memory) + 1));
    if (key == 0) s = look.next();
  }
  fmt::print("The job has ended.\n");
}

bool is_job(int process) {
  return std::ranges::any_of(armilla::jobs(), [&](const armilla::job_summary& job) { return job.process == process; });
}

// Becomes the program that serves the page. Returns if that cannot be: why.
std::string serve(const armilla::client& job, const wishes& w) {
#if defined(ARMILLA_PAGE_PROGRAM)
  std::error_code unknown;
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", unknown).parent_path();
  std::string found;  // beside this program where it was built
  for (const char* place : {"armilla-top-page", ARMILLA_PAGE_PROGRAM})
    if (found.empty() && access((folder / place).c_str(), X_OK) == 0) found = folder / place;
  if (found.empty())
    return fmt::format("{} is missing: install all of Armilla's programs", (folder / ARMILLA_PAGE_PROGRAM).string());
  const std::string process = std::to_string(job.process()), port = std::to_string(w.port), every = std::to_string(w.interval_ms);
  execl(found.c_str(), "armilla-top-page", process.c_str(), port.c_str(), w.bind.empty() ? "127.0.0.1" : w.bind.c_str(),
        every.c_str(), nullptr);
  return fmt::format("{} could not be started: {}", found, std::strerror(errno));
#else
  static_cast<void>(job), static_cast<void>(w);
  return "--serve: this armilla-top was built without cpp-httplib; install it (Debian: libcpp-httplib-dev) and build again";
#endif
}

}  // namespace

int main(int argc, char** argv) {
  wishes w;
  const armilla::tools::program self = description(w);
  const auto words = armilla::tools::parse_or_exit(self, argc, argv);
  if (words.size() > 1) return armilla::tools::complain(self, fmt::format("'{}' is too much", words[1]));
  if (w.serve && (w.once || w.waits)) return armilla::tools::complain(self, "--serve shows all of it, and goes on");
  if (w.port != 0 && words.empty() && is_job(w.port))
    return armilla::tools::complain(
        self, fmt::format("--serve {0} is a port; for the job of that process: armilla-top {0} --serve", w.port));
  if (!w.bind.empty() && !w.serve) return armilla::tools::complain(self, "--bind is for --serve");
  if (w.json && !w.once) return armilla::tools::complain(self, "--json is for --once");
  try {
    armilla::client job = armilla::attach(words.empty() ? "" : words[0]);
    if (w.waits) return fmt::print("{}", job.who_waits()), 0;
    if (w.serve) return fmt::print(stderr, "armilla-top: {}\n", serve(job, w)), 1;
    watcher look(std::move(job));
    w.once ? print_once(look, w) : watch(look, w);
  } catch (const armilla::error& why) {
    fmt::print(stderr, "armilla-top: {}\n", armilla::detail::without_prefix(why.what(), armilla::no_rank));
    return 1;
  }
  return 0;
}
