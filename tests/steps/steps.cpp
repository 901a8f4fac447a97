// SPDX-License-Identifier: Apache-2.0
// How many instructions of this processor a statement, a question and a look that finds nothing take: counted one by one, by a
// parent that lets its child go on a step at a time. So a path that grows is seen where times are too noisy to tell.
//
//   steps            prints the counts
//   steps LIMITS     compares them with lines "name limit" of that file; exit code 1 if one is above
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "armilla/armilla.hpp"

namespace am = armilla;

namespace {

const std::vector<std::string> measured{"nothing", "statement", "question", "poll_empty", "statement_to_run"};
constexpr int warm_up = 64;

// Stops the child, if it is watched.
[[gnu::always_inline]] inline void mark() { asm volatile("int3" ::: "memory"); }

long taken = 0;

template <class F>
[[gnu::noinline]] void measure(F&& once) {
  for (int i = 0; i < warm_up; ++i) once();
  mark();
  once();
  mark();
}

int child(int argc, char** argv) {
  ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
  raise(SIGSTOP);
  return am::run(argc, argv, [] {
    measure([] {});
    am::set_aggregation(0);
    measure([] { am::async(0, [](long n) { taken += n; }, 1L); });
    am::fence();
    measure([] { taken += am::call(0, [](long n) { return n + 1; }, 1L).get(); });
    measure([] { am::poll(); });
    am::fence();
    am::set_aggregation(std::size_t{4096});
    measure([] { am::async(0, [](long n) { taken += n; }, 1L); });
    am::fence();
    return 0;
  });
}

// Instructions from one mark to the next.
long steps_of(pid_t watched) {
  for (long steps = 0;; ++steps) {
    int status = 0;
    if (ptrace(PTRACE_SINGLESTEP, watched, nullptr, nullptr) != 0 || waitpid(watched, &status, 0) < 0 || !WIFSTOPPED(status))
      return -1;
    siginfo_t why{};
    ptrace(PTRACE_GETSIGINFO, watched, nullptr, &why);
    if (WSTOPSIG(status) == SIGTRAP && why.si_code == SI_KERNEL) return steps;
  }
}

bool to_next_mark(pid_t watched) {
  for (int deliver = 0;;) {
    int status = 0;
    if (ptrace(PTRACE_CONT, watched, nullptr, deliver) != 0 || waitpid(watched, &status, 0) < 0 || !WIFSTOPPED(status)) return false;
    if (WSTOPSIG(status) == SIGTRAP) return true;
    deliver = WSTOPSIG(status);
  }
}

std::map<std::string, long> read_limits(const char* file) {
  std::map<std::string, long> limits;
  std::ifstream in(file);
  std::string name;
  for (long limit = 0; in >> name >> limit;) limits[name] = limit;
  return limits;
}

}  // namespace

int main(int argc, char** argv) {
  const pid_t watched = fork();
  if (watched == 0) {
    setenv("ARMILLA_RANKS", "1", 1);
    return child(1, argv);
  }
  const auto limits = argc > 1 ? read_limits(argv[1]) : std::map<std::string, long>{};
  int status = 0;
  if (waitpid(watched, &status, 0) < 0 || !WIFSTOPPED(status)) return std::fputs("steps: the system does not let a process be watched\n", stderr), 77;
  bool good = true;
  long nothing = 0;
  for (const std::string& name : measured) {
    const long steps = to_next_mark(watched) ? steps_of(watched) : -1;
    if (name == "nothing") {
      nothing = steps;
      continue;
    }
    const auto limit = limits.find(name);
    const bool above = steps < 0 || (limit != limits.end() && steps - nothing > limit->second);
    std::printf("%-18s %6ld instructions%s\n", name.c_str(), steps - nothing,
                limit == limits.end() ? "" : (", at most " + std::to_string(limit->second) + (above ? ": ABOVE" : "")).c_str());
    good = good && !above;
  }
  ptrace(PTRACE_CONT, watched, nullptr, nullptr);
  waitpid(watched, &status, 0);
  return good ? 0 : 1;
}
