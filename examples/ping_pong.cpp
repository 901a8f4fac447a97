// SPDX-License-Identifier: Apache-2.0
// Two ranks play ball in three ways: with one-way calls that answer each other, with two-way calls, and with active messages.
// Ranks play in pairs: 0 with 1, 2 with 3; one that is left over plays with itself.
#include <chrono>
#include <cstdio>
#include <stdexcept>
#include <string>

#include <armilla/armilla.hpp>

#include "examples/arguments.hpp"

namespace am = armilla;

namespace {

am::rank_t partner() {
  const am::rank_t other = am::rank() ^ 1;
  return other < am::ranks() ? other : am::rank();
}
bool serves() { return am::rank() % 2 == 0; }

/// What a rank has seen of the ball. One on each rank, also where ranks are threads.
struct court {
  long hits = 0;
  bool over = false;
};
am::per_rank<court> mine;

/// One-way calls: the body strikes the ball back with a one-way call of its own. It may send, but not wait.
void strike(long left) {
  ++mine->hits;
  if (left > 0)
    am::async<&strike>(partner(), left - 1);
  else
    mine->over = true;
}
void by_one_way_calls(long rounds) {
  if (serves()) am::async<&strike>(partner(), 2 * rounds - 1);
  if (serves())
    while (!mine->over) am::wait_for_message();  // for one call that comes in
}

/// Two-way calls: the answer is the ball that comes back.
void by_two_way_calls(long rounds) {
  for (long i = 0; serves() && i < rounds; ++i) {
    const long back = am::call(
                          partner(),
                          [](long n) {
                            ++mine->hits;
                            return n + 1;
                          },
                          i)
                          .get();
    if (back == i + 1) ++mine->hits;
  }
}

/// Active messages: a message names the function that takes it in, and that one may reply.
void pong(am::sender, long left);
void ping(am::sender from, long left) {
  ++mine->hits;
  am::reply<pong>(from, left - 1);
}
void pong(am::sender from, long left) {
  ++mine->hits;
  if (left > 0)
    am::reply<ping>(from, left);
  else
    mine->over = true;
}
void by_messages(long rounds) {
  if (!serves()) return;
  am::request<ping>(partner(), rounds);
  while (!mine->over) am::wait_for_message();
}

/// Plays, and checks that the ball was hit as often as it should be.
void play(const char* how, long rounds, void (*game)(long)) {
  *mine = {};
  am::barrier();
  const auto start = std::chrono::steady_clock::now();
  game(rounds);
  am::barrier();  // a rank that does not serve answers here
  const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
  const long expected = partner() == am::rank() ? 2 * rounds : rounds;
  if (mine->hits != expected)
    throw std::runtime_error(std::string(how) + ": " + std::to_string(mine->hits) + " hits, expected " +
                             std::to_string(expected));
  if (am::rank() == 0) std::printf("%-16s %8.0f ns a round trip\n", how, time.count() / double(rounds));
}

}  // namespace

int main(int argc, char** argv) {
  examples::arguments arguments("Ping-pong between pairs of ranks: one-way calls, two-way calls, active messages.");
  long rounds = 1000;
  arguments.take("--rounds", rounds, "how often the ball goes there and back", 1L, 100'000'000L);
  if (const auto ended = arguments.read(argc, argv)) return *ended;
  return am::run(argc, argv, [=] {
    play("one_way_calls", rounds, by_one_way_calls);
    play("two_way_calls", rounds, by_two_way_calls);
    play("active messages", rounds, by_messages);
  });
}
