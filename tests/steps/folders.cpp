// SPDX-License-Identifier: Apache-2.0
// Where a call to a member goes: the place in this program of each instruction of the library that it takes, from call to future,
// from there to the body, and from the body to the answer. One rank, which calls itself. `folders_test.py` reads it.
#include <cstdio>

#include "armilla/armilla.hpp"
#include "watched.hpp"

namespace am = armilla;

extern const char __executable_start, etext;

namespace {

constexpr int warm_up = 4;
bool watching = false;

struct part {
  long sum = 0;
  long add(long n) {
    if (watching) watched::mark();
    sum += n;
    if (watching) watched::mark();
    return sum;
  }
};

int child(int argc, char** argv) {
  watched::begin_child();
  return am::run(argc, argv, [] {
    am::distributed<part> parts;
    for (int i = 0; i < warm_up; ++i) (void)am::call<&part::add>(parts.on(0), 1L).get();
    watching = true;
    watched::mark();
    am::future<long> sum = am::call<&part::add>(parts.on(0), 1L);
    watched::mark();
    (void)sum.get();
    watched::mark();
    watching = false;
    return 0;
  });
}

// Places are told as the program's symbol table tells them: the same for every load address.
void print_steps(pid_t child, const char* way) {
  std::printf("way %s\n", way);
  const auto begin = reinterpret_cast<std::uintptr_t>(&__executable_start), end = reinterpret_cast<std::uintptr_t>(&etext);
  watched::step_to_mark(child, [&] {
    user_regs_struct at{};
    ptrace(PTRACE_GETREGS, child, nullptr, &at);
    if (at.rip >= begin && at.rip < end) std::printf("%llx\n", at.rip - begin);
  });
}

}  // namespace

int main(int argc, char** argv) {
  const pid_t me = fork();
  if (me == 0) return child(argc, argv);
  if (!watched::stopped(me)) return watched::not_allowed;
  if (!watched::to_next_mark(me)) return 1;
  for (const char* way : {"out", "in", "body", "back"}) print_steps(me, way);
  watched::let_go(me);
  return 0;
}
