// SPDX-License-Identifier: Apache-2.0
// A program that attached clients look at: its ranks do what its first argument says, until SIGUSR2. Driven by attach_test.py.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include <armilla/algorithms.hpp>
#include <armilla/armilla.hpp>
#include <armilla/expose_container.hpp>

#include "serve_api.hpp"

namespace am = armilla;

namespace {

volatile std::sig_atomic_t enough = 0;
am::per_rank<long> counted;

void count(int n) { *counted += n; }
am::rank_t next() { return (am::rank() + 1) % am::ranks(); }

// Each rank sends 1000 one-way calls; then rank 0 is outside of the library, and the others wait for it.
void compute() {
  for (int i = 0; i < 1000; ++i) am::async<&count>(next(), 1);
  am::fence();
  std::printf("ready\n");
  std::fflush(stdout);
  while (am::rank() == 0 && enough == 0) {}
  am::barrier();
}

// All sleep.
void doze() {
  am::vector<double> t(1000, am::named("temperature"));
  am::unordered_map<long, long> ages(am::named("ages"));
  if (am::rank() == 0) ages.insert(1, 2);
  am::fence();
  std::printf("ready\n");
  std::fflush(stdout);
  while (am::rank() == 0 && enough == 0) am::sleep_for(std::chrono::milliseconds(20));
  am::barrier();
}

void chat() {
  std::printf("ready\n");
  std::fflush(stdout);
  while (enough == 0) {
    am::async<&count>(next(), 1);
    am::flush();
    am::poll();
  }
  am::barrier();
}

double quarter(double x) { return x / 4; }

// Of each turn's messages to the next rank: three one-way calls, one call by name, one call of a function.
void mix() {
  am::provide<serve_api::half>([](double x) { return x / 2; });
  am::barrier();
  std::printf("ready\n");
  std::fflush(stdout);
  while (enough == 0) {
    for (int i = 0; i < 3; ++i) am::async<&count>(next(), 1);
    if (am::call<serve_api::half>(next(), 1).get() != 0.5 || am::call<&quarter>(next(), 1.0).get() != 0.25) std::abort();
  }
  am::fence();
}

// Rank 0 sends one-way calls and looks for messages, the others sleep; all take calls of attached clients, and expose what they
// have.
void serve() {
  am::array<double> numbers(200'000);
  am::iota(numbers, 0.0);
  am::unordered_map<long, long> squares;
  for (long i = am::rank(); i < 1000; i += am::ranks()) squares.insert(i, i * i);
  am::fence();
  const am::exposure shown = am::expose("numbers", numbers), also = am::expose("squares", squares);
  am::provide<serve_api::half>([](double x) { return x / 2; });
  am::provide<serve_api::nap>([](int ms) { am::sleep_for(std::chrono::milliseconds(ms)); });
  am::provide<serve_api::numbers>([](long n) { return std::vector<double>(std::size_t(n), 1.5); });
  am::barrier();
  std::printf("ready\n");
  std::fflush(stdout);
  while (am::rank() == 0 && enough == 0) {
    am::async<&count>(next(), 1);
    am::flush();
    am::poll();
  }
  am::barrier();
}

void play(std::string_view scene) {
  if (scene == "chat") return chat();
  if (scene == "mix") return mix();
  if (scene == "serve") return serve();
  if (scene == "doze") return doze();
  compute();
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGUSR2, [](int) { enough = 1; });
  return am::run(argc, argv, [&] { play(argc > 1 ? argv[1] : ""); });
}
