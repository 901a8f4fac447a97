// SPDX-License-Identifier: Apache-2.0
// Does things whose number is known: each rank sends 100 statements and asks 10 questions, in phases; `counted fail` fails then.
#include <cstdio>
#include <string>

#include <armilla/armilla.hpp>

namespace am = armilla;

namespace {

void take(int) {}
void take_text(const std::string&) {}
int ask(int x) { return x + 1; }

void work(am::rank_t next) {
  am::phase outer("outer");
  am::barrier();
  {
    am::phase p("send");
    for (int i = 0; i < 90; ++i) am::async<&take>(next, i);
    for (int i = 0; i < 10; ++i) am::async<&take_text>(next, std::string(i < 5 ? 4 : 400, 'x'));
    am::fence();
  }
  am::barrier();
  am::phase p("ask");
  for (int i = 0; i < 10; ++i)
    if (am::call<&ask>(next, i).get() != i + 1) std::puts("wrong answer");
  am::fence();
}

}  // namespace

int main(int argc, char** argv) {
  return am::run(argc, argv, [argc] {
    work((am::rank() + 1) % am::ranks());
    if (am::rank() == 0) std::puts("done");
    return argc > 1 ? 3 : 0;
  });
}
