// SPDX-License-Identifier: Apache-2.0
// How many instructions of this processor a statement, a question and a look that finds nothing take: counted one by one, by a
// parent that lets its child go on a step at a time. So a path that grows is seen where times are too noisy to tell.
//
//   steps            prints the counts
//   steps LIMITS     compares them with lines "name limit" of that file; exit code 1 if one is above
#include <cstdio>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "armilla/armilla.hpp"
#include "watched.hpp"

namespace am = armilla;

namespace {

const std::vector<std::string> measured{"nothing", "statement", "question", "poll_empty", "statement_to_run"};
constexpr int warm_up = 64;

long taken = 0;

template <class F>
[[gnu::noinline]] void measure(F&& once) {
  for (int i = 0; i < warm_up; ++i) once();
  watched::mark();
  once();
  watched::mark();
}

int child(int argc, char** argv) {
  watched::begin_child();
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
long steps_of(pid_t child) {
  long steps = 0;
  return watched::step_to_mark(child, [&] { ++steps; }) ? steps : -1;
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
  const pid_t me = fork();
  if (me == 0) return child(1, argv);
  const auto limits = argc > 1 ? read_limits(argv[1]) : std::map<std::string, long>{};
  if (!watched::stopped(me))
    return std::fputs("steps: the system does not let a process be watched\n", stderr), watched::not_allowed;
  bool good = true;
  long nothing = 0;
  for (const std::string& name : measured) {
    const long steps = watched::to_next_mark(me) ? steps_of(me) : -1;
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
  watched::let_go(me);
  return good ? 0 : 1;
}
