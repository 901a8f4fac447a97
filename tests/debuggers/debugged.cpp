// SPDX-License-Identifier: Apache-2.0
/// debugged [wrong]: fibers, bodies that wait, global memory and collectives, for debuggers to look at. "wrong": one of the
/// waiting bodies decides by memory that is not written. "crash": one of them breaks down.
#include <csignal>
#include <cstdio>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <armilla/armilla.hpp>

namespace am = armilla;

namespace {

std::string scene;

[[gnu::noinline]] void stop_here(int number) {  // where breakpoints are set
  if (number < 0) std::puts("never");
}

[[gnu::noinline]] void decide_by_nothing() {
  const std::vector<int> some(4, 1);
  auto* const memory = new int[16];
  std::memcpy(memory, some.data(), 4 * sizeof(int));
  if (memory[am::rank() + 4] == 4711) std::puts("by chance");
  delete[] memory;
}

// A body that waits keeps its stack, and the loop goes on on another one.
int ask_further(int depth) {
  char deep[4096];
  std::memset(deep, depth, sizeof deep);
  stop_here(depth);
  if (depth == 0) {
    if (scene == "wrong") decide_by_nothing();
    if (scene == "crash" && am::rank() == 0) std::raise(SIGSEGV);
    return deep[17];
  }
  return am::call((am::rank() + 1) % am::ranks(), ask_further, depth - 1).get() + deep[17];
}

[[gnu::noinline]] void everything_begins() {
  am::mutex lock;
  int sum = 0;
  am::parfor(0, 20, [&](int i) {
    const std::scoped_lock held(lock);
    am::yield();
    sum += i;
  });
  std::vector<am::future<int>> answers;
  for (int i = 0; i < 10; ++i) answers.push_back(am::call((am::rank() + 1) % am::ranks(), ask_further, 4));
  for (auto& one : answers) sum += one.get();
  try {
    am::call(am::rank(), [] {
      am::yield();
      throw std::runtime_error("out of a body that has waited");
    }).get();
  } catch (const std::exception&) { ++sum; }
  const int all = am::all_reduce(sum, std::plus<>{});
  am::fence();
  if (am::rank() == 0) std::printf("all are done: %d\n", all / am::ranks());
}

}  // namespace

int main(int argc, char** argv) {
  scene = argc > 1 ? argv[1] : "";
  return am::run(argc, argv, everything_begins);
}
