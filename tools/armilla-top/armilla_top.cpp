// SPDX-License-Identifier: Apache-2.0
// armilla-top: what the ranks of a running job do, live in the terminal or once.
//
//     armilla-top
//     armilla-top --once --json solver
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>

#include <fmt/format.h>

#include "armilla/base/core/error_text.hpp"
#include "armilla/error.hpp"
#include "rates.hpp"
#include "tools/arguments/arguments.hpp"

namespace {

using namespace armilla::top;
using armilla::detail::method_rate, armilla::detail::method_rates;
using steady = std::chrono::steady_clock;
using std::chrono::milliseconds;

struct wishes {
  bool once = false, json = false, waits = false, methods = false;
  int interval_ms = 1000;
};

armilla::tools::program description(wishes& w) {
  using armilla::tools::into;
  return {.name = "armilla-top",
          .summary =
              "shows what the ranks of a running job of yours on this host do: messages and bytes a second, by rank and by "
              "method, waits, memory.",
          .usage = "[OPTIONS] [JOB]",
          .options = {{"--once", "", "Look for one interval, print that, and end", into(w.once)},
                      {"--json", "", "With --once: print one JSON object", into(w.json)},
                      {"--methods", "", "Begin with what comes in by method, as key m does; with --once, that table",
                       into(w.methods)},
                      {"--waits", "", "Ask the ranks who waits for what, print that, and end", into(w.waits)},
                      {"--interval", "MS", "Milliseconds between two looks (1000)", into(w.interval_ms, 10, 3'600'000)}},
          .more =
              "JOB: a process of the job, or the name of its program; without it, your only job.\n"
              "Keys: q ends, s sorts by the next column, m shows methods or ranks, w asks who waits for what.\n"};
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

/// Looks one after the other, and what happened between two of them.
class watcher {
 public:
  explicit watcher(armilla::client job) : job_(std::move(job)), looks_(job_.look()) {}

  std::vector<rank_rates> next() {
    const auto now = steady::now();
    auto looks = job_.look();
    seconds_ = std::chrono::duration<double>(now - at_).count();
    auto rates = rates_of(looks_, looks, seconds_);
    looks_ = std::move(looks);
    at_ = now;
    return rates;
  }
  const armilla::client& job() const noexcept { return job_; }
  double seconds() const noexcept { return seconds_; }

 private:
  armilla::client job_;
  steady::time_point at_ = steady::now();
  std::vector<armilla::rank_look> looks_;
  double seconds_ = 0;
};

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
  std::vector<method_rate> methods;
  if (w.json || w.methods) {
    method_rates asked(look.job());
    wait_asking(asked, w.interval_ms, nap);
    methods = asked.rates();
  } else {
    nap(w.interval_ms);
  }
  const auto ranks = look.next();
  const armilla::job_summary job = look.job().summary();
  fmt::print("{}", w.json      ? json_of(job, ranks, methods, look.seconds())
                   : w.methods ? table_of(job, methods, methods.size() + 2)
                               : table_of(job, ranks, order::rank, ranks.size() + 3));
}

// Until key m, or another that ends it: that one is returned.
char show_methods(watcher& look, const wishes& w, const raw_keys& keys) {
  method_rates asked(look.job());
  while (look.job().alive()) {
    const char key = wait_asking(asked, w.interval_ms, [&](int ms) { return keys.next(ms); });
    if (key != 0) return key == 'm' ? char(0) : key;
    fmt::print("\033[H\033[J{}", table_of(look.job().summary(), asked.rates(), lines_of_terminal()));
    std::fflush(stdout);
  }
  return 0;
}

// Until the next key.
void show_waits(const armilla::client& job, const raw_keys& keys) {
  fmt::print("\033[H\033[JWho waits for what:\n{}\nAny key: back to the table.\n", job.who_waits());
  std::fflush(stdout);
  while (job.alive() && keys.next(1000) == 0) {}
}

void watch(watcher& look, const wishes& w) {
  const raw_keys keys;
  order by = order::rank;
  if (w.methods && show_methods(look, w, keys) == 'q') return;
  for (auto ranks = look.next(); look.job().alive();) {
    auto sorted = ranks;
    sort_by(sorted, by);
    fmt::print("\033[H\033[J{}", table_of(look.job().summary(), sorted, by, lines_of_terminal()));
    std::fflush(stdout);
    char key = keys.next(w.interval_ms);
    if (key == 'm') {
      key = show_methods(look, w, keys);
      ranks = look.next();
    }
    if (key == 'q') return;
    if (key == 'w') show_waits(look.job(), keys);
    if (key == 's') by = order((int(by) + 1) % (int(order::memory) + 1));
    if (key == 0) ranks = look.next();
  }
  fmt::print("The job has ended.\n");
}

}  // namespace

int main(int argc, char** argv) {
  wishes w;
  const armilla::tools::program self = description(w);
  const auto words = armilla::tools::parse_or_exit(self, argc, argv);
  if (words.size() > 1) return armilla::tools::complain(self, fmt::format("'{}' is too much", words[1]));
  if (w.json && !w.once) return armilla::tools::complain(self, "--json is for --once");
  try {
    armilla::client job = armilla::attach(words.empty() ? "" : words[0]);
    if (w.waits) return fmt::print("{}", job.who_waits()), 0;
    watcher look(std::move(job));
    w.once ? print_once(look, w) : watch(look, w);
  } catch (const armilla::error& why) {
    fmt::print(stderr, "armilla-top: {}\n", armilla::detail::without_prefix(why.what(), armilla::no_rank));
    return 1;
  }
  return 0;
}
